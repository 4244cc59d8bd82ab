"""A tick asks a bounded number of questions, however much waits."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.models import Router
from provisioning.models import (
    Change,
    Job,
    JobKind,
    PremiumRequest,
    Reservation,
    RouterQueue,
    RouterSync,
    SyncState,
)
from provisioning.services import clock, jobs
from tests.services.requests.sixnet import admitted


def many(request: PremiumRequest, count: int, **fields: object) -> list[PremiumRequest]:
    """So many requests like this one, granted and due."""
    held = Reservation.objects.get(request=request)
    rows = []
    for _ in range(count):
        request.pk, request._state.adding = None, True
        request.twin = None
        for name, value in fields.items():
            setattr(request, name, value)
        request.save()
        PremiumRequest.objects.filter(pk=request.pk).update(**fields)
        rows.append(PremiumRequest.objects.get(pk=request.pk))
    Reservation.objects.bulk_create(
        Reservation(request=row, granted_bps=row.rate_bps, path=held.path) for row in rows
    )
    return rows


def asked_by_a_tick() -> int:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        jobs.tick()
    return len(asked)


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize("put_on", [False, True])
def test_a_tick_asks_no_more_when_ten_times_as_much_is_due(put_on: bool) -> None:
    now = clock.now()
    request = admitted(rate=1000)
    for router in Router.objects.all():
        RouterSync.objects.create(router=router, state=SyncState.DIFFERS, checked_at=now)
    jobs.tick()
    Job.objects.all().delete()
    counts = []
    for count in (6, 60):
        many(request, count, start=now - timedelta(minutes=1), state_changed_at=clock.now())
        if put_on:
            Reservation.objects.filter(put_on_at=None).update(put_on_at=now)
        RouterQueue.objects.update(worked_at=now - timedelta(hours=2), marked_at=None)
        Job.objects.all().delete()
        counts.append(asked_by_a_tick())
    assert Job.objects.filter(kind=JobKind.PLAN_ROUTER).count() == 1, "one router has work, whatever how much"
    assert counts[1] <= counts[0] + 1, counts


@pytest.mark.usefixtures("six")
def test_a_tick_asks_no_more_with_ten_times_as_many_released_changes() -> None:
    counts = []
    for count in (5, 50):
        Change.objects.bulk_create(
            Change(
                kind="baseline", title="t", scheme="6net", released_at=clock.now(), approved_at=clock.now()
            )
            for _ in range(count)
        )
        counts.append(asked_by_a_tick())
    assert counts[1] <= counts[0], counts
