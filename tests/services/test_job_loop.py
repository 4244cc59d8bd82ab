"""The loop that does jobs asks the database no more than it has to: ticks, claims, leases and connections."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from provisioning.models import Job, JobKind, JobState
from provisioning.services import heartbeats, jobs
from provisioning.services.jobs import execution, renewing, ticking
from provisioning.services.jobs.ticking import Ticks


class Looked:
    """What a process looked for, by a clock that the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.said: list[str] = []
        self.heard = -math.inf
        self.checked = 0
        monkeypatch.setattr(ticking.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(ticking, "tick", self.tick)
        monkeypatch.setattr(ticking, "tick_after_jobs", lambda: self.said.append("after jobs"))
        monkeypatch.setattr(ticking.versions, "check", self.check)
        monkeypatch.setattr(ticking.heartbeats, "ticked_within", lambda last: self.heard > self.now - last)

    def tick(self) -> None:
        self.said.append("all")
        self.heard = self.now + 0.02

    def check(self) -> None:
        self.checked += 1


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch, settings: object) -> Looked:
    settings.TICK_SECONDS = 2
    return Looked(monkeypatch)


def test_many_jobs_that_end_together_are_one_look(looked: Looked) -> None:
    ticks = Ticks(serves=True)
    ticks.look(idle=False)
    assert looked.said == ["all"]
    for _ in range(40):
        looked.now += 0.01
        ticks.ended()
        ticks.look(idle=False)
    assert looked.said in (["all"] + ["after jobs"] * count for count in (3, 4)), "four tenths of a second"
    looked.now += 2
    ticks.look(idle=False)
    assert looked.said[-1] == "all"


def test_what_the_only_job_made_due_is_found_at_once(looked: Looked) -> None:
    ticks = Ticks(serves=True)
    ticks.look(idle=True)
    looked.now += 0.5
    ticks.look(idle=True)
    assert looked.said == ["all"]
    ticks.ended()
    assert ticks.pause(idle=True) == 0
    ticks.look(idle=True)
    assert looked.said == ["all", "all"] and not ticks.owed


def test_the_last_of_many_jobs_is_followed_by_a_look_at_everything(looked: Looked) -> None:
    ticks = Ticks(serves=True)
    ticks.look(idle=True)
    looked.now += 0.5
    ticks.ended()
    ticks.look(idle=False)
    assert looked.said == ["all", "after jobs"] and ticks.owed
    assert ticks.pause(idle=True) == pytest.approx(0.1)
    looked.now += 0.11
    ticks.look(idle=True)
    assert looked.said == ["all", "after jobs", "all"] and not ticks.owed


def test_a_process_at_rest_leaves_the_processor_to_those_at_work(
    looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tick() -> None:
        looked.said.append("all")
        looked.now += 0.08  # so long a look at all that is due takes

    monkeypatch.setattr(ticking, "tick", tick)
    for in_haste, after in ((False, "after jobs"), (True, "all")):
        looked.said.clear()
        ticks = Ticks(serves=True, in_haste=in_haste)
        ticks.look(idle=True)
        looked.now += 0.2
        ticks.ended()
        ticks.look(idle=True)
        assert looked.said == ["all", after], "what its job made due is found at once either way"
        looked.now += 0.3
        ticks.look(idle=True)
        assert looked.said == ["all", after]
        looked.now += 0.35
        ticks.look(idle=True)
        assert looked.said == (["all", after, "all"] if not in_haste else ["all", after]) and not ticks.owed


def test_what_another_process_looked_for_is_not_looked_for_again(looked: Looked) -> None:
    ticks = Ticks(serves=True)
    ticks.look(idle=True)
    for _ in range(5):
        looked.now += 2
        ticks.look(idle=True)
    assert looked.said == ["all"] * 6, "its own tick is not taken for that of another"
    looked.checked = 0
    for _ in range(5):
        looked.now += 2
        looked.heard = looked.now - 1
        ticks.look(idle=True)
    assert looked.said == ["all"] * 6 and looked.checked == 5, (
        "but its version is held against the database's"
    )
    ticks.ended()
    looked.now += 0.2
    looked.heard = looked.now
    ticks.look(idle=False)
    assert looked.said[6:] == ["after jobs"]
    looked.now += 0.2
    ticks.look(idle=True)
    assert looked.said[7:] == ["all"], "what its last job made due is looked for all the same"
    looked.now += 2
    ticks.look(idle=True)
    assert looked.said[8:] == ["all"], "the other one is gone"


def test_a_slow_tick_of_its_own_is_not_taken_for_that_of_another(
    looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tick() -> None:
        looked.now += 0.7
        looked.tick()
        looked.heard = looked.now  # a sign of life is given at the end of it

    monkeypatch.setattr(ticking, "tick", tick)
    ticks = Ticks(serves=True)
    for _ in range(4):
        ticks.look(idle=False)
        looked.now += ticks.pause(idle=False)
    assert looked.said == ["all"] * 4, "every two seconds, however long it takes"
    looked.heard = looked.now - 0.5
    ticks.look(idle=False)
    assert looked.said == ["all"] * 4, "another one did meanwhile"


def test_who_does_not_serve_the_tick_never_ticks(looked: Looked) -> None:
    ticks = Ticks(serves=False)
    ticks.ended()
    ticks.look(idle=True)
    assert looked.said == [] and not ticks.owed and ticks.pause(idle=True) == 2


def test_a_tick_that_sends_nothing_is_not_taken_for_one_that_does(db: None, settings: object) -> None:
    settings.PUSH_ENABLED = False
    assert not heartbeats.ticked_within(10)
    jobs.tick()
    assert heartbeats.ticked_within(10) and not heartbeats.ticked_within(-1)
    settings.PUSH_ENABLED = True
    assert not heartbeats.ticked_within(10)
    jobs.tick()
    assert heartbeats.ticked_within(10)


def asked(deed: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        deed()
    return [query["sql"] for query in queries]


def test_several_jobs_are_taken_in_as_many_statements_as_one(db: None) -> None:
    assert len(asked(lambda: jobs.claim_some(worker="w", most=4))) == 1, "nothing is locked to find nothing"
    jobs.enqueue(JobKind.FAILURES, range(1, 10))
    few = asked(lambda: jobs.claim_some(worker="w", most=1))
    taken: list[Job] = []
    assert len(asked(lambda: taken.extend(jobs.claim_some(worker="v", most=4)))) == len(few)
    assert [job.subject_id for job in taken] == [2, 3, 4, 5]
    for job in taken:
        row = Job.objects.get(pk=job.pk)
        assert (row.state, row.lease_owner, row.lease_epoch, row.attempts) == (JobState.LEASED, "v", 1, 1)
        assert (job.state, job.lease_owner, job.lease_epoch, job.attempts) == (JobState.LEASED, "v", 1, 1)
    assert [job.subject_id for job in jobs.claim_some(worker="u", most=9)] == [6, 7, 8, 9]


def test_all_leases_are_renewed_in_one_statement_and_a_lost_one_stays_lost(db: None) -> None:
    jobs.enqueue(JobKind.FAILURES, range(1, 4))
    mine = jobs.claim_some(worker="w", most=3)
    soon = timezone.now() + timedelta(seconds=1)
    Job.objects.update(lease_until=soon)
    Job.objects.filter(pk=mine[1].pk).update(lease_owner="another", lease_epoch=2)
    assert len(asked(lambda: renewing.renew(mine))) == 1
    later = Job.objects.filter(lease_until__gt=soon + timedelta(seconds=5))
    assert set(later.values_list("pk", flat=True)) == {mine[0].pk, mine[2].pk}


def test_a_lease_is_renewed_while_its_job_is_under_way_and_no_thread_is_left(
    transactional_db: None, settings: object
) -> None:
    settings.JOB_LEASE_SECONDS = 0.6
    jobs.enqueue(JobKind.FAILURES, [1, 2])
    first, second = jobs.claim_some(worker="w", most=2)
    with renewing.renewed(first):
        with renewing.renewed(second):
            assert sum(thread.name == "leases-of-jobs" for thread in threading.enumerate()) == 1
        time.sleep(1)
        rows = {job.pk: job.lease_until for job in Job.objects.all()}
        assert rows[first.pk] > timezone.now() - timedelta(seconds=0.1), "several times its lease later"
        assert rows[second.pk] < timezone.now() - timedelta(seconds=0.2), "it was over"
    until = time.monotonic() + 10
    while any(thread.name == "leases-of-jobs" for thread in threading.enumerate()):
        assert time.monotonic() < until, "its thread ends with the last job"
        time.sleep(0.01)


def test_a_job_that_another_took_over_is_left_to_that_one(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.enqueue(JobKind.FAILURES, [1])
    (job,) = jobs.claim_some(worker="w", most=1)

    def lose(subject: int, worker: str) -> str:
        Job.objects.filter(subject_id=subject).update(lease_owner="another", lease_epoch=2)
        return f"done by {worker}"

    monkeypatch.setitem(execution.HANDLERS, JobKind.FAILURES, lose)
    jobs.execute(job=job, worker="w")
    row = Job.objects.get()
    assert (row.state, row.lease_owner, row.outcome) == (JobState.LEASED, "another", "")
    assert job.state == JobState.LEASED, "what became of it is in its row"


@pytest.mark.django_db(transaction=True)
def test_a_thread_keeps_its_connection_from_job_to_job(
    postgres: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 60)
    monkeypatch.setitem(connection.settings_dict, "CONN_HEALTH_CHECKS", True)
    backends: list[int] = []

    def work(_subject: int, _worker: str) -> str:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            backends.append(cursor.fetchone()[0])
        return ""

    monkeypatch.setitem(execution.HANDLERS, JobKind.FAILURES, work)
    jobs.enqueue(JobKind.FAILURES, [1, 2])
    jobs.work(workers=1, until_idle=True)
    assert len(backends) == 2 and backends[0] == backends[1]
    until = time.monotonic() + 10
    while is_open(backends[0]):
        assert time.monotonic() < until, "closed when the loop ended"


def is_open(backend: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", [backend])
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_a_job_after_the_database_ended_the_connection_is_done(
    postgres: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 60)
    monkeypatch.setitem(connection.settings_dict, "CONN_HEALTH_CHECKS", True)
    backends: list[int] = []
    said: list[str] = []

    def work(_subject: int, _worker: str) -> str:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            backends.append(cursor.fetchone()[0])
        return "done"

    def end(sentence: str) -> None:
        """Between two jobs, from another thread than theirs: what a restart is to the one that waits for its next job."""
        said.append(sentence)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [backends[-1]])
        if len(said) == 1:
            jobs.enqueue(JobKind.FAILURES, [2])

    monkeypatch.setitem(execution.HANDLERS, JobKind.FAILURES, work)
    jobs.enqueue(JobKind.FAILURES, [1])
    jobs.work(workers=1, until_idle=True, say=end)
    assert len(backends) == 2 and backends[0] != backends[1]
    assert [job.outcome for job in Job.objects.all()] == ["done", "done"]
