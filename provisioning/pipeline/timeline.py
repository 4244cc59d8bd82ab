"""Committed rate over time on one (link, direction, pool): piecewise constant, half-open, sums and never
sets.

The sum of what was granted must stay within the share at every instant of a window (D4.4.2v2 section 2.4.1
bounds "the maximum IPP traffic that is allowed"). Two equal grants that start together count twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from provisioning.errors import InvalidInput
from provisioning.pipeline.topology import LinkDirection
from provisioning.pipeline.units import TimeWindow


@dataclass(frozen=True)
class Commitment:
    """A rate in bit/s granted to ``sls_id`` on one link direction, counted in ``pool`` during ``window``."""

    link_direction: LinkDirection
    pool: str
    rate_bps: int
    window: TimeWindow
    sls_id: str

    def __post_init__(self) -> None:
        if self.rate_bps <= 0:
            raise InvalidInput(f"a commitment is above 0 bit/s: {self.rate_bps}", field="rate_bps")


class Peak(NamedTuple):
    """The highest rate in bit/s and the earliest instant at which it is reached."""

    rate_bps: int
    at: datetime


class Segment(NamedTuple):
    """A half-open stretch of time and the (highest) rate in it, bit/s; ``end`` None is open."""

    start: datetime
    end: datetime | None
    rate_bps: int


@dataclass(frozen=True)
class Timeline:
    """Rate over time as steps: from ``steps[i][0]`` on it is ``steps[i][1]`` bit/s; before the first it is
    0.
    """

    steps: tuple[tuple[datetime, int], ...] = ()

    @classmethod
    def of(cls, commitments: Iterable[Commitment]) -> Timeline:
        """The sum of ``commitments``, which the caller has chosen to be of one link direction and pool."""
        return cls._summed(commitments, defaultdict(int))

    @classmethod
    def _summed(cls, commitments: Iterable[Commitment], changes: defaultdict[datetime, int]) -> Timeline:
        for commitment in commitments:
            changes[commitment.window.start] += commitment.rate_bps
            if commitment.window.end is not None:
                changes[commitment.window.end] -= commitment.rate_bps
        steps: list[tuple[datetime, int]] = []
        rate = 0
        for instant in sorted(changes):
            if changes[instant]:
                rate += changes[instant]
                steps.append((instant, rate))
        return cls(tuple(steps))

    def plus(self, commitments: Iterable[Commitment]) -> Timeline:
        """This timeline with ``commitments`` added."""
        changes: defaultdict[datetime, int] = defaultdict(int)
        before = 0
        for instant, rate in self.steps:
            changes[instant] += rate - before
            before = rate
        return Timeline._summed(commitments, changes)

    def with_levels(self, levels: Iterable[tuple[datetime, int]]) -> Timeline:
        """This timeline with another course added to it: (from when on, bit/s), in order; 0 before the first."""
        changes: defaultdict[datetime, int] = defaultdict(int)
        for course in (self.steps, levels):
            before = 0
            for instant, rate in course:
                changes[instant] += rate - before
                before = rate
        return Timeline._summed((), changes)

    def rate_at(self, instant: datetime) -> int:
        """The rate at ``instant`` in bit/s."""
        index = self._index(instant)
        return 0 if index < 0 else self.steps[index][1]

    def segments(self, window: TimeWindow) -> Iterator[Segment]:
        """The stretches of constant rate that make up ``window``, in order, without a hole and without
        overlap.
        """
        index = self._index(window.start)
        start = window.start
        rate = 0 if index < 0 else self.steps[index][1]
        for place in range(index + 1, len(self.steps)):
            at, following = self.steps[place]
            if window.end is not None and at >= window.end:
                break
            yield Segment(start, at, rate)
            start, rate = at, following
        yield Segment(start, window.end, rate)

    def within(self, window: TimeWindow) -> Timeline:
        """This timeline as far as ``window`` goes, and nothing outside."""
        steps = [(each.start, each.rate_bps) for each in self.segments(window)]
        if window.end is not None and steps[-1][1]:
            steps.append((window.end, 0))
        return Timeline(tuple(steps[1:] if not steps[0][1] else steps))

    def peak(self, window: TimeWindow) -> Peak:
        """The highest rate within ``window`` and the earliest instant of the window that has it."""
        highest = max(self.segments(window), key=lambda segment: segment.rate_bps)
        return Peak(highest.rate_bps, highest.start)

    def above(self, limit_bps: int, window: TimeWindow) -> tuple[Segment, ...]:
        """The longest stretches of ``window`` in which the rate is above ``limit_bps``, each with its
        highest rate.
        """
        found: list[Segment] = []
        for segment in self.segments(window):
            if segment.rate_bps <= limit_bps:
                continue
            if found and found[-1].end == segment.start:
                last = found.pop()
                segment = Segment(last.start, segment.end, max(last.rate_bps, segment.rate_bps))  # noqa: PLW2901
            found.append(segment)
        return tuple(found)

    def _index(self, instant: datetime) -> int:
        return bisect_right(self.steps, instant, key=lambda step: step[0]) - 1


Courses = Mapping[tuple[LinkDirection, str], Timeline]
"""The rate over time of each (link direction, pool)."""


def courses_of(charged: Iterable[Commitment] | Courses) -> Courses:
    """What is charged as courses, whichever of the two it is given as."""
    return charged if isinstance(charged, Mapping) else timelines(charged)


def timelines(commitments: Iterable[Commitment]) -> dict[tuple[LinkDirection, str], Timeline]:
    """The timeline of every (link direction, pool) that occurs in ``commitments``."""
    grouped: defaultdict[tuple[LinkDirection, str], list[Commitment]] = defaultdict(list)
    for commitment in commitments:
        grouped[commitment.link_direction, commitment.pool].append(commitment)
    return {key: Timeline.of(found) for key, found in grouped.items()}
