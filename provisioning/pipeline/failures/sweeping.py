"""Sums of rates over time on integers: the most there is, and where it is too much because something came."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

Sweep = tuple[int, int, int, int]
"""(start, end, rate in bit/s, whose), half-open, in microseconds."""


class Span(NamedTuple):
    """A charge with all places where it is made (numbers of link directions); a place is there twice where it is made twice."""

    start: int
    end: int
    rate_bps: int
    whose: int
    pool: str
    places: Collection[int]


def highest(pieces: Iterable[Sweep]) -> int:
    """The highest sum at any instant, bit/s."""
    return _most(_changes(list(pieces)))


def highest_everywhere(spans: Collection[Span], places: int) -> list[int]:
    """The highest sum at any instant, bit/s, in each of so many places.

    Time is gone through once for all places together: a charge begins and ends everywhere at the same instant.
    """
    levels, most = [0] * places, [0] * places
    ends = iter(sorted(spans, key=itemgetter(1)))
    ending = next(ends, None)
    for start, _, rate, _, _, where in sorted(spans, key=itemgetter(0)):
        while ending is not None and ending[1] <= start:  # half-open: what ends now is gone when this begins
            gone = ending[2]
            for place in ending[5]:
                levels[place] -= gone
            ending = next(ends, None)
        for place in where:
            level = levels[place] = levels[place] + rate
            if level > most[place]:
                most[place] = level
    return most


def _changes(pieces: Sequence[Sweep]) -> list[tuple[int, int]]:
    return [(each[0], each[2]) for each in pieces] + [(each[1], -each[2]) for each in pieces]


def _most(changes: list[tuple[int, int]]) -> int:
    """The highest sum; what is taken away at an instant before what is added there: windows are half-open."""
    changes.sort()
    return max(accumulate(map(itemgetter(1), changes)), default=0)


def too_much(staying: Iterable[Sweep], coming: Sequence[Sweep], share_bps: int) -> list[tuple[int, int, int]]:
    """The longest stretches in which something of ``coming`` is on and all together is above the share: start, end, the most.

    Where nothing came the failure has done nothing.
    """
    if not coming:
        return []
    first, last = min(each[0] for each in coming), max(each[1] for each in coming)
    changes: dict[int, list[int]] = {}
    for start, end, rate, _ in staying:
        if start < last and end > first:
            _note(changes, start, end, rate, 0)
    for start, end, rate, _ in coming:
        _note(changes, start, end, rate, 1)
    found: list[tuple[int, int, int]] = []
    total = arrived = 0
    instants = sorted(changes)
    for place, instant in enumerate(instants):
        rate, more = changes[instant]
        total, arrived = total + rate, arrived + more
        if total <= share_bps or not arrived:
            continue
        until = instants[place + 1]
        if found and found[-1][1] == instant:
            found[-1] = (found[-1][0], until, max(found[-1][2], total))
        else:
            found.append((instant, until, total))
    return found


def _note(changes: dict[int, list[int]], start: int, end: int, rate: int, more: int) -> None:
    for instant, sign in ((start, 1), (end, -1)):
        change = changes.get(instant)
        if change is None:
            changes[instant] = [sign * rate, sign * more]
        else:
            change[0] += sign * rate
            change[1] += sign * more
