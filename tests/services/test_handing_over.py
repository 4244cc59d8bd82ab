"""Two reservations of one link that touch in time: the routers never carry more than its share, told by their own lines."""

from __future__ import annotations

from datetime import timedelta

import pytest

from provisioning.models import Change, PremiumRequest
from provisioning.services import clock
from tests.services.house import House
from tests.services.house import house as house
from tests.soak.service_journal import Replay

MUCH = "5M"  # of a share of 7.75 Mbit/s
PORT = "POS1/0"


def one_after_the_other(house: House, *, stays: bool) -> tuple[PremiumRequest, PremiumRequest]:
    """One that is on and over, and one that begins then; another goes on meanwhile where it `stays`."""
    tomorrow = clock.now() + timedelta(days=1)
    first = house.ask(1, "JANET", 9, rate=MUCH, start=tomorrow)
    house.begin(first)
    then = house.ask(2, "JANET", 9, rate=MUCH, start=first.end)
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
@pytest.mark.parametrize("stays", [False, True])
def test_what_follows_at_once_is_one_plan_and_never_on_beside_what_goes(house: House, stays: bool) -> None:
    first, then = one_after_the_other(house, stays=stays)
    house.work()
    (change,) = Change.objects.filter(finished_at=None)
    assert set(change.requests.all()) == {first, then}
    approve_all(house)
    for request, state in ((first, "COMPLETED"), (then, "ACTIVE")):
        request.refresh_from_db()
        assert request.state == state
    assert let_in_together(house) == 1 + stays
