"""A worker dies after any of its commits: what follows from the end of a push is done all the same, and counts once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.db import transaction

from provisioning.errors import ConfigurationLocked
from provisioning.models import AuditEvent, Change, Job, JobKind, RouterLease, RouterPush, RouterQueue
from provisioning.services import changes, jobs, planning, pushing
from provisioning.services.leases import Held, from_now
from tests.depth import sample
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house
from tests.services.mortal import Deed, Killed, Mortal
from tests.services.test_queues_attacked import due

pytestmark = [pytest.mark.once, pytest.mark.one_transaction]

WRITING = (JobKind.PREFLIGHT, JobKind.PUSH, JobKind.RECOVER)
COMMIT = frozenset({Deed.COMMIT})
COMMITS = sample(range(1, 11), one_in=3)
"""More than the jobs of these changes commit together: in the last courses nobody dies."""


def work(worker: Mortal) -> None:
    """Do what is due until nothing is; when the worker dies, time passes and another one goes on."""
    for _ in range(80):
        job = jobs.claim(worker="w")
        if job is None:
            jobs.tick()
            job = jobs.claim(worker="w")
        if job is None:
            return
        if worker.dead or job.kind not in WRITING:
            jobs.execute(job=job, worker="w")
            continue
        try:
            with worker.at_work():
                jobs.execute(job=job, worker="w")
        except Killed:
            Job.objects.filter(pk=job.pk).update(lease_until=from_now(-1))
            RouterLease.objects.update(until=from_now(-1000))
    raise AssertionError("the jobs never end")


class _Undo(Exception):
    """Ends a course: all that it wrote is rolled back."""


@contextmanager
def course(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Routers and rows as the baseline left them; both are put back."""
    house.routers.restore()
    with suppress(_Undo), transaction.atomic(), monkeypatch.context() as patch:
        yield patch
        raise _Undo


def test_what_could_not_be_sent_is_counted_once_and_its_change_closed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for commits in COMMITS:
        with course(house, monkeypatch) as patch:
            _nothing_sent(house, patch, commits)


def _nothing_sent(house: House, monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    request = due(house, 1)

    def busy(*_: object) -> str:
        raise ConfigurationLocked("somebody is configuring")

    monkeypatch.setattr(pushing.course, "attempt", busy)
    monkeypatch.setattr(pushing, "RETRIES", 0)
    change = request.changes.get()
    house.approve(house.noc[0], change)
    work(Mortal(commits, counted=COMMIT))
    change.refresh_from_db()
    assert change.finished_at is not None, commits
    assert not RouterPush.objects.filter(follow_up_due=True).exists(), commits
    assert RouterQueue.objects.get(router__name="nl6").tries == 1, commits
    events = AuditEvent.objects.filter(action="request.held-out", object_id=str(request.pk))
    assert events.count() == 1, commits


def test_a_change_of_which_one_router_refuses_is_over(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for commits in COMMITS:
        with course(house, monkeypatch) as patch:
            _one_refuses(house, patch, commits)


def _one_refuses(house: House, monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    """Somebody took a policy off an interface of both; one refuses it: on the other it is on again, or not begun."""
    house.routers.type("uk6", "interface POS2/0", "no service-policy output my_policy")
    house.routers.type("nl6", "interface POS2/0", "no service-policy output my_policy")
    house.routers.devices["nl6"].faults.add(
        {
            "kind": "refuse",
            "match": "service-policy output",
            "times": 1,
            "message": "% Invalid input detected",
        }
    )
    change = planning.plan_domain(actor=house.noc[0])
    changes.approve(actor=house.noc[1], change=change, confirm_gaps=True)
    changes.release(actor=house.noc[1], change=change)
    work(Mortal(commits, counted=COMMIT))
    states = dict(change.pushes.values_list("router__name", "state"))
    change.refresh_from_db()
    assert change.finished_at is not None, (commits, states)
    assert states["nl6"] == "ROLLED_BACK", commits
    assert set(states.values()) <= {"VERIFIED", "CANCELLED", "ROLLED_BACK"}, commits
    assert not RouterPush.objects.filter(follow_up_due=True).exists(), commits
    assert not Change.objects.filter(finished_at=None).exists(), commits


def test_a_change_that_stops_at_the_gate_is_over(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is found before the first line is one transaction: it was found, or it is looked for again."""
    for commits in COMMITS[:2]:
        with course(house, monkeypatch) as patch:
            _stops_at_the_gate(house, patch, commits)


def _stops_at_the_gate(house: House, monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    change = due(house, 1).changes.get()
    house.approve(house.noc[0], change)
    house.edit("nl6", True)
    work(Mortal(commits, counted=COMMIT))
    change.refresh_from_db()
    assert change.finished_at is not None, commits
    assert set(change.pushes.values_list("state", flat=True)) <= {"STALE", "CANCELLED"}, commits
    assert RouterQueue.objects.get(router__name="nl6").tries == 1, commits


def test_what_was_interrupted_is_finished_before_anybody_else_writes_to_the_router(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another change altered what the interrupted one touches: how far that got could not be told, and it never ended."""
    begun = 0
    for commits in COMMITS:
        with course(house, monkeypatch) as patch:
            begun += _interrupted(house, patch, commits)
    assert begun, "no course left the repair half way"


def _both_ready(house: House) -> tuple[RouterPush, RouterPush]:
    """The push of a reservation and the last one of a repair, on the same router, each of which may be sent now."""
    reservation = due(house, 1).changes.get()
    house.approve(house.noc[0], reservation)
    changes.release(actor=house.noc[0], change=reservation)
    pushing.preflight(change_id=reservation.pk)
    house.routers.type("nl6", "interface POS2/0", "no service-policy output my_policy")
    repair = planning.plan_domain(actor=house.noc[0], routers=["nl6"])
    changes.approve(actor=house.noc[1], change=repair, confirm_gaps=True)
    changes.release(actor=house.noc[1], change=repair)
    edges, core = repair.pushes.order_by("position")
    pushing.preflight(change_id=repair.pk)
    pushing.push(router_push_id=edges.pk, worker="w")
    pushing.preflight(change_id=repair.pk)
    return reservation.pushes.get(), core


def _interrupted(house: House, monkeypatch: pytest.MonkeyPatch, commits: int) -> bool:
    other, core = _both_ready(house)
    with suppress(Killed), Mortal(commits, counted=COMMIT).at_work():
        pushing.push(router_push_id=core.pk, worker="w")
    RouterLease.objects.update(until=from_now(-1000))
    core.refresh_from_db()
    begun = core.state in ("PUSHING", "PUSHED")
    if begun:
        with pytest.raises(Held, match="finished or taken back first"):
            pushing.push(router_push_id=other.pk, worker="v")
    house.work()
    core.refresh_from_db()
    assert core.state == "VERIFIED", commits
    assert not RouterPush.objects.filter(state__in=("UNKNOWN", "PUSHING", "PUSHED")).exists(), commits
    return begun


def test_what_lost_its_session_is_finished_before_anybody_else_writes_to_the_router(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is UNKNOWN then; another change wrote between its lines, and saved them."""
    monkeypatch.setattr(pushing, "PAUSE_SECONDS", 0)
    other, core = _both_ready(house)
    with monkeypatch.context() as patch:
        patch.setattr(pushing, "RETRIES", 0)
        house.routers.breaks["nl6"] = 1
        pushing.push(router_push_id=core.pk, worker="w")
    core.refresh_from_db()
    assert (core.state, core.error_code) == ("UNKNOWN", "session-lost"), core.error
    with pytest.raises(Held, match="finished or taken back first"):
        pushing.push(router_push_id=other.pk, worker="v")
    other.refresh_from_db()
    assert other.started_at is None
    house.work()
    core.refresh_from_db()
    assert core.state == "VERIFIED", core.error
    assert not RouterPush.objects.filter(state__in=("UNKNOWN", "PUSHING", "PUSHED")).exists()


def test_a_change_may_be_cancelled_while_the_gate_looks(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by the soak: cancelled between two reads of its pushes, the second of which found none."""
    house.routers.type("nl6", "interface POS2/0", "no service-policy output my_policy")
    change = planning.plan_domain(actor=house.noc[0], routers=["nl6"])
    changes.approve(actor=house.noc[1], change=change, confirm_gaps=True)
    changes.release(actor=house.noc[1], change=change)
    look = pushing.gate.next_phase

    def cancelled(pushes: Any) -> Any:
        found = look(pushes)
        changes.cancel(actor=house.noc[1], change=change, reason="not tonight")
        return found

    monkeypatch.setattr(pushing.gate, "next_phase", cancelled)
    assert pushing.preflight(change_id=change.pk) == "no phase of this change can start"
    change.refresh_from_db()
    assert change.cleared_phase == ""
    assert list(change.pushes.values_list("phase", "state")) == [("core-on", "CANCELLED")]
