"""A card on the way that probably cannot serve IPv6 Premium: the person who decides reads it first."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from inventory.models import LineCard
from provisioning.selectors import topology
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def test_the_request_page_warns_of_a_doubtful_card_and_still_offers_to_admit(
    world: World, as_user: As
) -> None:
    path = f"/requests/{world.requests['decision'].pk}/"
    assert "is doubtful" not in page_text(as_user("nora").get(path))
    assert LineCard.objects.filter(router__name="de6", slot=2).update(engine="2") == 1
    topology.forget()
    text = page_text(as_user("nora").get(path))
    assert "de6 slot 2 (POS2/0): Engine 2 classifies by precedence only" in text
    assert "is doubtful" in text
    assert f"{path}admit/" in text
