"""One row that cannot be dealt with keeps nothing else from being done: not the tick, not the loop, not the others."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, models
from django.utils import timezone

from inventory.models import Router
from provisioning.models import (
    Change,
    Job,
    JobKind,
    JobState,
    PremiumRequest,
    Reservation,
    RouterSync,
    SyncState,
)
from provisioning.services import jobs, requests
from tests.services.requests.sixnet import admitted, hours, import_sixnet, janet


def poison(row: models.Model) -> None:
    """Make the database refuse every write to this row, as a broken row or a hook of its own would."""
    table, name = row._meta.db_table, f"poison_{row.pk}"
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} WHEN old.id = {row.pk} "
                "BEGIN SELECT RAISE(ABORT, 'poisoned'); END"
            )
            return
        cursor.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'poisoned'; END $$"
        )
        cursor.execute(
            f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} FOR EACH ROW WHEN (old.id = {row.pk}) "
            f"EXECUTE FUNCTION {name}()"
        )


def over(request: PremiumRequest) -> PremiumRequest:
    """Its window is over, as if time had passed."""
    PremiumRequest.objects.filter(pk=request.pk).update(start=hours(-2), end=hours(-1))
    return request


def seen(**keys: list[int]) -> None:
    """Every router was read just now and is in sync; it shows these requests."""
    for router in Router.objects.all():
        RouterSync.objects.create(
            router=router,
            state=SyncState.IN_SYNC,
            checked_at=timezone.now() + timedelta(seconds=1),
            detail=keys,
        )


def state_of(request: PremiumRequest) -> str:
    return str(PremiumRequest.objects.values_list("state", flat=True).get(pk=request.pk))


@pytest.mark.usefixtures("six")
def test_one_that_cannot_expire_keeps_none_from_expiring() -> None:
    first, second = over(admitted(rate=1000)), over(admitted(rate=1000))
    poison(first)
    made = jobs.tick()
    assert (state_of(first), state_of(second)) == ("ADMITTED", "EXPIRED")
    router = second.source_link.interface.router_id
    # It never was on a router: that its ingress shows nothing of it is what ends it.
    assert [(job.kind, job.subject_id) for job in made] == [
        (JobKind.PLAN_ROUTER, router),
        (JobKind.VERIFY_ROUTER, router),
    ]


@pytest.mark.usefixtures("six")
def test_one_that_cannot_be_settled_keeps_none_from_being_settled() -> None:
    first, second = (admitted(rate=1000, start=hours(1)) for _ in range(2))
    for request in (first, second):
        PremiumRequest.objects.filter(pk=request.pk).update(start=hours(-1))
        requests.withdraw(actor=janet(), request=request, reason="over")
    Reservation.objects.update(put_on_at=hours(-1), taken_off_at=hours(-0.5))
    poison(first)
    seen(requests_on=[])
    jobs.tick()
    assert (state_of(first), state_of(second)) == ("WITHDRAWN", "COMPLETED")


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize("path", ([{"hop": 1}], [7]))
def test_a_path_that_cannot_be_read_keeps_no_other_promise_from_being_kept(path: object) -> None:
    first, second = admitted(rate=1000), admitted(rate=1000)
    for request in (first, second):
        PremiumRequest.objects.filter(pk=request.pk).update(start=hours(-1))
        Change.objects.create(
            kind="reservation",
            title="t",
            scheme="6net",
            scheme_digest="",
            template_digest="",
            intent_digest="",
        ).requests.add(request)
    Reservation.objects.update(put_on_at=hours(-1))
    Reservation.objects.filter(request=first).update(path=path)
    seen(requests_on=[first.pk, second.pk])
    jobs.tick()
    assert state_of(second) == "ACTIVE"


@pytest.mark.django_db(transaction=True)
def test_the_loop_of_one_machine_goes_on_and_does_the_rest() -> None:
    import_sixnet()
    broken = admitted(rate=1000)
    PremiumRequest.objects.filter(pk=broken.pk).update(start=hours(-1))
    Change.objects.create(
        kind="reservation", title="t", scheme="6net", scheme_digest="", template_digest="", intent_digest=""
    ).requests.add(broken)
    Reservation.objects.filter(request=broken).update(path=[{"hop": 1}])
    router = Router.objects.get(name="uk6")
    RouterSync.objects.create(router=router, checked_at=timezone.now() - timedelta(days=1))
    assert jobs.work(workers=1, until_idle=True) >= 1
    done = Job.objects.filter(kind=JobKind.VERIFY_ROUTER, subject_id=router.pk, state=JobState.DONE)
    assert done.exists(), list(Job.objects.values_list("kind", "state", "outcome"))
