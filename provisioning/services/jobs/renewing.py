"""How long a worker may be silent before its job is taken over, and the leases of the jobs that a process has under way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import Case, Q, When
from django.db.models.expressions import Combinable

from provisioning.models import Job, JobState
from provisioning.services.jobs.queues import PUSH, kinds_of, queue_of
from provisioning.services.leases import from_now
from provisioning.services.renewing import Renewer


def lease_seconds(kind: str) -> float:
    """How long a job of this kind is its worker's without a sign of life: of one that writes to a router no longer than the
    router is.
    """
    return float(settings.ROUTER_LEASE_SECONDS if queue_of(kind) == PUSH else settings.JOB_LEASE_SECONDS)


def until() -> Combinable:
    """When the lease of a job ends that begins now, as an expression over its row."""
    return Case(
        When(kind__in=kinds_of([PUSH]), then=from_now(settings.ROUTER_LEASE_SECONDS)),
        default=from_now(settings.JOB_LEASE_SECONDS),
    )


def renew(jobs: Sequence[Job]) -> int:
    """Extend the leases of these jobs, those that are still ours; how many were. One statement."""
    ours = (Q(pk=job.pk, lease_owner=job.lease_owner, lease_epoch=job.lease_epoch) for job in jobs)
    return Job.objects.filter(reduce(or_, ours), state=JobState.LEASED).update(lease_until=until())


def _every(jobs: Sequence[Job]) -> float:
    return min(lease_seconds(job.kind) for job in jobs) / 3


_renewer = Renewer[Job]("leases-of-jobs", _every, renew)


@contextmanager
def renewed(job: Job) -> Iterator[None]:
    """Keep the job's lease alive while the body runs; one that was lost stays lost."""
    with _renewer.renewed(job):
        yield
