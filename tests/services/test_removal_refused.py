"""A withdrawn request that a router does not let go of: charged, waiting for a person, and taken off after all."""

from __future__ import annotations

import pytest

from provisioning.models import PremiumRequest
from provisioning.selectors.queues import held_out
from provisioning.services import requests as asking
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once


def put_on(live: Backbone) -> PremiumRequest:
    request = live.admit(live.ask("SURFnet", "GRNET", "1M"))
    live.work()
    live.approve(request.changes.get(), confirm_gaps=True)
    live.work()
    request.refresh_from_db()
    assert request.state == "ACTIVE"
    return request


def test_a_removal_that_was_refused_waits_for_a_person_and_is_planned_again(live: Backbone) -> None:
    request = put_on(live)
    live.fault(
        "nl6", "refuse", match="^service-policy input NON-PARTICIPANT", message="QoS: not now", times=1
    )
    asking.withdraw(actor=live.nren["SURFnet"], request=request, reason="no longer needed")
    live.work()
    removal = request.changes.order_by("-pk")[0]
    assert removal.kind == "removal"
    live.approve(removal, confirm_gaps=True)
    live.work()
    assert set(live.states(removal).values()) == {"ROLLED_BACK"}
    request.refresh_from_db()
    assert (request.state, request.reservation.released_at) == ("WITHDRAWN", None), (
        "it is on: it stays charged"
    )
    (held,) = list(held_out())
    assert held.request == request and "not now" in held.waits_for
    again = live.plan_for(request, again=True)
    assert again.pk != removal.pk and again.kind == "removal"
    live.approve(again, confirm_gaps=True)
    live.work()
    assert set(live.states(again).values()) == {"VERIFIED"}
    request.reservation.refresh_from_db()
    assert request.reservation.released_at is not None
