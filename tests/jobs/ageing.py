"""Time that passes for the rows of a worker that was killed or stands still, without anybody waiting for it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from provisioning.models import Job, JobState, RouterLease

# What a worker of a test lives by when nothing is to run out by itself, however busy the machine is.
UNHURRIED = {"ROUTER_TIMEOUT_SECONDS": "60", "ROUTER_LEASE_SECONDS": "60", "JOB_LEASE_SECONDS": "60"}


def let_an_hour_pass() -> None:
    """Let every lease have run out an hour ago, and every message have been sent then. Only with no worker at work."""
    _run_out(timezone.now() - timedelta(hours=1))


def let_all_but_ten_seconds_pass() -> None:
    """Let every job be anybody's, and a router in ten seconds: the time for its last write is not over."""
    _run_out(timezone.now() + timedelta(seconds=10))


def _run_out(routers: datetime) -> None:
    past = timezone.now() - timedelta(hours=1)
    RouterLease.objects.filter(until__isnull=False).update(until=routers)
    Job.objects.filter(state=JobState.LEASED).update(lease_until=past, sent_at=past)
