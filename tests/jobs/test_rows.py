"""Jobs as rows: one live job per subject, taken by one, taken again when its worker is gone."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from provisioning.errors import LeaseLost, Unreachable
from provisioning.models import Change, Job, JobKind, JobState, RouterLease, RouterPush, RouterSync
from provisioning.services import clock, jobs, leases, pushing
from provisioning.services.jobs import execution
from provisioning.services.leases import Held
from tests.services.test_leases import make_router


@pytest.fixture
def handled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A handler that only notes what it was asked to do."""
    seen: list[int] = []

    def handle(subject: int, _worker: str) -> str:
        seen.append(subject)
        return f"did {subject}"

    monkeypatch.setitem(execution.HANDLERS, JobKind.VERIFY_ROUTER, handle)
    return seen


def expire(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_there_is_one_live_job_per_kind_and_subject(db: None) -> None:
    assert len(jobs.enqueue(JobKind.VERIFY_ROUTER, [7])) == 1
    jobs.enqueue(JobKind.VERIFY_ROUTER, [7])
    jobs.enqueue(JobKind.VERIFY_ROUTER, [8])
    assert sorted(Job.objects.values_list("subject_id", flat=True)) == [7, 8]


def test_a_job_is_due_at_once_by_the_clock_that_claims_it(db: None) -> None:
    """The database's: on a machine whose own clock is ahead, a job would wait for as long as that."""
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        assert len(jobs.enqueue(JobKind.VERIFY_ROUTER, [7])) == 1
    assert jobs.claim(worker="a") is not None


def test_a_job_is_done_once_however_often_its_message_comes(db: None, handled: list[int]) -> None:
    (job,) = jobs.enqueue(JobKind.VERIFY_ROUTER, [7])
    assert jobs.run(job_id=job.pk, worker="a") is True
    assert jobs.run(job_id=job.pk, worker="b") is False
    assert handled == [7]
    job.refresh_from_db()
    assert (job.state, job.outcome) == (JobState.DONE, "did 7")


def test_a_job_whose_worker_died_is_taken_again_and_the_dead_cannot_finish_it(
    db: None, handled: list[int]
) -> None:
    jobs.enqueue(JobKind.VERIFY_ROUTER, [7])
    first = jobs.claim(worker="a")
    assert first is not None
    assert jobs.claim(worker="b") is None
    expire(first)
    second = jobs.claim(worker="b")
    assert second is not None
    assert second.lease_epoch == first.lease_epoch + 1
    jobs.execute(job=first, worker="a")
    second.refresh_from_db()
    assert second.state == JobState.LEASED, "who lost the lease has no say in how it went"
    jobs.execute(job=second, worker="b")
    second.refresh_from_db()
    assert second.state == JobState.DONE


def test_a_push_is_its_workers_for_no_longer_than_the_router_is(db: None, settings: object) -> None:
    settings.ROUTER_LEASE_SECONDS, settings.JOB_LEASE_SECONDS = 6, 30
    jobs.enqueue(JobKind.PUSH, [7])
    jobs.enqueue(JobKind.VERIFY_ROUTER, [7])
    for job in jobs.claim_some(worker="a", most=2):
        job.refresh_from_db()
        assert job.lease_until is not None
        left = (job.lease_until - clock.now()).total_seconds()
        lease = 6 if job.kind == JobKind.PUSH else 30
        assert lease - 2 < left <= lease, job.kind


def test_the_message_of_a_dead_worker_is_not_waited_for(db: None, handled: list[int]) -> None:
    """It was sent before the lease was over, and a broker that gives it back does so at once: it brought nobody."""
    jobs.enqueue(JobKind.VERIFY_ROUTER, [7])
    (job,) = jobs.sendable()
    assert jobs.claim(worker="a", job_id=job.pk) is not None
    assert jobs.sendable() == [], "its worker lives"
    Job.objects.update(
        sent_at=timezone.now() - timedelta(seconds=9), lease_until=timezone.now() - timedelta(seconds=1)
    )
    assert [each.pk for each in jobs.sendable()] == [job.pk], "within one tick"
    assert jobs.sendable() == [], "one message at a time"


def test_who_lost_a_router_has_it_read_again(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The write that it was in the middle of may have reached the router after its successor had looked."""
    router = make_router()
    change = Change.objects.create(kind="baseline", title="any", scheme="6net")
    push = RouterPush.objects.create(change=change, router=router, phase="edges", position=0)

    def lose(_subject: int, _worker: str) -> str:
        raise LeaseLost("taken over", field="router")

    monkeypatch.setitem(execution.HANDLERS, JobKind.PUSH, lose)
    jobs.enqueue(JobKind.PUSH, [push.pk])
    job = jobs.claim(worker="a")
    assert job is not None
    jobs.execute(job=job, worker="a")
    reading = Job.objects.get(kind=JobKind.VERIFY_ROUTER)
    assert (reading.subject_id, reading.state) == (router.pk, JobState.QUEUED)


def test_a_successor_waits_for_the_lease_of_the_dead_and_comes_when_it_is_over(
    db: None, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ROUTER_LEASE_SECONDS, settings.ROUTER_WRITE_SECONDS = 60, 4
    router = make_router()
    change = Change.objects.create(kind="baseline", title="any", scheme="6net")
    row = RouterPush.objects.create(change=change, router=router, phase="edges", position=0, state="PUSHING")
    assert leases.acquire(router=router, owner=f"dead/{row.pk}") is not None
    with pytest.raises(Held) as long:
        pushing._taken(row, "next")
    assert long.value.pause is not None
    assert 50 < long.value.pause < 64, "a save may take its time: the job is given back until then"
    RouterLease.objects.update(until=timezone.now() + timedelta(seconds=0.6))
    asked = time.monotonic()
    lease = pushing._taken(row, "next")
    assert 0.4 < time.monotonic() - asked < 5
    assert lease.epoch == 2
    RouterLease.objects.update(owner="of another push/0", until=timezone.now() + timedelta(seconds=0.6))
    with pytest.raises(Held) as living:
        pushing._taken(row, "next")
    assert living.value.pause is None, "somebody who lives is not waited for in place"


def test_a_job_that_kills_every_worker_is_given_up(db: None, handled: list[int]) -> None:
    jobs.enqueue(JobKind.VERIFY_ROUTER, [7])
    for _ in range(execution.MAX_ATTEMPTS):
        job = jobs.claim(worker="a")
        assert job is not None
        expire(job)
    last = jobs.claim(worker="a")
    assert last is not None
    jobs.execute(job=last, worker="a")
    last.refresh_from_db()
    assert last.state == JobState.FAILED
    assert handled == []


def test_what_a_job_met_is_its_outcome_and_it_waits_longer_each_time(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_subject: int, _worker: str) -> str:
        raise Unreachable("uk6 does not answer")

    monkeypatch.setitem(execution.HANDLERS, JobKind.VERIFY_ROUTER, fails)
    pauses = []
    for _ in range(3):
        asked = clock.now()
        (job,) = jobs.enqueue(JobKind.VERIFY_ROUTER, [7])
        pauses.append((job.available_at - asked).total_seconds())
        Job.objects.filter(pk=job.pk).update(available_at=timezone.now() - timedelta(seconds=1))
        jobs.run(job_id=job.pk, worker="a")
        job.refresh_from_db()
        assert job.state == JobState.FAILED
        assert job.outcome == "unreachable: uk6 does not answer"
    assert pauses[1] >= 4
    assert pauses[2] >= 8


def test_waiting_for_somebody_elses_router_is_neither_failure_nor_attempt(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "HELD_PAUSE_SECONDS", 3600)

    def held(_subject: int, _worker: str) -> str:
        raise Held("uk6 is held")

    monkeypatch.setitem(execution.HANDLERS, JobKind.PUSH, held)
    (job,) = jobs.enqueue(JobKind.PUSH, [7])
    jobs.run(job_id=job.pk, worker="a")
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.QUEUED, 0)
    assert job.available_at > timezone.now()
    assert jobs.claim(worker="a") is None


def test_a_fault_of_ours_is_said_and_does_not_stop_the_worker(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crashes(_subject: int, _worker: str) -> str:
        raise ZeroDivisionError

    monkeypatch.setitem(execution.HANDLERS, JobKind.VERIFY_ROUTER, crashes)
    (job,) = jobs.enqueue(JobKind.VERIFY_ROUTER, [7])
    jobs.run(job_id=job.pk, worker="a")
    job.refresh_from_db()
    assert (job.state, job.outcome) == (JobState.FAILED, "internal error: ZeroDivisionError")


def test_a_message_is_sent_once_and_again_when_it_was_lost(db: None) -> None:
    (job,) = jobs.enqueue(JobKind.VERIFY_ROUTER, [7])
    assert [each.pk for each in jobs.sendable()] == [job.pk]
    assert jobs.sendable() == []
    Job.objects.filter(pk=job.pk).update(sent_at=timezone.now() - timedelta(seconds=31))
    assert [each.pk for each in jobs.sendable()] == [job.pk]


@pytest.mark.django_db(transaction=True)
def test_many_workers_take_every_job_exactly_once(handled: list[int]) -> None:
    for subject in range(20):
        jobs.enqueue(JobKind.VERIFY_ROUTER, [subject])
    start = threading.Barrier(4)

    def work() -> None:
        try:
            start.wait()
            while (job := jobs.claim(worker=threading.current_thread().name)) is not None:
                jobs.execute(job=job, worker=job.lease_owner)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(handled) == list(range(20))
    assert not Job.objects.exclude(state=JobState.DONE).exists()


def test_a_router_is_read_again_after_a_while_unless_that_is_switched_off(db: None, settings: object) -> None:
    router = make_router()
    RouterSync.objects.create(router=router, checked_at=timezone.now() - timedelta(seconds=901))
    settings.VERIFY_SECONDS = 0
    assert jobs.tick() == []
    settings.VERIFY_SECONDS = 900
    assert [(job.kind, job.subject_id) for job in jobs.tick()] == [(JobKind.VERIFY_ROUTER, router.pk)]
    assert jobs.tick() == [], "one is live already"
