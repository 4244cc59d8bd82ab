"""Bytes of the stored plan of one list that gains entries, beside the same plan with every prefix written whole (0.1.0)."""

from __future__ import annotations

import dataclasses

from provisioning.pipeline.change.stored import WHOLE
from provisioning.selectors.plans import text_of
from tests.benchmarks.timing import Row
from tests.pipeline.change.gaining import gaining

ENTRIES = (100, 200, 400)


def run() -> list[Row]:
    return [_bytes(count) for count in ENTRIES]


def _bytes(count: int) -> Row:
    plan = gaining(count)
    whole = dataclasses.replace(plan, form=WHOLE)
    return Row(
        f"stored plan, a list gains {count} entries",
        "bytes",
        len(text_of(plan.to_json())),
        {"every prefix whole (0.1.0)": len(text_of(whole.to_json()))},
    )
