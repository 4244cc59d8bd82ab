"""The box that finds: addresses and prefixes in any spelling, texts, keys; each with why it was found; at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client

from inventory.models import Interface, Router
from provisioning.models import PremiumRequest
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def found(client: Client, **asked: str) -> dict[str, str]:
    """What is found of each kind, as text."""
    answer = client.get("/search/", asked)
    assert answer.status_code == 200
    page = page_text(answer)
    return {
        title: re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", section))
        for title, section in re.findall(r"<h2>([^<]+)</h2>(.*?)</section>", page, re.DOTALL)
    }


def references(text: str) -> set[str]:
    return set(re.findall(r"PIP-\d+", text))


@pytest.fixture
def narrow(world: World) -> PremiumRequest:
    """The request that is active, from one network of JANET's to one of GRNET's."""
    one = world.requests["active"]
    one.source_prefixes, one.destination_prefixes = ["2001:630:1:3::/64"], ["2001:648:7::/48"]
    one.save()
    return one


@pytest.mark.parametrize(
    "typed",
    ["2001:630:1:3::/64", "2001:0630:0001:0003:0000:0000:0000:0000/64", "2001:630:1:3::9", " 2001:630:1:3:0::/65 "],
)  # fmt: skip
def test_what_holds_an_address_is_found_in_any_spelling(
    narrow: PremiumRequest, as_user: As, typed: str
) -> None:
    kinds = found(as_user("audrey"), q=typed)
    assert narrow.reference in kinds["Requests"]
    assert (
        "source 2001:630:1:3::/64" in kinds["Requests"]
        and "source 2001:630::/32 holds it" in kinds["Requests"]
    )
    assert "JANET" in kinds["NRENs"] and "2001:630::/32 holds it" in kinds["NRENs"]
    assert "SURFnet" not in kinds["NRENs"]


def test_what_lies_in_a_prefix_is_found_too(narrow: PremiumRequest, as_user: As) -> None:
    kinds = found(as_user("audrey"), q="2001:630:1::/48")
    assert "source 2001:630:1:3::/64 lies in it" in kinds["Requests"]
    kinds = found(as_user("audrey"), q="2001:648:7:1::1")
    assert "destination 2001:648:7::/48 holds it" in kinds["Requests"]
    assert "GRNET" in kinds["NRENs"]
    kinds = found(as_user("audrey"), q="2001:798:28:200::1")
    assert "JANET@uk6:POS1/0" in kinds["Links"] and "2001:798:28:200::/64 holds it" in kinds["Links"]
    assert "2001:798::/40" in kinds["Backbone"]
    kinds = found(as_user("audrey"), q="2001:798:0:6::/64")
    assert "uk6:POS2/0--nl6:POS2/0" in kinds["Links"] and "is it" in kinds["Links"]


def test_a_router_is_found_by_the_address_at_which_it_is_managed(world: World, as_user: As) -> None:
    Router.objects.filter(name="nl6").update(management_host="2001:DB8:0::6")
    assert "nl6" in found(as_user("audrey"), q="2001:db8::6")["Routers"]
    assert "nl6" in found(as_user("audrey"), q="2001:db8::/64")["Routers"]


@pytest.mark.parametrize("typed", ["2001:db8:::1", "2001:db8::/129", "300.1.1.1"])
def test_a_broken_address_is_a_sentence(world: World, as_user: As, typed: str) -> None:
    answer = as_user("audrey").get("/search/", {"q": typed})
    assert answer.status_code == 400
    assert f"“{typed}” is no address and no prefix" in page_text(answer)


def test_which_request_covers_an_address_at_a_time(narrow: PremiumRequest, as_user: As) -> None:
    day = (narrow.start + timedelta(days=30)).date()
    admitted = PremiumRequest.objects.get(state="ADMITTED", nren__name="JANET")
    asked = {"q": "2001:630:1:3::1", "when": str(day)}
    rows = found(as_user("audrey"), **asked)["Requests"]
    assert narrow.reference in rows and admitted.reference not in rows  # that one ends before
    PremiumRequest.objects.filter(pk=narrow.pk).update(end=narrow.start + timedelta(days=2))
    assert narrow.reference not in found(as_user("audrey"), **asked)["Requests"]
    both = f"{narrow.start.date()}/{day}"
    rows = found(as_user("audrey"), q="2001:630:1:3::1", when=both)["Requests"]
    assert {narrow.reference, admitted.reference} <= references(rows)


def test_a_time_is_said_as_it_was_understood_and_a_bad_one_is_a_sentence(world: World, as_user: As) -> None:
    page = page_text(as_user("audrey").get("/search/", {"q": "2001:630::1", "when": "2026-12-01"}))
    assert "Tue 2026-12-01 00:00 until Wed 2026-12-02 00:00 UTC" in page
    answer = as_user("audrey").get("/search/", {"q": "JANET", "when": "soon"})
    assert answer.status_code == 400 and "“soon” is no time" in page_text(answer)


def test_a_time_alone_finds_what_is_on_then(narrow: PremiumRequest, as_user: As) -> None:
    rows = found(as_user("audrey"), when=str(narrow.start.date()))["Requests"]
    assert narrow.reference in rows and "its window" in rows


def test_texts_are_found_with_why(narrow: PremiumRequest, as_user: As) -> None:
    PremiumRequest.objects.filter(pk=narrow.pk).update(
        contact="alice.liddell@ja.example", reason="Cello masterclass"
    )
    client = as_user("audrey")
    assert "contact alice.liddell@ja.example" in found(client, q="LIDDELL")["Requests"]
    assert "reason Cello masterclass" in found(client, q="cello")["Requests"]
    assert "from JANET" in found(client, q="janet")["Requests"]
    assert (
        "by jane" in found(client, q="jane")["Requests"]
        or "from JANET" in found(client, q="jane")["Requests"]
    )


def test_keys_of_things_are_found(world: World, as_user: As) -> None:
    Router.objects.filter(name="nl6").update(
        serial="FOX0742X0PZ",
        host_key="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    )
    Interface.objects.filter(router__name="uk6", name="POS2/0").update(description="ISP circuit LON-AMS-7")
    client = as_user("audrey")
    assert "serial FOX0742X0PZ" in found(client, q="fox0742")["Routers"]
    fingerprint = page_text(client.get("/search/", {"q": "SHA256:"}))
    assert "nl6" in fingerprint and "host key SHA256:" in fingerprint
    assert "uk6:POS2/0" in found(client, q="lon-ams")["Interfaces"]
    push = world.pushes["failed"] if "failed" in world.pushes else next(iter(world.pushes.values()))
    push.fingerprint = "ab" * 32
    push.save()
    assert push.change.reference in found(client, q="abababababab")["Changes"]


def test_people_are_found_with_what_they_did(world: World, as_user: As) -> None:
    answer = as_user("audrey").get("/search/", {"q": "nora"})
    assert "/audit/?actor=nora" in page_text(answer)


def test_what_is_common_is_counted_to_a_bound_and_nobody_else_may_look(world: World, as_user: As) -> None:
    assert as_user("jane").get("/search/", {"q": "2001:630::/32"}).status_code == 403
    answer: HttpResponse = as_user("audrey").get("/search/", {"q": "2001::/16"})
    assert answer.status_code == 200
    assert "/requests/?address=2001%3A%3A%2F16" in page_text(answer)
