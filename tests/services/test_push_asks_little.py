"""A push asks the database for little, and no queue is looked at where nothing waits."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.models import Router
from provisioning.management import changes_as_text
from provisioning.models import Job, JobKind, RouterPush, RouterQueue
from provisioning.selectors import changes as selecting
from provisioning.selectors.paths import Paths
from provisioning.services import changes, clock, jobs, planning, queues
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house
from tests.services.test_queues_attacked import due

pytestmark = pytest.mark.one_transaction

MOST = 195
"""Statements of one push of a baseline, savepoints included, those of the test around it too."""


def test_a_push_of_a_baseline_is_few_statements_and_marks_no_empty_queue(bare_house: House) -> None:
    baseline = planning.plan_domain(actor=bare_house.noc[0])
    changes.approve(actor=bare_house.noc[1], change=baseline)
    changes.release(actor=bare_house.noc[1], change=baseline)
    counts: list[int] = []
    jobs.tick()
    Job.objects.filter(
        kind=JobKind.PLAN_ROUTER
    ).delete()  # somebody planned the domain: every queue was marked
    RouterQueue.objects.update(marked_at=None)
    while (job := jobs.claim(worker="w")) is not None:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            jobs.execute(job=job, worker="w")
        if job.kind == JobKind.PUSH:
            counts.append(len(asked))
        jobs.tick()
    assert set(baseline.pushes.values_list("state", flat=True)) == {"VERIFIED"}
    assert len(counts) == baseline.pushes.count() and max(counts) <= MOST, counts
    assert not RouterPush.objects.filter(follow_up_due=True).exists()
    assert not Job.objects.filter(kind=JobKind.PLAN_ROUTER).exists(), "a baseline carries no request"


def test_what_happens_on_a_router_marks_a_queue_with_something_in_it_and_no_other(house: House) -> None:
    RouterQueue.objects.all().delete()
    request = due(house, 1)
    mine = request.source_link.interface.router
    everywhere = list(Router.objects.values_list("pk", flat=True))
    assert len(everywhere) > 1

    def marked() -> list[int]:
        found = RouterQueue.objects.filter(marked_at__isnull=False).values_list("router_id", flat=True)
        keys = list(found)
        RouterQueue.objects.update(marked_at=None)
        return keys

    marked()
    queues.mark_waiting(everywhere)
    assert marked() == [mine.pk], "a request is charged there"
    request.reservation.__class__.objects.update(released_at=request.start)
    queues.mark_waiting(everywhere)
    assert marked() == [mine.pk], "its plan is not over"
    request.changes.update(finished_at=request.start)
    queues.mark_waiting(everywhere)
    assert marked() == []
    queues.mark(everywhere)
    assert set(marked()) == set(everywhere), "who puts something into a queue marks it"


def test_where_nothing_is_charged_no_links_are_looked_for(bare_house: House) -> None:
    everywhere = list(Router.objects.values_list("pk", flat=True))
    with CaptureQueriesContext(connection) as asked:
        assert Paths(everywhere, clock.now()).beside(everywhere[:1], everywhere[1:]) == set()
    assert len(asked) == 2, "the time, and whether anything is"


def test_who_waits_for_a_change_reads_neither_configurations_nor_plans(bare_house: House) -> None:
    baseline = planning.plan_domain(actor=bare_house.noc[0])
    with CaptureQueriesContext(connection) as asked:
        change, pushes = selecting.progress_of(baseline.pk)
        said = [changes_as_text.progress(push, 8) for push in pushes]
    assert change == baseline and len(said) == baseline.pushes.count()
    assert (
        len(asked) == 2 and "configsnapshot" not in str(list(asked)) and "storedplan" not in str(list(asked))
    )
    assert said == [changes_as_text.progress(push, 8) for push in selecting.pushes_of(baseline)]
    RouterPush.objects.update(state="PUSHING", line=3, undo_from=2)
    assert all(
        "taking back 3 of" in changes_as_text.progress(push) for push in selecting.progress_of(baseline.pk)[1]
    )
