"""What an NREN is told of others: the same for all sums within one step, whatever it asks."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.admission import (
    OFFERABLE,
    Reason,
    Refused,
    Seen,
    Verdict,
    Viewer,
    admit_all,
    as_seen,
    in_steps,
    kept_as_seen,
    seen_reason,
    to_json,
    whole,
)
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Courses, Timeline
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.networks import GRNET, JANET, at, sixnet, sls, window
from tests.pipeline.properties import PROPERTY

DFN = "DFN@de6:POS1/0"
SCHEME, NETWORK = load_scheme("6net"), sixnet()
STEP, GRID = SCHEME.telling.rates_in_bps, SCHEME.telling.others_in_bps
OURS, THEIRS = 1, 2
VIEWER = Viewer(frozenset({OURS}), frozenset({DFN}), STEP, GRID)
POOL = "ip-premium"
LOADS = [
    LinkDirection(DFN, Direction.IN),
    LinkDirection("de6:POS2/1--gr6:POS1/0", Direction.A_Z),
    LinkDirection(GRNET, Direction.OUT),
]
HOURS = 8

Levels = list[tuple[int, int, int]]
"""Of each hour: the step that the sum of others ends at, how far below it lies, and what the viewer itself holds, bit/s."""
hours = st.lists(
    st.tuples(
        st.integers(0, 16), st.integers(0, GRID - 1), st.integers(0, 300).map(lambda count: count * 7_000)
    ),
    min_size=HOURS,
    max_size=HOURS,
)
asked = st.lists(
    st.tuples(st.integers(1, 80_000), st.integers(0, HOURS - 1), st.integers(1, HOURS), st.booleans()),
    min_size=1,
    max_size=6,
)


def course(levels: list[int]) -> Timeline:
    """A level for each hour, and nothing after the last."""
    steps: list[tuple[datetime, int]] = []
    for hour, bps in enumerate([*levels, 0]):
        if bps != (steps[-1][1] if steps else 0):
            steps.append((at(hour), bps))
    return Timeline(tuple(steps))


def books(levels: Levels, below: list[int]) -> tuple[Courses, Courses]:
    """All that is charged, the sum of others so far below their steps; and what the viewer holds of it."""
    ours = [own for _, _, own in levels]
    theirs = [max(step * GRID - less, 0) for (step, _, _), less in zip(levels, below, strict=True)]
    every = course([one + other for one, other in zip(ours, theirs, strict=True)])
    return {(load, POOL): every for load in LOADS}, {(load, POOL): course(ours) for load in LOADS[1:]}


def judged(charged: Courses, slss: list[Sls]) -> Verdict:
    offerable = replace(OFFERABLE, step_bps=STEP)
    return admit_all(NETWORK, SCHEME, slss, charged, offerable=offerable)


def told(levels: Levels, below: list[int], slss: list[Sls]) -> Seen:
    charged, known = books(levels, below)
    # What enters on its own link is the viewer's own to read: the same in both books.
    charged = {**charged, (LOADS[0], POOL): Timeline()}
    verdict = judged(in_steps(charged, known, VIEWER, window(0, HOURS)), slss)
    return as_seen(verdict if isinstance(verdict, Refused) else verdict[0], VIEWER, asker=OURS)


def wishes(question: tuple[int, int, int, bool]) -> list[Sls]:
    steps, start, length, both = question
    ways = [(DFN, GRNET), (GRNET, DFN)] if both else [(DFN, GRNET)]
    span = window(start, min(start + length, HOURS))
    return [sls(*ends, steps * STEP, span, f"way-{number}") for number, ends in enumerate(ways)]


@PROPERTY
@given(
    levels=hours, questions=asked, others=st.lists(st.integers(0, GRID - 1), min_size=HOURS, max_size=HOURS)
)
def test_sums_within_one_step_are_told_alike(
    levels: Levels, questions: list[tuple[int, int, int, bool]], others: list[int]
) -> None:
    below = [less for _, less, _ in levels]
    for question in questions:
        slss = wishes(question)
        first, second = told(levels, below, slss), told(levels, others, slss)
        assert json.dumps(first.to_json(), default=str) == json.dumps(second.to_json(), default=str)


@PROPERTY
@given(levels=hours, question=asked.map(lambda listed: listed[0]))
def test_what_is_told_to_fit_fits_and_so_does_what_is_offered(
    levels: Levels, question: tuple[int, int, int, bool]
) -> None:
    below = [less for _, less, _ in levels]
    charged = {**books(levels, below)[0], (LOADS[0], POOL): Timeline()}
    slss = wishes(question)
    seen = told(levels, below, slss)
    if seen.fits:
        assert not isinstance(judged(charged, slss), Refused)
    for offer in seen.counter_offers:
        assert offer.rate_bps % STEP == 0
        if offer.end is not None and offer.end <= at(HOURS):
            offered = [
                replace(
                    each,
                    rate=replace(each.rate, bps=offer.rate_bps),
                    window=TimeWindow(offer.start, offer.end),
                )
                for each in slss
            ]
            assert not isinstance(judged(charged, offered), Refused)


@PROPERTY
@given(levels=hours, question=asked.map(lambda listed: listed[0]))
def test_where_everybody_holds_whole_steps_nothing_is_told_otherwise(
    levels: Levels, question: tuple[int, int, int, bool]
) -> None:
    charged = {**books(levels, [0] * HOURS)[0], (LOADS[0], POOL): Timeline()}
    slss = wishes(question)
    assert told(levels, [0] * HOURS, slss).fits is not isinstance(judged(charged, slss), Refused)


def test_a_book_one_step_further_is_told_otherwise() -> None:
    """What is told is not nothing: the question that lies between two steps has two answers."""
    levels = [(4, 0, 0)] * HOURS
    further = [(5, 0, 0)] * HOURS
    wish = wishes(((7_750_000 - 4 * GRID) // STEP, 0, HOURS, False))
    assert told(levels, [0] * HOURS, wish).fits
    assert not told(further, [0] * HOURS, wish).fits


def test_what_begins_with_a_link_of_others_is_not_told() -> None:
    """Both spellings of a sum: a threshold is told with its direction, buckets without."""
    verdict = judged({}, [sls(DFN, GRNET, STEP)])
    assert isinstance(verdict, tuple)
    said = (f"{GRNET} out: 3 Mbit/s in all", f"{GRNET}: 400,000 bytes in sum", f"{DFN} in: 2 Mbit/s in all")
    seen = as_seen(replace(verdict[0], warnings=said), VIEWER, asker=OURS)
    assert seen.warnings == said[2:]
    assert whole(replace(verdict[0], warnings=said)).warnings == said


def test_what_was_kept_before_there_were_steps_is_offered_in_them() -> None:
    charged = {(LOADS[2], POOL): course([1_234_000] * HOURS)}
    verdict = judged(charged, [sls(DFN, GRNET, 7_000_000, window(0, HOURS))])
    assert isinstance(verdict, Refused)
    kept = to_json(verdict)
    rates = {each.kind: each.rate_bps for each in kept_as_seen(kept, VIEWER, asker=OURS).counter_offers}
    assert rates["lower-rate"] == 6_500_000
    beside = kept | {"told": to_json(replace(verdict, counter_offers=()))}
    assert kept_as_seen(beside, VIEWER, asker=OURS).counter_offers == ()
    assert kept_as_seen(beside, None, asker=OURS).counter_offers == verdict.counter_offers


@pytest.mark.parametrize("asker", [OURS, THEIRS])
def test_offers_and_quotas_are_told_to_whoever_asks(asker: int) -> None:
    verdict = judged({}, [sls(JANET, GRNET, 8_000_000)])
    assert isinstance(verdict, Refused)
    assert bool(as_seen(verdict, VIEWER, asker=asker).counter_offers) is (asker == OURS)
    spent = Reason("quota-exceeded", "its quota is 5 Mbit/s, 4 Mbit/s of it used")
    assert ("5 Mbit/s" in seen_reason(spent, VIEWER, asker=asker).text) is (asker == OURS)


def test_of_a_single_failure_nothing_is_told_but_when() -> None:
    reason = Reason(
        "unprotected", "if uk6--nl6 fails ...", GRNET, Direction.OUT, at(0), at(2), STEP, 7_750_000, 1, 2
    )
    seen = seen_reason(reason, VIEWER, asker=OURS)
    assert (seen.link, seen.direction, seen.share_bps, seen.committed_bps, seen.shortfall_bps) == (None,) * 5
    assert "uk6" not in seen.text and (seen.interval_start, seen.interval_end) == (at(0), at(2))
