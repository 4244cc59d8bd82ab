"""Whoever agrees to a request and its twin reads of both: the other direction's link, its prefixes, and whose share it takes."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from provisioning.models import Consent, PremiumRequest
from tests.web.text import page_text
from tests.web.world import World, asked, link, weekly

As = Callable[[str], Client]


def told(client: Client, path: str) -> str:
    return " ".join(page_text(client.get(path)).split())


def test_consent_to_both_ways_names_both(world: World, as_user: As) -> None:
    made = asked(world.actor("jane"), "JANET", "GRNET", "300 kbit/s", direction="both")
    twin = made.twin
    assert twin is not None
    path, client = f"/requests/{made.pk}/consent/", as_user("giorgos")
    text = told(client, path)
    assert f"Your answer is for both directions.</strong> {twin.reference} comes with it: 300 kbit/s" in text
    for named in (twin.source_link.name, *twin.source_prefixes, *twin.destination_prefixes):
        assert named in text.partition("for both directions")[2]
    assert "share of your link outwards too" in text
    assert "share of your link towards you too" in told(client, f"/requests/{twin.pk}/consent/")
    client.post(path, {"answer": "agree"})
    twin.refresh_from_db()
    assert twin.consent == Consent.GIVEN


def test_one_way_says_nothing_of_another(world: World, as_user: As) -> None:
    for path in (
        f"/requests/{world.requests['consent'].pk}/consent/",
        f"/series/{weekly(world).pk}/consent/",
    ):
        assert "both directions" not in told(as_user("giorgos"), path)


def test_so_with_a_series(world: World, as_user: As) -> None:
    made = weekly(world, direction="both")
    text = told(as_user("giorgos"), f"/series/{made.pk}/consent/")
    assert "Your answer is for both directions" in text and "share of your link outwards too" in text
    assert link("GRNET").name in text.partition("for both directions")[2]
    assert PremiumRequest.objects.filter(series=made, twin=None).count() == 0
    assert "both directions" not in told(as_user("niels"), f"/series/{made.pk}/refuse/")
