"""Ten thousand decisions, derived again one after the other: what is in memory does not grow, and each costs the same."""

from __future__ import annotations

import gc
import os
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from provisioning.models import DecisionRecord, Series
from provisioning.services import records, series
from provisioning.services.series import SubmitSeries
from tests.services.requests.sixnet import ASKED, hours, noc, person
from tests.services.topology.diamond import DIAMOND, access, network, put

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(7200)]
DEEP = os.environ.get("PROPERTIES") == "deep"
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
    gc.collect()
    tracemalloc.start()
    peaks, done, asked = [], 0, 0
    begun, used = time.perf_counter(), time.process_time()
    with CaptureQueriesContext(connection) as captured:
        for each in records.recheck_all():
            assert each.status == 0, each.findings
            done += 1
            asked += len(captured.captured_queries)
            connection.queries_log.clear()
            captured.initial_queries = 0
            if done % (total // 4) == 0:
                peaks.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.reset_peak()
    tracemalloc.stop()
    print(
        f"\n{done} decisions again: {time.perf_counter() - begun:.1f} s wall, {time.process_time() - used:.1f} s CPU (traced), "
        f"{asked / done:.1f} questions each, peak of each quarter {[f'{peak / 1e6:.1f} MB' for peak in peaks]}"
    )
    assert done == total
    assert asked / done < 8
    assert max(peaks) < 12_000_000
    assert peaks[-1] < peaks[0] * 1.3 + 500_000
