"""Going ahead alone: offered with the very sentence that refuses, seen by everybody whom it concerns, ended by somebody else."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client

from provisioning.errors import NotPermitted
from provisioning.models import BreakGlass
from provisioning.services import decisions
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def test_the_page_says_the_sentence_of_the_service_and_offers_the_emergency(
    world: World, as_user: As
) -> None:
    own = world.requests["own"]  # nora asked for it on behalf of DFN
    with pytest.raises(NotPermitted) as refused:
        decisions.admit(actor=world.actor("nora"), request=own, reason="it fits")
    text = unescape(page_text(as_user("nora").get(f"/requests/{own.pk}/")))
    assert refused.value.reason in text
    assert "admit it alone, by break-glass" in text
    assert "by break-glass" not in page_text(as_user("niels").get(f"/requests/{own.pk}/"))
    asked = as_user("nora").get(f"/requests/{own.pk}/admit/")
    assert "Why you do it alone" in page_text(asked)


def test_what_was_done_alone_stands_for_everybody_until_another_acknowledged_it(
    world: World, as_user: As
) -> None:
    own = world.requests["own"]
    url = f"/requests/{own.pk}/admit/"
    without = as_user("nora").post(url, {"reason": "fits"})
    assert "Say why you do it alone" in page_text(without)
    answer = as_user("nora").post(url, {"reason": "fits", "break_glass": "the eclipse begins"})
    assert answer.status_code == 302
    own.refresh_from_db()
    assert own.state == "ADMITTED"
    row = BreakGlass.objects.get()
    for who in ("nora", "niels", "audrey", "dieter", "giorgos"):
        text = unescape(page_text(as_user(who).get(f"/requests/{own.pk}/")))
        assert row.reference in text and "the eclipse begins" in text, who
        assert f"{own.reference} was submitted by the same person" in text
        assert (f"Acknowledge {row.reference}" in text) is (who == "niels"), who
    assert row.reference in page_text(as_user("audrey").get("/queue/"))
    acknowledge = f"/break-glass/{row.pk}/acknowledge/"
    assert as_user("nora").post(acknowledge, {"reason": ""}).status_code == 403
    assert as_user("audrey").post(acknowledge, {"reason": ""}).status_code == 403
    assert as_user("niels").post(acknowledge, {"reason": "read it"}).status_code == 302
    for who in ("nora", "dieter"):
        assert row.reference not in page_text(as_user(who).get(f"/requests/{own.pk}/"))
    assert row.reference not in page_text(as_user("nora").get("/queue/"))
