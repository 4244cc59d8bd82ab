"""The leases of the jobs that a process has under way, renewed by one thread in one statement."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from operator import or_

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Q

from provisioning.models import Job, JobState
from provisioning.services.leases import from_now

log = structlog.get_logger(__name__)


class _Renewer:
    """Begins its thread with the first job and ends it with the last, so a process that was forked has its own."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._under_way: dict[object, Job] = {}
        self._thread: threading.Thread | None = None

    def add(self, key: object, job: Job) -> None:
        with self._changed:
            self._under_way[key] = job
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._renew, name="leases-of-jobs", daemon=True)
                self._thread.start()

    def remove(self, key: object) -> None:
        with self._changed:
            del self._under_way[key]
            self._changed.notify()

    def _renew(self) -> None:
        while jobs := self._after_a_third():
            try:
                renew(jobs)
            except DatabaseError:
                said = [job.pk for job in jobs]
                log.warning("leases of jobs not renewed; trying again", jobs=said, exc_info=True)
            finally:
                connection.close()

    def _after_a_third(self) -> list[Job]:
        """Wait for a third of a lease; what is under way then. With nothing left the thread ends, and is known to."""
        with self._changed:
            self._changed.wait_for(lambda: not self._under_way, settings.JOB_LEASE_SECONDS / 3)
            if not self._under_way:
                self._thread = None
            return list(self._under_way.values())


def renew(jobs: list[Job]) -> int:
    """Extend the leases of these jobs, those that are still ours; how many were. One statement."""
    ours = (Q(pk=job.pk, lease_owner=job.lease_owner, lease_epoch=job.lease_epoch) for job in jobs)
    mine = Job.objects.filter(reduce(or_, ours), state=JobState.LEASED)
    return mine.update(lease_until=from_now(settings.JOB_LEASE_SECONDS))


_renewer = _Renewer()


@contextmanager
def renewed(job: Job) -> Iterator[None]:
    """Keep the job's lease alive while the body runs; one that was lost stays lost."""
    key = object()
    _renewer.add(key, job)
    try:
        yield
    finally:
        _renewer.remove(key)
