"""A decision over a busy year of reservations, beside brute force over every instant."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from provisioning.pipeline.timeline import Commitment, Timeline
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow
from tests.benchmarks.timing import Row, side_by_side

YEAR = datetime(2027, 1, 1, tzinfo=UTC)


def commitments(count: int) -> list[Commitment]:
    dice = random.Random(count)
    made = []
    for number in range(count):
        start = YEAR + timedelta(minutes=dice.randrange(525_600))
        window = TimeWindow(start, start + timedelta(minutes=dice.randrange(10, 100_000)))
        made.append(
            Commitment(
                LinkDirection("BENCH@b6:POS1/0", Direction.IN),
                "ef",
                dice.randrange(1, 10**6),
                window,
                str(number),
            )
        )
    return made


def brute_force(made: list[Commitment], window: TimeWindow) -> int:
    """The peak, by summing everything at every instant at which anything starts."""
    instants = [window.start, *(each.window.start for each in made if window.contains(each.window.start))]
    return max(sum(each.rate_bps for each in made if each.window.contains(instant)) for instant in instants)


def run() -> list[Row]:
    window = TimeWindow(YEAR + timedelta(days=100), YEAR + timedelta(days=200))
    rows = []
    for count in (200, 1000):
        made = commitments(count)
        assert Timeline.of(made).peak(window).rate_bps == brute_force(made, window)
        rows.append(
            side_by_side(
                f"peak over 100 days of {count} reservations",
                lambda: Timeline.of(made).peak(window),  # noqa: B023 - run before the loop goes on
                {"brute-force": lambda: brute_force(made, window)},  # noqa: B023
                rounds=5,
            )
        )
    return rows
