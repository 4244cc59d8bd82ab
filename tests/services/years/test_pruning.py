"""A prune is bounded in statements and memory, says beforehand what would go, and runs by the clock."""

from __future__ import annotations

import io
import json
import tracemalloc
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inventory.models import Router
from provisioning.models import (
    ConfigSnapshot,
    Job,
    JobKind,
    JobState,
)
from provisioning.pipeline.states import PushState
from provisioning.services import jobs, retention
from tests.services.years.aged import YEARS, aged, gone, job, push, snapshot

pytestmark = pytest.mark.django_db


def many_jobs(count: int) -> None:
    ended = timezone.now() - timedelta(days=40)
    Job.objects.bulk_create(
        (
            Job(
                kind=JobKind.VERIFY_ROUTER,
                subject_id=number,
                state=JobState.DONE,
                available_at=ended,
                finished_at=ended,
            )
            for number in range(count)
        ),
        batch_size=1000,
    )


def test_statements_grow_with_batches_and_not_with_rows() -> None:
    counted = []
    for count in (1000, 4000):
        many_jobs(count)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert gone("verification jobs") == count
        counted.append(len(queries))
    assert (counted[1] - counted[0]) / (3000 / 500) <= 4
    assert counted[0] < 110


def test_the_texts_of_what_goes_are_not_read(network: Router) -> None:
    """60 MB of running-configs leave, and never more than a few of them are in memory."""
    for _ in range(10):
        ConfigSnapshot.objects.bulk_create(
            ConfigSnapshot(router=network, text="x" * 200_000, digest="1" * 64) for _ in range(30)
        )
    ConfigSnapshot.objects.update(taken_at=timezone.now() - YEARS)
    tracemalloc.start()
    try:
        assert gone("snapshots") == 299
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000


def test_a_dry_run_says_what_would_go_and_writes_nothing(network: Router) -> None:
    job(JobKind.VERIFY_ROUTER, JobState.DONE, timedelta(hours=7))
    kept = job(JobKind.VERIFY_ROUTER, JobState.DONE, timedelta(hours=2))
    out = io.StringIO()
    call_command("prune", "--dry-run", "--json", stdout=out)
    said = json.loads(out.getvalue())
    row = next(each for each in said["kinds"] if each["kind"] == "verification jobs")
    assert (said["dry_run"], row["rows"], row["gone"]) == (True, 2, 1)
    assert row["oldest"] == kept.created_at.isoformat()
    assert Job.objects.count() == 2
    out = io.StringIO()
    call_command("prune", stdout=out)
    assert Job.objects.get() == kept
    assert "verification jobs" in out.getvalue() and "6 hours" in out.getvalue()


def pruning() -> list[Job]:
    """What a tick makes of jobs that prune."""
    return [made for made in jobs.tick() if made.kind == JobKind.PRUNE]


def test_the_clock_prunes_once_an_hour() -> None:
    job(JobKind.VERIFY_ROUTER, JobState.DONE, timedelta(minutes=5))
    assert pruning() == []  # nothing is an hour old yet
    old = job(JobKind.VERIFY_ROUTER, JobState.DONE, timedelta(hours=8))
    (made,) = pruning()
    assert pruning() == []
    assert jobs.run(job_id=made.pk, worker="test")
    made.refresh_from_db()
    assert (made.state, made.outcome) == (JobState.DONE, "pruned 1 row of verification jobs")
    assert not Job.objects.filter(pk=old.pk).exists()
    assert pruning() == []
    aged(made, timedelta(hours=2), "created_at")
    assert len(pruning()) == 1


def test_what_cannot_go_is_said_and_keeps_nothing_else(
    network: Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that something came to refer to meanwhile stays with its batch; the kinds after it are pruned."""
    used = snapshot(network, YEARS)
    snapshot(network, timedelta(days=200))
    push(network, PushState.STALE, timezone.now() - YEARS, before=used)
    Session.objects.create(session_key="old", session_data="", expire_date=timezone.now() - timedelta(days=2))
    careless = [
        kind
        if kind.name != "snapshots"
        else retention.Kind(
            kind.name,
            kind.setting,
            kind.unit,
            kind.keeps,
            kind.at,
            kind.rows,
            lambda rows, before: rows.filter(pk=used.pk),
        )
        for kind in retention.KINDS
    ]
    found = {each.kind: each for each in retention.prune(kinds=careless)}
    assert "referred to" in found["snapshots"].left
    assert found["sessions"].gone == 1
    assert ConfigSnapshot.objects.filter(pk=used.pk).exists()
