"""Somebody left a session open over a row (`BEGIN; UPDATE ...`, then coffee): what is due besides is done all the same."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from django.db.models import Model

from provisioning.models import Job, JobKind, PremiumRequest
from provisioning.services import jobs, planning
from provisioning.services.apart import apart
from provisioning.services.jobs import due, execution
from provisioning.services.locking import locked, waiting_at_most
from tests.services.requests.sixnet import hours, noc, submitted

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("postgres", "six_for_all"),
]


@contextmanager
def left_locked(row: Model) -> Iterator[None]:
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            locked(type(row)._default_manager.filter(pk=row.pk)).get()
            held.set()
            over.wait(60)
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(30)
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_row_that_somebody_holds_keeps_the_tick_from_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    request, free = submitted(end=hours(5)), submitted(end=hours(5))
    PremiumRequest.objects.update(start=hours(-2), end=hours(-1))
    asked = planning.ask_for_plan(actor=noc())
    monkeypatch.setattr(due, "LOCK_SECONDS", 1)
    began = time.monotonic()
    with left_locked(request):
        jobs.tick()
        assert time.monotonic() - began < 30
        assert Job.objects.filter(kind=JobKind.PLAN_CHANGE, subject_id=asked.pk).exists()
        for row in (request, free):
            row.refresh_from_db()
        assert (request.state, free.state) == ("SUBMITTED", "EXPIRED")
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("0",)
    jobs.tick()
    for row in (request, free):
        row.refresh_from_db()
        assert row.state == "EXPIRED"


def test_many_rows_that_somebody_holds_are_waited_for_once() -> None:
    request = submitted(end=hours(5))
    done = 0
    with left_locked(request):
        began = time.monotonic()
        with waiting_at_most(1, once=True):
            for number in range(20):
                with apart("a test", number):
                    with transaction.atomic():
                        locked(PremiumRequest.objects.filter(pk=request.pk)).get()
                    done += 1
        assert time.monotonic() - began < 5
    assert done == 0
    with transaction.atomic():
        assert locked(PremiumRequest.objects.filter(pk=request.pk)).get() == request


def test_a_job_leaves_its_worker_to_others_while_somebody_holds_a_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submitted(end=hours(5))
    asked = planning.ask_for_plan(actor=noc())
    monkeypatch.setattr(execution, "LOCK_SECONDS", 1)
    jobs.tick()
    job = Job.objects.get(kind=JobKind.PLAN_CHANGE, subject_id=asked.pk)
    with left_locked(asked):
        began = time.monotonic()
        assert jobs.run(job_id=job.pk, worker="w")
        assert time.monotonic() - began < 20
    job.refresh_from_db()
    assert (job.state, job.outcome, job.attempts) == ("queued", execution.ROW_HELD, 0)
    Job.objects.filter(pk=job.pk).update(available_at=job.created_at)
    assert jobs.run(job_id=job.pk, worker="w")
    job.refresh_from_db()
    assert job.state in ("done", "failed")
    assert job.outcome != execution.ROW_HELD
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
