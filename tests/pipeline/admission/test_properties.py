"""Admission against the oracle, and what must hold whatever is asked in whatever order."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.pipeline.admission import Admitted, Reason, Refused, admit, admit_all, from_json, to_json
from provisioning.pipeline.timeline import Commitment
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.admission.oracle import (
    RATES,
    Wish,
    charged,
    fits,
    framed,
    hour_of,
    hours_that_matter,
    line,
    on_the_wire,
    share,
    total,
)

SIZE = 4
SCHEME = load_scheme("6net")


@st.composite
def wishes(draw: st.DrawFn) -> Wish:
    source = draw(st.integers(0, SIZE - 1))
    destination = draw(st.integers(0, SIZE - 1).filter(lambda other: other != source))
    start = draw(st.integers(0, 8))
    end = draw(st.one_of(st.none(), st.integers(start + 1, 10)))
    return Wish(source, destination, draw(st.integers(1, 80)), start, end)


capacities = st.sampled_from(RATES)
many = st.lists(wishes(), max_size=14)


def _grant_one_by_one(asked: list[Wish], capacity: int) -> tuple[list[Wish], list[Commitment]]:
    network = line(SIZE, capacity)
    granted: list[Wish] = []
    held: list[Commitment] = []
    for index, wish in enumerate(asked):
        wanted = wish.as_sls(f"s{index}")
        verdict = admit(network, SCHEME, wanted, held)
        assert isinstance(verdict, Admitted) == fits(wish, granted, capacity)
        if isinstance(verdict, Admitted):
            granted.append(wish)
            held += charged(verdict, wanted, network)
    return granted, held


@settings(max_examples=300, deadline=None)
@given(many, capacities)
def test_it_agrees_with_the_oracle_and_no_share_is_ever_exceeded(asked: list[Wish], capacity: int) -> None:
    granted, _held = _grant_one_by_one(asked, capacity)
    for wish in granted:
        for load in wish.loads():
            for hour in hours_that_matter(granted, wish):
                assert total(load, granted, hour) <= share(load, capacity)
                assert framed(wish.source, granted, hour) <= share(("access", wish.source, "in"), capacity)


@settings(max_examples=100, deadline=None)
@given(many, wishes(), capacities, st.randoms(use_true_random=False))
def test_the_order_of_commitments_does_not_matter(
    asked: list[Wish], last: Wish, capacity: int, shuffle: object
) -> None:
    _granted, held = _grant_one_by_one(asked, capacity)
    mixed = list(held)
    shuffle.shuffle(mixed)  # type: ignore[attr-defined]
    network, wanted = line(SIZE, capacity), last.as_sls("last")
    assert admit(network, SCHEME, wanted, held) == admit(network, SCHEME, wanted, mixed)


@settings(max_examples=100, deadline=None)
@given(many, wishes(), capacities, st.integers(0, 20), st.integers(0, 3))
def test_asking_for_less_or_shorter_is_never_worse(
    asked: list[Wish], last: Wish, capacity: int, less: int, shorter: int
) -> None:
    _granted, held = _grant_one_by_one(asked, capacity)
    network = line(SIZE, capacity)
    if isinstance(admit(network, SCHEME, last.as_sls("x"), held), Refused):
        return
    smaller = replace(last, bps=max(1, last.bps - less))
    later = min(last.start + shorter, (last.end or 10**6) - 1)
    for wish in (smaller, replace(last, start=later)):
        assert isinstance(admit(network, SCHEME, wish.as_sls("x"), held), Admitted)
    for dropped in range(len(held)):
        fewer = held[:dropped] + held[dropped + 1 :]
        assert isinstance(admit(network, SCHEME, last.as_sls("x"), fewer), Admitted)


@settings(max_examples=300, deadline=None)
@given(many, wishes(), capacities)
def test_evidence_and_reasons_are_what_the_oracle_counts(
    asked: list[Wish], last: Wish, capacity: int
) -> None:
    granted, held = _grant_one_by_one(asked, capacity)
    wanted = last.as_sls("last")
    verdict = admit(line(SIZE, capacity), SCHEME, wanted, held)
    assert len(verdict.evidence) == len(last.loads())
    for load, seen in zip(last.loads(), verdict.evidence, strict=True):
        sums = {hour: total(load, granted, hour) for hour in hours_that_matter(granted, last)}
        assert seen.share_bps == share(load, capacity)
        assert seen.committed_peak_bps == max(sums.values())
        assert sums[hour_of(seen.peak_at)] == seen.committed_peak_bps
        assert all(sums[hour] < seen.committed_peak_bps for hour in sums if hour < hour_of(seen.peak_at))
        assert seen.headroom_bps == seen.share_bps - seen.committed_peak_bps
        assert seen.asked_bps == last.bps
        blamed, policed = [], []
        if isinstance(verdict, Refused):
            named = [r for r in verdict.reasons if (r.link, r.direction) == (seen.link, seen.direction)]
            blamed = [r for r in named if r.code == "share-exceeded"]
            policed = [r for r in named if r.code == "policer"]
        entering = load == ("access", last.source, "in")
        for hour, committed in sums.items():
            assert len(_covering(blamed, hour)) == (committed + last.bps > seen.share_bps)
            frames = framed(last.source, [*granted, last], hour)
            assert len(_covering(policed, hour)) == (entering and frames > seen.share_bps)
        for reason in blamed:
            assert reason.shortfall_bps == (reason.committed_bps or 0) + last.bps - seen.share_bps > 0
        for reason in policed:
            assert reason.asked_bps == on_the_wire(last)
            assert (
                reason.shortfall_bps == (reason.committed_bps or 0) + on_the_wire(last) - seen.share_bps > 0
            )
    assert from_json(to_json(verdict)) == verdict


def _covering(reasons: list[Reason], hour: float) -> list[Reason]:
    return [
        reason
        for reason in reasons
        if reason.interval_start is not None
        and hour_of(reason.interval_start) <= hour
        and (reason.interval_end is None or hour < hour_of(reason.interval_end))
    ]


@settings(max_examples=100, deadline=None)
@given(many, wishes(), capacities)
def test_the_two_ways_do_not_compete(asked: list[Wish], last: Wish, capacity: int) -> None:
    """Whatever A sends to B changes nothing for what B sends to A, and both ways fit when each does."""
    back = replace(last, source=last.destination, destination=last.source)
    same_way = [replace(wish, source=last.source, destination=last.destination) for wish in asked]
    granted, held = _grant_one_by_one(same_way, capacity)
    network = line(SIZE, capacity)
    alone = admit(network, SCHEME, back.as_sls("back"), ())
    assert admit(network, SCHEME, back.as_sls("back"), held) == alone
    both = admit_all(network, SCHEME, (last.as_sls("there"), back.as_sls("back")), held)
    assert isinstance(both, tuple) == (fits(last, granted, capacity) and fits(back, [], capacity))


@settings(max_examples=100, deadline=None)
@given(many, st.lists(wishes(), min_size=1, max_size=4), capacities)
def test_several_at_once_fit_exactly_when_one_after_another_does(
    asked: list[Wish], group: list[Wish], capacity: int
) -> None:
    granted, held = _grant_one_by_one(asked, capacity)
    slss = [wish.as_sls(f"g{index}") for index, wish in enumerate(group)]
    verdict = admit_all(line(SIZE, capacity), SCHEME, slss, held)
    expected = all(fits(wish, granted + group[:index], capacity) for index, wish in enumerate(group))
    assert isinstance(verdict, tuple) == expected
