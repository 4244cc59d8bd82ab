"""10,000 reservations that begin and 10,000 that end in one minute, on 1,000 routers: until all are jobs, then plans."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.benchmarks.fresh_process import measured_by
from tests.benchmarks.timing import Row
from tests.run import install_missing, postgresql

ROUTERS = 1000
EACH = 10
"""Reservations that begin, and as many that end, on each router."""
PLANNED = 20
"""Routers of which the plan is made; the others are like them."""


def run(routers: int = ROUTERS) -> list[Row]:
    """Wall and CPU seconds on a PostgreSQL of its own; the CPU is this process's, the database's work is in the wall."""
    install_missing()
    with tempfile.TemporaryDirectory(prefix="expedite-bench-") as name, postgresql(Path(name)) as url:
        words = ("tests.benchmarks.due_in_a_minute", str(routers))
        found = measured_by(*words, directory=Path(name), url=url)
    what = f"{routers * EACH} begin and {routers * EACH} end in a minute on {routers} routers"
    return [
        Row(f"{what}: all are jobs, wall", "s", found["jobs"]["wall"]),
        Row(f"{what}: all are jobs, CPU", "s", found["jobs"]["cpu"]),
        Row(f"{what}: all have ended ({found['ticks']} more ticks), wall", "s", found["over"]["wall"]),
        Row(f"{what}: all have ended, CPU", "s", found["over"]["cpu"]),
        Row(f"{what}: a tick while they wait ({found['queries']} queries), wall", "s", found["tick"]["wall"]),
        Row(f"{what}: a tick while they wait, CPU", "s", found["tick"]["cpu"]),
        Row(f"{what}: the plan of a router ({2 * EACH} requests), wall", "s", found["plan"]["wall"]),
        Row(f"{what}: the plan of a router, CPU", "s", found["plan"]["cpu"]),
    ]


def _timed(deed: Callable[[], object]) -> dict[str, float]:
    began, worked = time.perf_counter(), time.process_time()
    deed()
    return {"wall": time.perf_counter() - began, "cpu": time.process_time() - worked}


def _median(spent: list[dict[str, float]]) -> dict[str, float]:
    return {key: statistics.median(each[key] for each in spent) for key in ("wall", "cpu")}


def main(routers: int) -> None:
    """The process that is measured."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from inventory.models import Router
    from provisioning.models import Job, JobKind, PremiumRequest, RouterQueue
    from provisioning.pipeline.states import RequestState
    from provisioning.services import clock, planning, verifying
    from provisioning.services.jobs import tick
    from tests.services.ring import all_in_sync, reserve, ring, settled

    call_command("migrate", verbosity=0)
    ring(routers)
    pairs = [(number % routers, (number + 1) % routers) for number in range(routers * EACH)]
    ends = [row.pk for row in reserve(pairs, routers)]
    begins = [row.pk for row in reserve(pairs, routers, state=RequestState.ADMITTED)]
    all_in_sync()
    chosen = list(Router.objects.order_by("pk")[:PLANNED])
    readings = {router.name: settled(router.name) for router in chosen}
    due = clock.now()
    PremiumRequest.objects.filter(pk__in=ends).update(end=due, state_changed_at=due - timedelta(hours=1))
    PremiumRequest.objects.filter(pk__in=begins).update(start=due, state_changed_at=due - timedelta(hours=1))
    # As the last look at each queue left it: it named the instant at which something is due.
    RouterQueue.objects.bulk_create(
        RouterQueue(router=router, look_at=due, worked_at=due - timedelta(minutes=30))
        for router in Router.objects.all()
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")

    ticks = 0

    def until_all_are_jobs() -> None:
        queued = Job.objects.filter(kind=JobKind.PLAN_ROUTER)
        for _tick in range(1000):
            if queued.count() == routers:
                return
            tick()
        raise AssertionError(f"{queued.count()} of {routers} routers have a job")

    def until_all_are_over() -> None:
        nonlocal ticks
        running = PremiumRequest.objects.filter(pk__in=ends, state=RequestState.ACTIVE)
        while running.exists():
            tick()
            ticks += 1
            assert ticks < 1000, f"{running.count()} never end"

    jobs, over = _timed(until_all_are_jobs), _timed(until_all_are_over)
    with CaptureQueriesContext(connection) as asked:
        tick()
    idle = _median([_timed(tick) for _round in range(5)])

    def read(rows: Any) -> dict[str, Any]:
        return {row.name: replace(readings[row.name], read_at=clock.now()) for row in rows}

    verifying.read_routers = read
    plans = []
    for router in chosen:
        outcome: list[str] = []
        plans.append(
            _timed(lambda pk=router.pk, said=outcome: said.append(planning.plan_router(router_id=pk)))
        )
        assert outcome[0].startswith("CHG-"), outcome
    print(
        json.dumps(
            {
                "jobs": jobs,
                "over": over,
                "ticks": ticks,
                "tick": idle,
                "queries": len(asked),
                "plan": _median(plans),
            }
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUTERS)
