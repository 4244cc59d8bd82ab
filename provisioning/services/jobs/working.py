"""The loop of one machine: tick, claim, execute, several side by side."""

from __future__ import annotations

import gc
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress

import structlog
from django.db import Error, close_old_connections

from provisioning.models import Job, JobState
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import heartbeats
from provisioning.services.jobs.execution import claim_some, execute, is_any, worker_name
from provisioning.services.jobs.keeping import Kept
from provisioning.services.jobs.queues import ALL, TICK, kinds_of, lanes
from provisioning.services.jobs.ticking import Ticks

log = structlog.get_logger(__name__)

AT_ONCE = 16
"""Jobs done side by side: most of their time they wait for a router."""
LOOK_SECONDS = 0.25
"""So often a process at rest asks whether another one has made jobs: one question, and hundreds of routers wait for it."""
CLAIMED_AT_ONCE = 4
"""So many jobs are taken by one look, that others who look meanwhile get their share."""


def make_ready() -> None:
    """Load what the first session with a router needs before anybody waits for one; what is loaded by then stays, so the
    collector need not look through it again. For a process that does nothing but jobs.
    """
    import provisioning.drivers.asyncssh
    import provisioning.drivers.netmiko  # noqa: F401

    shared_ios_environment()
    gc.collect()
    gc.freeze()


def work(
    *,
    workers: int = AT_ONCE,
    stop: threading.Event | None = None,
    until_idle: bool = False,
    until: Callable[[], bool] | None = None,
    say: Callable[[str], object] | None = None,
    queues: Sequence[str] = ALL,
) -> int:
    """Do what is due until told to stop, until nothing is, or until `until()`; return how many jobs were done.

    What is under way when `stop` is set is finished first. `say` gets one line for each finished job; `until` is
    asked in every round, several times a second while something is under way. Only jobs of `queues` are taken, and only
    who serves the queue "tick" ticks.
    """
    stop = stop or threading.Event()
    me = worker_name("runjobs")
    kinds, sign, kept = kinds_of(queues), _Sign(queues), Kept()
    ticks = Ticks(serves=TICK in queues, in_haste=until_idle)
    running: dict[Future[None], Job] = {}
    done = 0
    try:
        with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="job") as pool:
            while not stop.is_set() and not (until is not None and until()):
                sign.give()
                started = _tick_and_start(pool, running, workers, me, kinds, ticks, kept)
                pause = min(0.2, ticks.pause(idle=False)) if running else 0
                finished, _ = wait(running, timeout=pause, return_when=FIRST_COMPLETED)
                for future in finished:
                    done += 1
                    _tell(future, running.pop(future), say)
                if finished:
                    ticks.ended()
                if finished or started:
                    continue
                if until_idle and not running and not ticks.owed:
                    break
                if not running:
                    kept.close_old()
                    stop.wait(min(LOOK_SECONDS, ticks.pause(idle=True)))
            for future in wait(running).done:
                done += 1
                _tell(future, running[future], say)
    finally:
        kept.close_all()
    sign.end()
    return done


class _Sign:
    """The sign of life of this process, given every few seconds."""

    def __init__(self, queues: Sequence[str]) -> None:
        self._name = f"runjobs@{socket.gethostname()}:{os.getpid()}"
        self._queues = queues
        self._next = 0.0

    def give(self) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + heartbeats.interval()
            with suppress(Error):
                heartbeats.heard(self._name, self._queues)

    def end(self) -> None:
        with suppress(Error):
            heartbeats.ended(self._name)


def _tick_and_start(
    pool: ThreadPoolExecutor,
    running: dict[Future[None], Job],
    workers: int,
    me: str,
    kinds: Sequence[str],
    ticks: Ticks,
    kept: Kept,
) -> int:
    started = 0
    try:
        close_old_connections()
        ticks.look(idle=not running)
        if len(running) >= workers or not is_any(kinds):
            return 0
        for lane, most in lanes(kinds, [job.kind for job in running.values()], workers):
            full = min(workers, len(running) + most)
            while (room := min(full - len(running), CLAIMED_AT_ONCE)) > 0:
                jobs = claim_some(worker=me, kinds=lane, most=room)
                for job in jobs:
                    running[pool.submit(_in_thread, job, me, kept)] = job
                started += len(jobs)
                if len(jobs) < room:
                    break
    except Error:
        # The database may be restarting; the rows are still there when it is back.
        log.warning("the jobs could not be read; trying again", exc_info=True)
    return started


def _in_thread(job: Job, worker: str, kept: Kept) -> None:
    try:
        execute(job=job, worker=worker)
    finally:
        kept.keep()


def _tell(future: Future[None], job: Job, say: Callable[[str], object] | None) -> None:
    error = future.exception()
    if error is not None:
        # Only the database can fail a job past its own guard; its lease runs out and it is taken again.
        log.error("job left to its lease", job=job.pk, exc_info=error)
        return
    if say is not None:
        if job.state == JobState.LEASED:  # another worker has it by now: what it says is in the row
            try:
                job.refresh_from_db()
            except (Error, Job.DoesNotExist):
                log.warning("how a job went could not be read", job=job.pk, exc_info=True)
                return
        say(f"{job.get_kind_display()} ({job.subject_id}): {job.outcome}")
