"""The committed rate over time, against adding up at every instant."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.errors import InvalidInput
from provisioning.pipeline.timeline import Commitment, Segment, Timeline, timelines
from provisioning.pipeline.topology import Direction, LinkDirection
from tests.pipeline.networks import at, window

LOAD = LinkDirection("A@r1:POS1/0", Direction.IN)
spans = st.tuples(st.integers(0, 12), st.integers(1, 6) | st.none(), st.integers(1, 9))


def _commitment(start: float, end: float | None, bps: int, name: str = "x") -> Commitment:
    return Commitment(LOAD, "ip-premium", bps, window(start, end), name)


def _all(drawn: list[tuple[int, int | None, int]]) -> list[Commitment]:
    return [
        _commitment(start, None if length is None else start + length, bps) for start, length, bps in drawn
    ]


def _sum(found: list[Commitment], hour: float) -> int:
    return sum(one.rate_bps for one in found if one.window.contains(at(hour)))


def test_the_same_commitment_twice_counts_twice() -> None:
    twice = Timeline.of([_commitment(0, 1, 5), _commitment(0, 1, 5)])
    assert twice.rate_at(at(0)) == 10
    assert twice.rate_at(at(1)) == 0


def test_touching_commitments_never_meet() -> None:
    line = Timeline.of([_commitment(0, 1, 5), _commitment(1, 2, 7)])
    assert [line.rate_at(at(hour)) for hour in (-1, 0, 0.5, 1, 1.5, 2)] == [0, 5, 5, 7, 7, 0]
    assert line.peak(window(0, 2)) == (7, at(1))
    assert line.peak(window(0, 1)) == (5, at(0))


def test_an_instant_at_which_nothing_changes_is_no_step() -> None:
    assert Timeline.of([_commitment(0, 1, 5), _commitment(1, 2, 5)]).steps == ((at(0), 5), (at(2), 0))


def test_the_peak_is_dated_by_its_first_instant_within_the_window() -> None:
    line = Timeline.of([_commitment(0, 10, 5), _commitment(2, 3, 4), _commitment(6, 7, 4)])
    assert line.peak(window(0, 10)) == (9, at(2))
    assert line.peak(window(2.5, 10)) == (9, at(2.5))
    assert line.peak(window(4, None)) == (9, at(6))
    assert line.peak(window(20, 21)) == (0, at(20))
    assert Timeline().peak(window(0, None)) == (0, at(0))


def test_stretches_above_a_limit_are_as_long_as_they_can_be() -> None:
    line = Timeline.of([_commitment(1, 3, 5), _commitment(2, 4, 5), _commitment(6, None, 7)])
    assert line.above(4, window(0, None)) == (Segment(at(1), at(4), 10), Segment(at(6), None, 7))
    assert line.above(5, window(0, 3)) == (Segment(at(2), at(3), 10),)
    assert line.above(10, window(0, None)) == ()
    assert line.above(-1, window(0, 9)) == (Segment(at(0), at(9), 10),)


def test_a_commitment_of_nothing_is_refused() -> None:
    for bps in (0, -1):
        with pytest.raises(InvalidInput):
            _commitment(0, 1, bps)


def test_every_link_direction_and_pool_has_its_own() -> None:
    other = LinkDirection(LOAD.link, Direction.OUT)
    found = timelines(
        [
            _commitment(0, 1, 1),
            Commitment(other, "ip-premium", 2, window(0, 1), "y"),
            Commitment(LOAD, "voice", 4, window(0, 1), "z"),
            _commitment(0, 1, 8),
        ]
    )
    assert {key: line.rate_at(at(0)) for key, line in found.items()} == {
        (LOAD, "ip-premium"): 9,
        (other, "ip-premium"): 2,
        (LOAD, "voice"): 4,
    }


@given(st.lists(spans, max_size=12), st.integers(0, 15), st.integers(1, 6) | st.none(), st.integers(-1, 30))
def test_it_is_the_sum_at_every_instant(
    drawn: list[tuple[int, int | None, int]], start: int, length: int | None, limit: int
) -> None:
    found = _all(drawn)
    line = Timeline.of(found)
    span = window(start, None if length is None else start + length)
    hours = [half / 2 for half in range(60) if span.contains(at(half / 2))]
    assert all(line.rate_at(at(half / 2)) == _sum(found, half / 2) for half in range(-2, 60))
    rate, when = line.peak(span)
    assert rate == max(_sum(found, hour) for hour in hours)
    assert when == at(next(hour for hour in hours if _sum(found, hour) == rate))
    pieces = list(line.segments(span))
    assert pieces[0].start == span.start
    assert pieces[-1].end == span.end
    assert all(one.end == other.start for one, other in itertools.pairwise(pieces))
    above = line.above(limit, span)
    for hour in hours:
        inside = [one for one in above if one.start <= at(hour) and (one.end is None or at(hour) < one.end)]
        assert len(inside) == (_sum(found, hour) > limit)
    assert all(one.end != other.start for one, other in itertools.pairwise(above))


@given(st.lists(spans, max_size=10), st.integers(0, 10), st.randoms(use_true_random=False))
def test_neither_order_nor_grouping_matters(
    drawn: list[tuple[int, int | None, int]], cut: int, shuffle: object
) -> None:
    found = _all(drawn)
    mixed = list(found)
    shuffle.shuffle(mixed)  # type: ignore[attr-defined]
    assert Timeline.of(found) == Timeline.of(mixed) == Timeline.of(mixed[:cut]).plus(mixed[cut:])
