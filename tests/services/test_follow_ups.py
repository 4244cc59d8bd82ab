"""A worker dies after any of its commits: what follows from the end of a push is done all the same, and counts once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.db.transaction import Atomic

from provisioning.errors import ConfigurationLocked
from provisioning.models import AuditEvent, Change, Job, JobKind, RouterLease, RouterPush, RouterQueue
from provisioning.services import changes, jobs, leases, planning, pushing
from provisioning.services.leases import from_now
from tests.services.test_many_at_once import House
from tests.services.test_many_at_once import house as house
from tests.services.test_queues_attacked import due

pytestmark = pytest.mark.once

WRITING = (JobKind.PREFLIGHT, JobKind.PUSH, JobKind.RECOVER)
COMMITS = range(1, 15)
"""More than the jobs of these changes commit together: in the last cases nobody dies."""


class Killed(BaseException):
    """kill -9: nothing after it is done, and no `except Exception` sees it."""


class Mortal:
    """A worker that dies right after its `commits`-th commit in jobs that write to routers."""

    def __init__(self, commits: int) -> None:
        self.left = commits

    @property
    def dead(self) -> bool:
        return self.left <= 0

    @contextmanager
    def at_work(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        leave, release = Atomic.__exit__, leases.release

        def left(atomic: Atomic, exc_type: Any, *rest: Any) -> None:
            leave(atomic, exc_type, *rest)
            if exc_type is None and all(each._from_testcase for each in connection.atomic_blocks):
                self.left -= 1
                if self.left == 0:
                    raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(Atomic, "__exit__", left)
            # Who is gone gives no lease back.
            patch.setattr(leases, "release", lambda lease: None if self.dead else release(lease))
            yield


def work(worker: Mortal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do what is due until nothing is; when the worker dies, time passes and another one goes on."""
    for _ in range(80):
        jobs.tick()
        job = jobs.claim(worker="w")
        if job is None:
            return
        if worker.dead or job.kind not in WRITING:
            jobs.execute(job=job, worker="w")
            continue
        try:
            with worker.at_work(monkeypatch):
                jobs.execute(job=job, worker="w")
        except Killed:
            Job.objects.filter(pk=job.pk).update(lease_until=from_now(-1))
            RouterLease.objects.update(until=from_now(-1000))
    raise AssertionError("the jobs never end")


@pytest.mark.parametrize("commits", COMMITS)
def test_what_could_not_be_sent_is_counted_once_and_its_change_closed(
    house: House, monkeypatch: pytest.MonkeyPatch, commits: int
) -> None:
    request = due(house, 1)

    def busy(*_: object) -> str:
        raise ConfigurationLocked("somebody is configuring")

    monkeypatch.setattr(pushing.course, "attempt", busy)
    monkeypatch.setattr(pushing, "RETRIES", 0)
    change = request.changes.get()
    house.approve(house.noc[0], change)
    work(Mortal(commits), monkeypatch)
    change.refresh_from_db()
    assert change.finished_at is not None
    assert not RouterPush.objects.filter(follow_up_due=True).exists()
    assert RouterQueue.objects.get(router__name="nl6").tries == 1
    events = AuditEvent.objects.filter(action="request.held-out", object_id=str(request.pk))
    assert events.count() == 1


@pytest.mark.parametrize("commits", COMMITS)
def test_a_change_of_which_one_router_refuses_is_over(
    house: House, monkeypatch: pytest.MonkeyPatch, commits: int
) -> None:
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
    work(Mortal(commits), monkeypatch)
    states = dict(change.pushes.values_list("router__name", "state"))
    change.refresh_from_db()
    assert change.finished_at is not None, states
    assert states["nl6"] == "ROLLED_BACK"
    assert set(states.values()) <= {"VERIFIED", "CANCELLED", "ROLLED_BACK"}
    assert not RouterPush.objects.filter(follow_up_due=True).exists()
    assert not Change.objects.filter(finished_at=None).exists()


@pytest.mark.parametrize("commits", range(1, 5))
def test_a_change_that_stops_at_the_gate_is_over(
    house: House, monkeypatch: pytest.MonkeyPatch, commits: int
) -> None:
    """All that is found before the first line is one transaction: it was found, or it is looked for again."""
    request = due(house, 1)
    change = request.changes.get()
    house.approve(house.noc[0], change)
    house.edit("nl6", True)
    work(Mortal(commits), monkeypatch)
    change.refresh_from_db()
    assert change.finished_at is not None
    assert set(change.pushes.values_list("state", flat=True)) <= {"STALE", "CANCELLED"}
    assert RouterQueue.objects.get(router__name="nl6").tries == 1
