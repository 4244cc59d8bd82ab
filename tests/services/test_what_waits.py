"""Whatever waits on a router goes on by itself, or says for whom it waits, and nothing that is not so."""

from __future__ import annotations

import pytest

from provisioning.models import Reservation
from provisioning.selectors.waiting import wait_of, why_never
from provisioning.services import clock, decisions, pushing, verifying
from provisioning.services import requests as asking
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

pytestmark = pytest.mark.once


def test_what_is_tried_one_by_one_goes_on_after_one_that_cannot_be_planned(house: House) -> None:
    """The second waited for an event, or for the hourly sweep, and nothing said for what."""
    one, two = house.ask(1, "SURFnet", 9), house.ask(2, "SURFnet", 9)
    Reservation.objects.filter(request__in=[one.pk, two.pk]).update(alone=True)
    house.edit("nl6", True)
    verifying.verify_routers()  # the edit is no news: nothing marks the queue but that they are due
    house.work()
    for request in (one, two):
        house.begin(request)
    house.work()
    for request in (one, two):
        said = wait_of(request)
        assert said is not None and said.person and "was edited by hand" in said.text, request


def test_what_was_given_up_on_a_router_is_not_said_to_be_sent(house: House) -> None:
    request = house.ask(1, "SURFnet", 9)
    house.begin(request)
    house.work()
    change = request.changes.get()
    change.pushes.update(state="UNKNOWN")
    said = wait_of(request)
    assert said is not None and "stopped half way on nl6" in said.text
    change.pushes.update(error_code=pushing.UNRECOGNISED)
    said = wait_of(request)
    assert said is not None and "is being sent" not in said.text and "half way" not in said.text


def test_what_lines_were_sent_for_is_not_said_to_have_been_on_no_router(house: House) -> None:
    """An edit by hand met the push: what the router then showed nobody had approved, and a repair took it off."""
    request = house.ask(1, "SURFnet", 9)
    house.begin(request)
    house.work()
    change = request.changes.get()
    change.pushes.update(state="CANCELLED", error_code=pushing.UNRECOGNISED, started_at=clock.now())
    asking.withdraw(actor=house.nrens["SURFnet"], request=request, reason="over")
    decisions.never_provide(request=request)
    request.refresh_from_db()
    said = why_never(request, house.noc[0])
    assert said.startswith("it was withdrawn before it was seen on a router; lines for it were sent")
    assert said.endswith(f"until they were taken off: {change.reference}")
    assert "CHG" not in why_never(request, house.nrens["SURFnet"])
