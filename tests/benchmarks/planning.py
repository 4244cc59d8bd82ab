"""A plan of one router, reading excluded: CPU seconds and queries, by how many routers and reservations are elsewhere."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.db import connection, transaction  # noqa: E402 - Django is set up above
from django.test.utils import CaptureQueriesContext  # noqa: E402

from provisioning.models import SYSTEM, Change  # noqa: E402
from provisioning.pipeline.states import RequestState  # noqa: E402
from provisioning.services import intents, planning, verifying  # noqa: E402
from tests.benchmarks import due_in_a_minute, stored_plans, whole_baseline  # noqa: E402
from tests.benchmarks.timing import Row  # noqa: E402
from tests.services.ring import all_in_sync, elsewhere, reserve, ring, settled  # noqa: E402

ROUTERS = (10, 100, 1000)
RESERVATIONS = (10, 1000)
ROUNDS = 7


def run() -> list[Row]:
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        rows = [row for size in ROUTERS for count in RESERVATIONS for row in _measured(size, count)]
    finally:
        connection.creation.destroy_test_db(connection.settings_dict["NAME"], verbosity=0)
    return rows + stored_plans.run() + due_in_a_minute.run() + whole_baseline.run()


def _measured(size: int, count: int) -> list[Row]:
    """One router of `size` with one reservation that falls due, `count` reservations on at others."""
    kept = verifying.read_routers
    with transaction.atomic():
        ring(size)
        all_in_sync()
        reading = settled("r0")
        reserve([(0, 1)], size, state=RequestState.ADMITTED)
        reserve(elsewhere(count, size), size)
        verifying.read_routers = lambda routers: {router.name: reading for router in routers}
        try:
            what = f"one router of {size}, {count} reservations on"
            return [
                _row(f"plan of {what}", _plan),
                _row(f"intent of {what}", lambda: intents.wanted(routers=["r0"])),
            ]
        finally:
            verifying.read_routers = kept
            transaction.set_rollback(True)


def _plan() -> Change:
    return planning.plan_domain(actor=SYSTEM, routers=["r0"])


def _row(name: str, deed: Callable[[], object]) -> Row:
    """The median of some rounds in CPU seconds; each round's rows are undone. The queries are counted in the first."""
    with CaptureQueriesContext(connection) as asked:
        _undone(deed)
    seconds = statistics.median(_undone(deed) for _round in range(ROUNDS))
    return Row(f"{name} ({len(asked) - 2} queries)", "s", seconds)


def _undone(deed: Callable[[], object]) -> float:
    with transaction.atomic():
        began = time.process_time()
        deed()
        spent = time.process_time() - began
        transaction.set_rollback(True)
    return spent
