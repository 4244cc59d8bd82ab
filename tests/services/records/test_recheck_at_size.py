"""Ten thousand decisions, derived again one after the other: what is in memory does not grow, and each costs the same."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from provisioning.models import DecisionRecord, Series
from provisioning.services import records, series
from provisioning.services.series import SubmitSeries
from tests.depth import DEEP
from tests.services.requests.sixnet import ASKED, hours, noc, person
from tests.services.topology.diamond import DIAMOND, access, network, put

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(7200)]
SERIES, TIMES = (28, 360) if DEEP else (2, 24)


def decide(number: int, times: int) -> Series:
    """A series of so many nights, decided as one: a record for each."""
    first = replace(
        ASKED,
        source_link=access("a"),
        destination_link=access("d"),
        rate=100_000,
        source_prefixes=(f"2001:db8:{0x100 + number:x}::/48",),
        destination_prefixes=("2001:db8:400::/48",),
        start=hours(24),
        end=hours(25),
    )
    asked = series.submit(
        actor=person("at-a", nrens=("Na",)),
        data=SubmitSeries(first, f"FREQ=DAILY;COUNT={times}", "Europe/Athens"),
    )
    assert series.admit(actor=noc(), series=asked, reason="fits").granted
    return asked


def test_recheck_of_all_is_bounded_in_memory_and_in_questions(tmp_path: Path, settings: Any) -> None:
    settings.AUDIT_SIGNING_KEY = "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="
    put(network(tmp_path / "network.yaml", DIAMOND))
    for number in range(SERIES):
        if number == SERIES // 2:  # half of them were decided by another version
            put(network(tmp_path / "network.yaml", (("a", "b", 11), *DIAMOND[1:])))
        decide(number, TIMES)
    total = SERIES * TIMES
    assert DecisionRecord.objects.count() == total
    costs = [used for used, _ in quarters(total)]
    gc.collect()
    tracemalloc.start()
    asked = Counted()
    with connection.execute_wrapper(asked):
        peaks = [peak for _, peak in quarters(total)]
    tracemalloc.stop()
    print(
        f"\n{total} decisions again: {sum(costs):.2f} s CPU, {asked.number / total:.2f} questions each, of each quarter "
        f"{[f'{used:.2f} s' for used in costs]}, at most {[f'{peak / 1e6:.1f} MB' for peak in peaks]}"
    )
    assert asked.number / total < 0.5
    assert costs[-1] < costs[0] * 2 + 0.5
    assert max(peaks) < 12_000_000
    assert peaks[-1] < peaks[0] * 1.3 + 500_000


class Counted:
    """How many statements are asked; their texts are not kept."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, execute: Any, *arguments: Any) -> Any:
        self.number += 1
        return execute(*arguments)


def quarters(total: int) -> Iterator[tuple[float, int]]:
    """All of them again: the CPU time of each quarter in seconds, and the most that is in memory, if that is traced, in bytes."""
    used = time.process_time()
    done = 0
    for done, each in enumerate(records.recheck_all(), start=1):
        assert each.status == 0, each.findings
        if done % (total // 4) == 0:
            yield time.process_time() - used, tracemalloc.get_traced_memory()[1]
            used = time.process_time()
            if tracemalloc.is_tracing():
                tracemalloc.reset_peak()
    assert done == total
