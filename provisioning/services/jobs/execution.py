"""Claiming and executing one job. A row is the truth: a lost or doubled message changes nothing.

A job is taken by one conditional UPDATE, so two workers never hold it together; on PostgreSQL `SKIP LOCKED` keeps them
from waiting for each other. While it runs, its lease is renewed (`renewing`); a killed worker stops renewing, the
lease runs out by the database's clock, and the next worker takes the job with a higher epoch.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Any

import structlog
from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from provisioning.errors import ExpediteError, LeaseLost
from provisioning.models import Job, JobKind, JobState, RouterPush
from provisioning.services import (
    failures,
    planning,
    pushing,
    rehearsing,
    retention,
    saving,
    stopping,
    usage,
    verifying,
)
from provisioning.services.jobs.making import LIVE, enqueue
from provisioning.services.jobs.renewing import renewed, until
from provisioning.services.leases import Held, from_now
from provisioning.services.locking import locked, waiting_at_most
from provisioning.services.retrying import is_held
from provisioning.services.stopping import Stopping
from provisioning.services.telling import sending

log = structlog.get_logger(__name__)

MAX_ATTEMPTS = 5
COUNTED_AT_ONCE = 4
"""Jobs that read counters whose messages a broker has at once."""
HELD_PAUSE_SECONDS = 5
LOCK_SECONDS = 20
"""So long a job that is at no router waits for a row that somebody has locked; then it leaves its worker to others for twice
that time.
"""

ROW_HELD = "a row that it needs is locked by another session of the database: it is tried again in a moment"

HANDLERS: dict[str, Callable[[int, str], str]] = {
    JobKind.PLAN_ROUTER: lambda subject, _worker: planning.plan_router(router_id=subject),
    JobKind.PLAN_CHANGE: lambda subject, _worker: planning.plan_change(change_id=subject),
    JobKind.SWEEP: lambda _subject, _worker: planning.sweep(),
    JobKind.PREFLIGHT: lambda subject, _worker: pushing.preflight(change_id=subject),
    JobKind.PUSH: lambda subject, worker: pushing.push(router_push_id=subject, worker=worker),
    JobKind.RECOVER: lambda subject, worker: pushing.recover(router_push_id=subject, worker=worker),
    JobKind.SAVE_AGAIN: lambda subject, _worker: saving.save_again(router_push_id=subject),
    JobKind.FOLLOW_UP: lambda subject, _worker: pushing.follow_up(router_push_id=subject),
    JobKind.VERIFY_ROUTER: lambda subject, _worker: verifying.verify_router_id(router_id=subject).state,
    JobKind.COUNT: lambda subject, _worker: usage.count_router(router_id=subject),
    JobKind.REHEARSE: lambda subject, _worker: rehearsing.rehearse(rehearsal_id=subject),
    JobKind.FAILURES: lambda subject, _worker: failures.work_out(domain_id=subject),
    JobKind.NOTIFY: lambda subject, _worker: sending.send(message_id=subject),
    JobKind.PRUNE: lambda _subject, _worker: retention.said(retention.prune()),
}


def worker_name(label: str = "worker") -> str:
    """A name no other worker, past or present, carries: leases are told apart by it."""
    return f"{label}:{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def _claimable() -> Q:
    return Q(state=JobState.QUEUED, available_at__lte=Now()) | Q(state=JobState.LEASED, lease_until__lt=Now())


def claim(*, worker: str, job_id: int | None = None, kinds: Sequence[str] | None = None) -> Job | None:
    """Take one job (the one named, or the oldest that is due, of these kinds); None when there is none to take."""
    return next(iter(claim_some(worker=worker, most=1, job_id=job_id, kinds=kinds)), None)


def is_any(kinds: Sequence[str]) -> bool:
    """Whether there is a job of these kinds to take: most times that somebody looks there is none."""
    return Job.objects.filter(_claimable(), kind__in=kinds).exists()


def claim_some(
    *, worker: str, most: int, job_id: int | None = None, kinds: Sequence[str] | None = None
) -> list[Job]:
    """Take up to so many jobs, the oldest that are due first. Where there is none, nothing is locked to find that out."""
    waiting = Job.objects.filter(_claimable()).order_by("available_at", "pk")
    if job_id is not None:
        waiting = waiting.filter(pk=job_id)
    if kinds is not None:
        waiting = waiting.filter(kind__in=kinds)
    if most <= 0 or not waiting.exists():
        return []
    with transaction.atomic():
        skipping = connection.features.has_select_for_update_skip_locked
        found = list(locked(waiting, skip_locked=skipping)[:most])
        # Locked, or the only writer: what was read of them is how they are.
        Job.objects.filter(pk__in=[job.pk for job in found]).update(
            state=JobState.LEASED,
            lease_owner=worker,
            lease_epoch=F("lease_epoch") + 1,
            lease_until=until(),
            attempts=F("attempts") + 1,
        )
    for job in found:
        job.state, job.lease_owner = JobState.LEASED, worker
        job.lease_epoch, job.attempts = job.lease_epoch + 1, job.attempts + 1
    return found


def run(*, job_id: int, worker: str) -> bool:
    """Claim the named job and execute it; False when it was not to be had (done already, or somebody has it)."""
    job = claim(worker=worker, job_id=job_id)
    if job is None:
        return False
    execute(job=job, worker=worker)
    return True


def run_subject(*, kind: JobKind, subject_id: int, worker: str) -> bool:
    """Claim the live job about a subject and execute it here; False when somebody else has it, or it is done."""
    found = Job.objects.filter(kind=kind, subject_id=subject_id, state=JobState.QUEUED)
    return any(run(job_id=pk, worker=worker) for pk in found.order_by("pk").values_list("pk", flat=True))


def execute(*, job: Job, worker: str) -> None:
    """Do a claimed job and record how it went; never raises for what the job itself met.

    The outcome is a sentence for the NOC. What is not an ExpediteError is a fault of ours: it is logged with its
    traceback and the row says so, and what the job left behind (a push half way) is found by the next tick.
    """
    try:
        stopping.check()
        with renewed(job):
            if job.attempts > MAX_ATTEMPTS:
                raise ExpediteError(f"given up after {MAX_ATTEMPTS} workers died on it")
            with _waits(job):
                outcome = HANDLERS[job.kind](job.subject_id, worker)
        _finish(job, JobState.DONE, outcome)
    except Held as error:
        _postpone(job, str(error), HELD_PAUSE_SECONDS if error.pause is None else error.pause)
    except Stopping as error:
        _postpone(job, str(error), 0)
    except ExpediteError as error:
        if not _left_for_later(job, error):
            log.warning("job failed", job=job.pk, kind=job.kind, subject=job.subject_id, reason=str(error))
            _finish(job, JobState.FAILED, f"{error.code}: {error}")
            if isinstance(error, LeaseLost):
                _read_again(job)
    except Exception as error:
        if not _left_for_later(job, error):
            log.exception("job crashed", job=job.pk, kind=job.kind, subject=job.subject_id)
            _finish(job, JobState.FAILED, f"internal error: {type(error).__name__}")


def _waits(job: Job) -> AbstractContextManager[None]:
    """How long it waits for rows. A push waits without a bound: to end its session for a row would leave a router half way,
    and the next session would count as one that went wrong.
    """
    at_a_router = job.kind in (JobKind.PUSH, JobKind.RECOVER)
    return nullcontext() if at_a_router else waiting_at_most(LOCK_SECONDS)


def _left_for_later(job: Job, error: Exception) -> bool:
    """Whether a row that somebody has locked was all that was wrong: it is tried again then."""
    if held := is_held(error):
        log.info("job waits for a locked row", job=job.pk, kind=job.kind, subject=job.subject_id)
        _postpone(job, ROW_HELD, 2 * LOCK_SECONDS)
    return held


def sendable(*, resend_after: timedelta = timedelta(seconds=30), most: int = 500) -> list[Job]:
    """Claimable jobs for which no message is under way, marked as sent now; for a broker to carry.

    The message of a worker that died came, or comes again, before its lease was over: then it brings nobody to the job.
    """
    unsent = Q(sent_at__isnull=True) | Q(sent_at__lt=from_now(-resend_after.total_seconds()))
    unsent |= Q(state=JobState.LEASED, sent_at__lt=F("lease_until"))
    # Counters wait behind all else, and at most so many of their messages stand in a queue: nothing waits for them.
    counting = Job.objects.filter(kind=JobKind.COUNT, state__in=LIVE, sent_at__isnull=False).count()
    with transaction.atomic():
        waiting = Job.objects.filter(_claimable()).filter(unsent).order_by("available_at", "pk")
        skipping = connection.features.has_select_for_update_skip_locked
        chosen = list(locked(waiting.exclude(kind=JobKind.COUNT), skip_locked=skipping)[:most])
        if room := max(0, min(COUNTED_AT_ONCE - counting, most - len(chosen))):
            chosen += locked(waiting.filter(kind=JobKind.COUNT), skip_locked=skipping)[:room]
        Job.objects.filter(pk__in=[job.pk for job in chosen]).update(sent_at=Now())
    return chosen


def unsent(jobs: Iterable[Job]) -> None:
    """Their messages did not leave after all: the next tick sends them, not one half a minute later."""
    Job.objects.filter(pk__in=[job.pk for job in jobs]).update(sent_at=None)


def _read_again(job: Job) -> None:
    """A worker that lost its router may have sent one write after its successor had looked: the router is read once more."""
    if job.kind in (JobKind.PUSH, JobKind.RECOVER):
        routers = RouterPush.objects.filter(pk=job.subject_id).values_list("router_id", flat=True)
        enqueue(JobKind.VERIFY_ROUTER, list(routers))


def _finish(job: Job, state: JobState, outcome: str) -> None:
    _put(job, state, outcome, finished_at=Now())


def _postpone(job: Job, outcome: str, pause: float) -> None:
    """Back into the queue: waiting for somebody else, or leaving it to somebody else, is neither a failure nor an attempt."""
    later = from_now(pause) if pause else Now()
    back = {"lease_owner": "", "sent_at": None, "attempts": F("attempts") - 1, "available_at": later}
    _put(job, JobState.QUEUED, outcome, **back)


def _put(job: Job, state: JobState, outcome: str, **fields: Any) -> None:
    """Say how a job went, provided that it is still ours; `job` carries state and outcome then."""
    mine = Job.objects.filter(
        pk=job.pk, state=JobState.LEASED, lease_owner=job.lease_owner, lease_epoch=job.lease_epoch
    )
    if mine.update(state=state, outcome=outcome[:4000], lease_until=None, **fields):
        job.state, job.outcome = state, outcome[:4000]
