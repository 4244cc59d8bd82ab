"""What was retired had requests: they are found by it still, its calendar goes on, and its NREN's page says where it is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import AccessLink, Nren, Router
from provisioning.models import PremiumRequest
from provisioning.services.topology.parting import part
from tests.web.test_calendar_feed import FEED, basic, issued, seen
from tests.web.text import page_text
from tests.web.world import World

LINK = "JANET@uk6:POS1/0"


@pytest.fixture
def gone(world: World) -> World:
    """JANET's link, its NREN and its router are retired; a router and an NREN of the same names came after them."""
    now = timezone.now()
    part(AccessLink.objects.select_related("interface").get(name=LINK), now)
    for model, name in ((Nren, "JANET"), (Router, "uk6")):
        model.objects.filter(name=name).update(retired_at=now)
        again = model.every.get(name=name)
        again.pk, again.retired_at = None, None
        again.save(force_insert=True)
    return world


def of_janet() -> set[str]:
    found = PremiumRequest.objects.filter(source_link__name=LINK)
    return {each.reference for each in found}


def listed(client: Client, **asked: object) -> set[str]:
    answer = client.get("/requests/", asked)
    assert answer.status_code == 200
    return set(re.findall(r">(PIP-\d+)<", page_text(answer)))


def test_requests_are_found_by_a_link_a_router_and_an_nren_that_went(
    gone: World, as_user: Callable[[str], Client]
) -> None:
    nora, today = as_user("nora"), f"{timezone.now():%Y-%m-%d}"
    theirs = of_janet()
    assert theirs and theirs < listed(nora)
    old, new = Nren.every.get(name="JANET", retired_at__isnull=False), Nren.objects.get(name="JANET")
    assert listed(nora, nren=old.pk) == theirs and listed(nora, nren=new.pk) == set()
    assert listed(nora, link=LINK) == theirs
    for router in Router.every.filter(name="uk6"):
        assert listed(nora, router=router.pk) == theirs, "the same place, whatever box stands there"
    assert listed(nora, q=LINK) == theirs
    text = page_text(nora.get("/requests/"))
    for pk, label in ((new.pk, "JANET"), (old.pk, f"JANET (retired {today})")):
        assert len(re.findall(rf'<option value="{pk}"[^>]*>{re.escape(label)}</option>', text)) == 2, (
            "from and to"
        )
    assert nora.get("/requests/", {"link": "nobody@nowhere:POS9/9"}).status_code == 400


def test_a_calendar_that_somebody_subscribed_to_goes_on(
    gone: World, as_user: Callable[[str], Client]
) -> None:
    nora, headers = as_user("nora"), basic(issued(gone, "nora"))
    theirs = of_janet()
    for asked in ({"link": LINK}, {"router": "uk6"}, {"nren": "JANET"}):
        answer = Client().get(FEED, asked, headers=headers)
        assert answer.status_code == 200, asked
        assert set(seen(answer)) == theirs, asked
    old = Nren.every.get(name="JANET", retired_at__isnull=False)
    for asked in ({"link": LINK}, {"router": "uk6"}, {"nren": str(old.pk)}):
        text = page_text(nora.get("/calendar/", asked))
        found = set(re.findall(r">(PIP-\d+)<", text))
        assert found and found <= theirs, asked
    assert Client().get(FEED, {"router": "uk66"}, headers=headers).status_code == 400


def test_a_living_router_keeps_what_links_of_it_had(world: World) -> None:
    headers = basic(issued(world, "nora"))
    before = set(seen(Client().get(FEED, {"router": "uk6"}, headers=headers)))
    part(AccessLink.objects.select_related("interface").get(name=LINK), timezone.now())
    assert set(seen(Client().get(FEED, {"router": "uk6"}, headers=headers))) == before >= of_janet() != set()


def test_the_page_of_an_nren_leads_to_what_was_retired(gone: World, as_user: Callable[[str], Client]) -> None:
    nora = as_user("nora")
    old, new = Nren.every.get(name="JANET", retired_at__isnull=False), Nren.objects.get(name="JANET")
    text = page_text(nora.get(f"/nrens/{old.pk}/"))
    assert "1 access link of it" in text and 'href="/network/retired/?q=JANET"' in text
    assert LINK in page_text(nora.get("/network/retired/?q=JANET"))
    assert "/network/retired/?q=" not in page_text(nora.get(f"/nrens/{new.pk}/"))
