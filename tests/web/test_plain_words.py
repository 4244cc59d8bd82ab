"""What the pages say in words: the policy of now, who can send, what is wrong in a form, reasons without field names."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django import forms
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils import timezone

from inventory.models import AccessCase, AccessLink, Router
from provisioning.drivers.base import Target
from provisioning.errors import HostKeyChanged, InvalidFields, InvalidInput
from provisioning.models import PremiumRequest
from provisioning.services import credentials, reading, verifying
from provisioning.web import failures, spelling
from provisioning.web.forms.translating import put_errors
from tests.web.text import page_text
from tests.web.world import World, link

As = Callable[[str], Client]


def text_of(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page_text(answer))))


def while_reserved(nren: str) -> AccessLink:
    """Onboard an NREN's link as filtered while a reservation sends from it."""
    found = link(nren)
    AccessLink.objects.filter(pk=found.pk).update(case=AccessCase.FILTERED, standing=False)
    found.refresh_from_db()
    return found


def test_a_router_shows_the_policy_of_now_and_what_it_becomes(world: World, as_user: As) -> None:
    found = while_reserved("SURFnet")
    text = text_of(as_user("audrey"), f"/routers/{found.interface.router.name}/")
    assert "NON-PARTICIPANT in now; FILTERED-IN while reserved" in text
    asked = world.requests["active"]
    PremiumRequest.objects.filter(pk=asked.pk).update(source_link=found)
    text = text_of(as_user("audrey"), f"/routers/{found.interface.router.name}/")
    assert "FILTERED-IN in while a reservation sends from it" in text
    assert "NON-PARTICIPANT in now" not in text


def test_a_reservation_that_has_not_begun_or_is_over_changes_nothing_now(world: World, as_user: As) -> None:
    found, now = while_reserved("SURFnet"), timezone.now()
    asked = PremiumRequest.objects.filter(pk=world.requests["active"].pk)
    for window in (
        {"start": now + timedelta(hours=1), "end": None},
        {"start": now - timedelta(hours=2), "end": now - timedelta(hours=1)},
    ):
        asked.update(source_link=found, **window)
        text = text_of(as_user("audrey"), f"/routers/{found.interface.router.name}/")
        assert "NON-PARTICIPANT in now; FILTERED-IN while reserved" in text


def test_a_standing_link_keeps_one_policy(world: World, as_user: As) -> None:
    text = text_of(as_user("audrey"), "/routers/uk6/")
    assert "TRUSTED-IN in" in text and "while reserved" not in text


def options(client: Client, name: str) -> dict[str, str]:
    page = page_text(client.get("/my/ask/"))
    chosen = re.search(rf'<select name="{name}".*?</select>', page, re.DOTALL)
    assert chosen is not None
    return dict(re.findall(r'<option value="([^"]*)"[^>]*>([^<]*)</option>', chosen.group()))


def test_who_does_not_participate_is_no_source_and_a_destination_with_a_word(
    world: World, as_user: As
) -> None:
    surfnet, janet = link("SURFnet"), link("JANET")
    assert surfnet.case == AccessCase.NON_PARTICIPANT
    sources = options(as_user("nora"), "source_link")
    assert janet.name in sources and surfnet.name not in sources
    targets = options(as_user("nora"), "destination_link")
    assert "cannot send back" in targets[surfnet.name] and "cannot" not in targets[janet.name]


def test_an_nren_whose_link_does_not_participate_is_told_why(world: World, as_user: As) -> None:
    AccessLink.objects.filter(nren__name="JANET").update(case=AccessCase.NON_PARTICIPANT)
    text = text_of(as_user("jane"), "/my/ask/")
    assert f"{link('JANET').name} cannot be a source" in text and "until the NOC onboards it" in text
    assert options(as_user("jane"), "source_link") == {}


def test_what_is_wrong_is_named_by_label_in_plain_sentences(world: World, as_user: As) -> None:
    answer = as_user("jane").post(
        "/my/ask/",
        {
            "source_link": link("JANET").name,
            "direction": "one-way",
            "rate": "fast",
            "max_packet_bytes": "x",
            "end": "soon",
        },
    )
    text = unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page_text(answer))))
    for said in (
        "Rate : say how many bit/s, for instance 2M.",
        "To : choose the link on which the traffic leaves.",
        "Largest packet in bytes : write a whole number, for instance 1500.",
        "Ends (UTC) : write a day and a time in UTC, for instance 2026-12-24 18:00.",
        "Source prefixes : name the addresses that send, for instance 2001:db8:1::/64.",
    ):
        assert said in text
    assert "This field is required" not in text


def test_what_the_service_finds_wrong_names_instants_to_the_minute(world: World, as_user: As) -> None:
    own = str(link("JANET").nren.prefixes.first().network)
    answer = as_user("jane").post(
        "/my/ask/",
        {
            "source_link": link("JANET").name,
            "destination_link": link("GRNET").name,
            "direction": "one-way",
            "rate": "2M",
            "bucket_bytes": "6000",
            "max_packet_bytes": "1500",
            "start": "2020-01-01T10:00",
            "source_prefixes": own,
            "contact": "noc@example.org",
        },
    )
    assert "The start 2020-01-01 10:00 UTC lies more than 5 minutes in the past." in unescape(
        page_text(answer)
    )


def test_sentences() -> None:
    moment = datetime(2026, 11, 21, 3, 40, 58, tzinfo=UTC)
    assert spelling.sentence(f"the end {moment:%Y-%m-%d %H:%M:%S} UTC lies in the past") == (
        "The end 2026-11-21 03:40 UTC lies in the past."
    )
    assert spelling.sentence("uk6 was not read") == "uk6 was not read."
    assert spelling.uncapped("Say how many.") == "say how many."
    assert spelling.uncapped("GRNET has not agreed.") == "GRNET has not agreed."


def test_no_reason_on_a_page_begins_with_the_name_of_a_field(rf: RequestFactory, db: None) -> None:
    class Only(forms.Form):
        reason = forms.CharField()

    form = Only({"reason": "x"})
    several = InvalidFields(
        [
            InvalidInput("the gaps must be confirmed", field="confirm_gaps"),
            InvalidInput("say why", field="reason"),
        ]
    )
    put_errors(form, several)
    assert form.non_field_errors() == ["The gaps must be confirmed."]
    assert form.errors["reason"] == ["Say why."]
    request = rf.get("/")
    request.htmx = False
    shown = page_text(failures.of(request, several))
    assert "The gaps must be confirmed. Say why." in shown and "confirm_gaps:" not in shown


def test_an_unread_router_says_why_without_the_name_of_a_field(
    world: World, as_user: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(*_args: object, **_kwargs: object) -> None:
        raise HostKeyChanged("uk6 presented another host key than the pinned one", field="host_key")

    def target(*, router: Router) -> Target:
        return Target(router.name, "127.0.0.1", 22, "expedite", "secret", "", "", "modern", router.platform)

    cache.clear()
    monkeypatch.setattr(credentials, "for_router", target)
    monkeypatch.setattr(reading.drivers, "connect", changed)
    sync = verifying.verify_router(router=Router.objects.get(name="uk6"))
    assert sync.detail["reason"].startswith("uk6 presented")
    assert "host_key:" not in text_of(as_user("nora"), "/routers/uk6/")
