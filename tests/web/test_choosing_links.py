"""Among many links one is found by typing: with JavaScript while one types, without it by sending the form."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from inventory.models import AccessCase, AccessLink, CoreLink
from provisioning.models import PremiumRequest
from provisioning.web.forms import linking
from tests.web.text import page_text
from tests.web.world import World, link

As = Callable[[str], Client]


@pytest.fixture
def many(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The network has more links than a list shows."""
    monkeypatch.setattr(linking, "FEW", 0)
    return world


def asked_with(client: Client, **ends: str) -> str:
    own = str(link("JANET").nren.prefixes.first().network)
    form = {
        "source_link": link("JANET").name,
        "destination_link": link("GRNET").name,
        "direction": "one-way",
        "rate": "64k",
        "bucket_bytes": "6000",
        "max_packet_bytes": "1500",
        "source_prefixes": own,
        "destination_prefixes": str(link("GRNET").nren.prefixes.first().network),
        "contact": "noc@example.org",
    }
    return page_text(client.post("/my/ask/", {**form, **ends}, follow=True))


def offered(page: str, name: str) -> list[str]:
    chosen = re.search(rf'<select name="{name}".*?</select>', page, re.DOTALL)
    return [] if chosen is None else re.findall(r'<option value="([^"]*)"', chosen.group())


def test_the_page_offers_no_list_of_all(many: World, as_user: As) -> None:
    page = page_text(as_user("nora").get("/my/ask/"))
    assert offered(page, "source_link") == offered(page, "destination_link") == []
    assert not any(f'"{name}"' in page for name in AccessLink.objects.values_list("name", flat=True))


def test_a_name_that_is_known_is_taken(many: World, as_user: As) -> None:
    before = PremiumRequest.objects.count()
    assert "submitted." in asked_with(as_user("jane"))
    assert PremiumRequest.objects.count() == before + 1


def test_a_part_of_a_name_asks_back_with_what_holds_it_and_keeps_the_rest(many: World, as_user: As) -> None:
    before = PremiumRequest.objects.count()
    page = asked_with(as_user("jane"), destination_link="grn")
    assert offered(page, "destination_link") == [linking.AGAIN, link("GRNET").name]
    assert "1 link holds “grn”. Choose one, or search again." in page
    assert 'value="64k"' in page and PremiumRequest.objects.count() == before


def test_search_again_leads_back_to_an_empty_box_and_never_to_a_request_without_an_end(
    many: World, as_user: As
) -> None:
    before = PremiumRequest.objects.count()
    page = asked_with(as_user("jane"), destination_link=linking.AGAIN)
    box = re.search(r'<input [^>]*name="destination_link"[^>]*>', page)
    assert box is not None and "value=" not in box.group()
    assert "Choose the link on which the traffic leaves." in page and PremiumRequest.objects.count() == before


def test_what_no_link_holds_says_so(many: World, as_user: As) -> None:
    assert "none that holds this in its name" in asked_with(as_user("jane"), destination_link="no-such")


def test_more_than_are_shown_are_counted(many: World, as_user: As, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking, "OFFERED", 2)
    page = asked_with(as_user("jane"), destination_link="POS")
    count = AccessLink.objects.filter(name__contains="POS").count()
    assert count > 2 and f"{count} links hold “POS”. The first 2 are listed: choose one" in page
    assert len(offered(page, "destination_link")) == 3


@pytest.mark.parametrize(
    ("who", "end", "found"),
    [
        ("jane", "source_link", {"JANET"}),  # her own, whatever is typed
        ("jane", "destination_link", {"JANET", "GRNET"}),
        ("nora", "source_link", {"JANET", "GRNET"}),
    ],
)
def test_while_one_types_what_holds_it_is_offered(
    many: World, as_user: As, who: str, end: str, found: set[str]
) -> None:
    page = page_text(as_user(who).get("/my/ask/links/", {end: "NET"}))
    names = set(re.findall(r'value="([^"]*)"', page))
    assert {link(name).name for name in found} <= names
    if who == "jane" and end == "source_link":
        assert names == {link("JANET").name}


def test_a_link_that_does_not_participate_is_no_source(many: World, as_user: As) -> None:
    AccessLink.objects.filter(nren__name="JANET").update(case=AccessCase.NON_PARTICIPANT)
    assert "<option" not in page_text(as_user("jane").get("/my/ask/links/", {"source_link": "JANET"}))
    assert "hoose a link of your own that participates" in asked_with(as_user("jane"))


def test_a_core_link_is_offered_while_one_types_and_the_names_before_it_stay(
    world: World, as_user: As
) -> None:
    def names(text: str, **more: str) -> list[str]:
        page = as_user("audrey").get("/links/offered/", {"link": text, **more}).content.decode()
        return re.findall(r'<option value="([^"]*)"', page)

    core = list(CoreLink.objects.order_by("name").values_list("name", flat=True))
    assert names("", kind="core") == core[:20]
    assert set(names("gr6", kind="core")) == {name for name in core if "gr6" in name}
    assert set(names("GRNET")) == {link("GRNET").name}, "an access link by its NREN"
    assert names("GRNET", kind="core") == []
    first = core[0]
    second = names(f"{first} se6", kind="core")
    assert second and all(each.startswith(f"{first} ") and "se6" in each for each in second)
    assert f"{first} {first}" not in names(f"{first} {first[:3]}", kind="core")


@pytest.mark.parametrize("address", ("/network/work/", "/network/link/", "/network/capacity/"))
def test_the_box_of_a_link_asks_for_what_is_offered(world: World, as_user: As, address: str) -> None:
    page = as_user("nora").get(address).content.decode()
    assert 'hx-get="/links/offered/' in page and 'list="link_offered"' in page
    assert page.count('<datalist id="link_offered">') == 1


def test_a_part_of_a_core_link_is_answered_with_the_names_that_hold_it(world: World, as_user: As) -> None:
    holding = list(
        CoreLink.objects.filter(name__icontains="gr6").order_by("name").values_list("name", flat=True)
    )
    said = f"No core link is called gr6. These hold it: {', '.join(holding[:5])}."
    asked = {"link": f"{holding[0]} gr6", "start": "", "until": ""}
    assert said in page_text(as_user("audrey").get("/network/work/", asked))
    given = {"link": "gr6", "deed": "down", "reason": "cut"}
    assert said in page_text(as_user("nora").post("/network/link/", given))
