"""Sums of rates over time on integers: the most there is, and where it is too much because something came."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import accumulate
from operator import itemgetter

Sweep = tuple[int, int, int, int]
"""(start, end, rate in bit/s, whose), half-open, in microseconds."""


def highest(pieces: Iterable[Sweep]) -> int:
    """The highest sum at any instant, bit/s."""
    return _most(_changes(list(pieces)))


def highest_before_and_after(
    pieces: Sequence[Sweep], leaving: Container[int], coming: Sequence[Sweep]
) -> tuple[int, int]:
    """The highest sum of ``pieces``, and of what is there when those of ``leaving`` are gone and ``coming`` has come, bit/s."""
    changes = _changes(pieces)
    before = _most(changes)
    gone = [piece for piece in pieces if piece[3] in leaving]
    changes += [(start, -rate) for start, _, rate, _ in gone]
    changes += [(end, rate) for _, end, rate, _ in gone]
    changes += _changes(coming)
    return before, _most(changes)


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
