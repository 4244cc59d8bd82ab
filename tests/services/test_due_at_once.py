"""Many reservations that begin and end in one minute: a tick makes jobs of all, and asks as often for many as for few."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from inventory.models import Router
from provisioning.models import Change, ChangeKind, Job, JobKind, LedgerEntry, PremiumRequest, RouterQueue
from provisioning.pipeline.queue import Member, Work
from provisioning.pipeline.states import RequestState
from provisioning.services import clock, guarding
from provisioning.services.jobs import due, tick
from tests.services.ring import all_in_sync, reserve, ring

SIZE = 12


def _due(per_router: int) -> datetime:
    """So many reservations begin on each router now, and as many end."""
    now = clock.now()
    ring(SIZE)
    all_in_sync()
    tick()  # notes the network; what is due is asked for after it
    pairs = [(number % SIZE, (number + 1) % SIZE) for number in range(SIZE * per_router)]
    over, comes = reserve(pairs, SIZE), reserve(pairs, SIZE, state=RequestState.ADMITTED)
    PremiumRequest.objects.filter(pk__in=[row.pk for row in over]).update(end=now)
    PremiumRequest.objects.filter(pk__in=[row.pk for row in comes]).update(start=now)
    earlier = now - timedelta(hours=2)
    PremiumRequest.objects.update(state_changed_at=earlier)
    RouterQueue.objects.bulk_create(
        RouterQueue(router=router, look_at=now, worked_at=earlier) for router in Router.objects.all()
    )
    return now


def _asked_by_two_ticks(per_router: int) -> int:
    with transaction.atomic():
        _due(per_router)
        with CaptureQueriesContext(connection) as asked:
            tick()
            tick()
        expired = PremiumRequest.objects.filter(state=RequestState.EXPIRED).count()
        assert expired == SIZE * per_router
        assert Job.objects.filter(kind=JobKind.PLAN_ROUTER).count() == SIZE
        transaction.set_rollback(True)
    return len(asked)


@pytest.mark.django_db
@pytest.mark.one_transaction
def test_ticks_ask_as_often_for_ten_times_as_much_that_is_due() -> None:
    few = _asked_by_two_ticks(1)
    # SQLite takes a limited number of values in one statement, so the events of 120 go in three.
    assert _asked_by_two_ticks(10) <= few + 2
    assert few < 120


@pytest.mark.django_db
def test_what_has_a_job_keeps_nobody_from_getting_one(monkeypatch: pytest.MonkeyPatch) -> None:
    _due(1)
    monkeypatch.setattr(due, "AT_ONCE", 5)
    for jobs in (5, 10, 12, 12):
        tick()
        assert Job.objects.filter(kind=JobKind.PLAN_ROUTER).count() == jobs


@pytest.mark.django_db
def test_only_what_touches_something_over_on_a_link_may_have_to_wait() -> None:
    now = clock.now()
    ring(SIZE)
    (over,) = reserve([(0, 1)], SIZE)
    PremiumRequest.objects.filter(pk=over.pk).update(state=RequestState.EXPIRED)
    beside, elsewhere = reserve([(0, 1), (5, 6)], SIZE, state=RequestState.ADMITTED)

    def change(takes_off: list[int], *requests: PremiumRequest) -> int:
        row = Change.objects.create(kind=ChangeKind.RESERVATION, title="t", takes_off=takes_off)
        row.requests.set(requests)
        return row.pk

    waits, free, together = change([], beside), change([], elsewhere), change([over.pk], over, beside)
    only_off = change([over.pk], over)
    assert guarding.may_wait([waits, free, together, only_off], now) == {waits}
    with CaptureQueriesContext(connection) as asked:
        guarding.may_wait([waits, free, together, only_off], now)
    assert len(asked) == 3
    planned = [Work(Member(pk, True), now) for pk in (beside.pk, elsewhere.pk)]
    with CaptureQueriesContext(connection) as asked:
        guarding.must_wait(planned, now)
    # Where the database has no statistics of the rows yet, that is every charge with every other: minutes at a few hundred.
    if connection.vendor == "postgresql":  # SQLite unites what overlaps a window from one query a length
        twice = f'FROM "{LedgerEntry._meta.db_table}"'
        assert not [each["sql"] for each in asked if each["sql"].count(twice) > 1]
