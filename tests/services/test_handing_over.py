"""Two reservations of one link that touch in time: the routers never carry more than its share, told by their own lines."""

from __future__ import annotations

from datetime import timedelta

import pytest

from provisioning.models import Change, PremiumRequest, Reservation
from provisioning.selectors.queues import held_out_for_people
from provisioning.selectors.waiting import wait_of
from provisioning.services import changes, clock
from tests.services.house import House
from tests.services.house import house as house
from tests.soak.service_journal import Replay

MUCH, LITTLE = "5M", "1M"  # of a share of 7.75 Mbit/s
PORT = "POS1/0"


def one_after_the_other(
    house: House, rate: str, *, stays: bool = False
) -> tuple[PremiumRequest, PremiumRequest]:
    """One that is on and over, and one that begins then; another goes on meanwhile where it `stays`."""
    tomorrow = clock.now() + timedelta(days=1)
    first = house.ask(1, "JANET", 9, rate=rate, start=tomorrow)
    house.begin(first)
    then = house.ask(2, "JANET", 9, rate=rate, start=first.end)
    if stays:
        house.begin(house.ask(3, "JANET", 9, rate="100k", start=tomorrow))
    house.work()
    approve_all(house)
    first.refresh_from_db()
    assert first.state == "ACTIVE"
    house.end(first)
    house.begin(then)
    return first, then


def approve_all(house: House) -> None:
    for change in Change.objects.filter(finished_at=None, approved_at=None, planned_at__isnull=False):
        for person in house.noc[:2]:
            house.approve(person, change)
    house.work()


def let_in_together(house: House) -> int:
    """How many flows of the link its router let in at once at most, by the lines it took."""
    replay, most = Replay(), 0
    for entry in house.routers.devices["uk6"].history:
        if not str(entry["reply"]).lstrip().startswith(("%", "^")):
            replay.take("noc", str(entry["line"]))
            most = max(most, sum(port == PORT and bool(source) for port, source, _ in replay.let_in()))
    return most


@pytest.mark.one_transaction
def test_what_has_no_room_beside_the_last_of_its_list_is_planned_once_that_was_seen_gone(
    house: House,
) -> None:
    first, then = one_after_the_other(house, MUCH)
    house.work()
    waits = Reservation.objects.get(request=then).waits_for
    assert f"{then.reference} waits until {first.reference} is seen gone" in waits
    assert "share" in waits
    said = wait_of(then)
    assert said is not None
    assert said.text == f"{waits}. It is planned by itself then."
    assert not held_out_for_people().exists()
    assert (said.person, said.general) == (False, "what was there before it is to be off the routers first")
    approve_all(house)
    first.refresh_from_db()
    assert first.state == "COMPLETED"
    approve_all(house)
    then.refresh_from_db()
    assert then.state == "ACTIVE"
    assert let_in_together(house) == 1


@pytest.mark.one_transaction
@pytest.mark.parametrize(("rate", "stays"), [(LITTLE, False), (MUCH, True)])
def test_what_has_room_or_goes_first_is_one_plan(house: House, rate: str, stays: bool) -> None:
    first, then = one_after_the_other(house, rate, stays=stays)
    house.work()
    (change,) = Change.objects.filter(finished_at=None)
    assert set(change.requests.all()) == {first, then}
    approve_all(house)
    for request, state in ((first, "COMPLETED"), (then, "ACTIVE")):
        request.refresh_from_db()
        assert request.state == state
    assert let_in_together(house) == 2


@pytest.mark.one_transaction
def test_a_plan_made_ahead_is_put_aside_where_somebody_took_the_room_since(house: House) -> None:
    first, then = one_after_the_other(house, LITTLE)
    house.work()
    (change,) = Change.objects.filter(finished_at=None)
    PremiumRequest.objects.filter(pk__in=[first.pk, then.pk]).update(rate_bps=5_000_000)
    first.reservation.charges.update(rate_bps=5_000_000, exempt="moved")
    then.reservation.charges.update(rate_bps=5_000_000, exempt="moved")
    changes.approve(actor=house.noc[0], change=change, confirm_gaps=True, reason="read")
    house.work()  # it is put aside at its release
    house.work()  # and planned anew at the next tick
    change.refresh_from_db()
    assert change.finished_at is not None
    assert f"waits until {first.reference} is seen gone" in change.pushes.get().error
    (again,) = Change.objects.filter(finished_at=None)
    assert set(again.requests.all()) == {first}
