"""Everything at once against brute force over every instant: equal costs and parallel links, capacity that changes with time,
windows that come again, both ways, failures, networks that change, grants that become something else.

A case is a world with a course of some six deeds. Both sides decide each by themselves; where they agree it stands, and the
next is decided beside it.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.depth import DEEP
from tests.pipeline.whole.course import Course

CASES = 50_000 if DEEP else 2_500
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_every_deed_is_decided_as_by_brute_force(part: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(part, CASES, PARTS):
        course = Course(seed)
        course.run()
        met.update(course.met)
    # Of every ingredient enough, and of every kind of deed both answers.
    missing = [name for name in NEEDED if met[name] < CASES // PARTS // 200]
    assert not missing, (missing, met)


NEEDED = (
    "equal costs",
    "parallel links",
    "capacity changes",
    *(
        f"{deed} {answer}"
        for deed in ("single", "both ways", "series", "modification")
        for answer in ("granted", "refused", "unprotected")
    ),
    "series in part",
    "clocks change",
    "kept though too much",
    "network changes",
    "somebody has too much",
    "no path",
    "failure leaves somebody without",
)
