"""What was granted becomes something else: decided on the difference, and the range told before, against the oracle."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.pipeline.admission import (
    Admitted,
    AllowedRange,
    Offerable,
    Refused,
    admit,
    admit_all,
    allowed_range,
)
from provisioning.pipeline.scheme import SingleFailures
from provisioning.pipeline.timeline import Commitment
from tests.pipeline.admission.oracle import (
    Wish,
    charged,
    fits,
    framed,
    hour_of,
    hours_that_matter,
    line,
    share,
    total,
)
from tests.pipeline.admission.test_properties import SCHEME, SIZE, _grant_one_by_one, capacities, many
from tests.pipeline.networks import at

FINE = Offerable(least_bps=1, step_bps=1)
windows = st.tuples(st.integers(0, 8), st.one_of(st.none(), st.integers(1, 4))).map(
    lambda drawn: (drawn[0], None if drawn[1] is None else drawn[0] + drawn[1])
)


def _split(
    granted: list[Wish], held: list[Commitment], index: int
) -> tuple[list[Wish], list[Commitment], list[Commitment]]:
    """The others as wishes and as commitments, and the commitments of the one chosen; its id is ``me``."""
    own_ids = sorted({each.sls_id for each in held}, key=lambda name: int(name[1:]))
    mine = own_ids[index]
    others = [wish for number, wish in enumerate(granted) if number != index]
    own = [replace(each, sls_id="me") for each in held if each.sls_id == mine and each.pool in SCHEME.pools]
    return others, [each for each in held if each.sls_id != mine], own


@settings(max_examples=400, deadline=None)
@given(many, capacities, capacities, st.integers(0, 13), st.integers(1, 120), windows)
def test_it_is_refused_only_where_more_is_asked_than_was_held_and_that_does_not_fit(
    asked: list[Wish], before: int, after: int, choice: int, bps: int, window: tuple[int, int | None]
) -> None:
    """The capacity may have become another one since it was granted: who asks for no more than he holds keeps it."""
    granted, held = _grant_one_by_one(asked, before)
    if not granted:
        return
    mine = granted[choice % len(granted)]
    others, beside, own = _split(granted, held, choice % len(granted))
    new = replace(mine, bps=bps, start=window[0], end=window[1])
    verdict = admit_all(line(SIZE, after), SCHEME, [new.as_sls("me")], beside, held=own)
    wrong = {
        (load, hour)
        for load in new.loads()
        for hour in hours_that_matter([*others, mine], new)
        if new.bps > (mine.bps if mine.is_on(hour) else 0)
        and (
            total(load, [*others, new], hour) > share(load, after)
            or (
                load == ("access", new.source, "in")
                and framed(new.source, [*others, new], hour) > share(load, after)
            )
        )
    }
    assert isinstance(verdict, Refused) == bool(wrong)
    if isinstance(verdict, Refused):
        for _load, hour in wrong:
            assert any(
                hour_of(reason.interval_start) <= hour
                and (reason.interval_end is None or hour < hour_of(reason.interval_end))
                for reason in verdict.reasons
                if reason.interval_start is not None
            )


@settings(max_examples=200, deadline=None)
@given(many, capacities, st.integers(0, 13), st.integers(0, 4))
def test_the_range_told_before_is_exact(asked: list[Wish], capacity: int, choice: int, now: int) -> None:
    """What is told fits, and one step more does not; each alone, and nobody but the others in the way."""
    granted, held = _grant_one_by_one(asked, capacity)
    live = [number for number, wish in enumerate(granted) if wish.end is None or wish.end > now]
    if not live:
        return
    index = live[choice % len(live)]
    mine = granted[index]
    others, beside, _own = _split(granted, held, index)
    network = line(SIZE, capacity)
    told = allowed_range(network, SCHEME, [mine.as_sls("me")], beside, now=at(now), offerable=FINE)
    assert isinstance(told, AllowedRange)
    left = replace(mine, start=max(mine.start, now))

    def possible(wish: Wish) -> bool:
        found = fits(wish, others, capacity)
        assert isinstance(admit(network, SCHEME, wish.as_sls("me"), beside), Admitted) == found
        return found

    assert told.least_bps <= mine.bps <= told.most_bps
    assert possible(replace(left, bps=told.most_bps))
    assert not possible(replace(left, bps=told.most_bps + 1))
    if mine.end is not None:
        end = None if told.latest_end is None else int(hour_of(told.latest_end))
        assert end is None or end >= mine.end
        assert possible(replace(left, end=end))
        assert end is None or not possible(replace(left, end=end + 1))
    if mine.start <= now:
        assert told.earliest_start is None
    else:
        assert told.earliest_start is not None
        start = int(hour_of(told.earliest_start))
        assert now <= start <= mine.start
        assert possible(replace(mine, start=start))
        assert start == now or not possible(replace(mine, start=start - 1))


@pytest.mark.parametrize(
    ("bps", "start", "end", "wrong"),
    [
        (5, 0, 4, []),
        (3, 1, 3, []),
        (6, 0, 4, [(0, 4)]),
        (5, 0, 6, [(4, 6)]),
        (5, -2, 6, [(-2, 0), (4, 6)]),
    ],
)
def test_what_was_granted_before_is_not_refused_for_a_failure(
    bps: int, start: int, end: int, wrong: list[tuple[int, int]]
) -> None:
    """One link, so that every request is cut off when it fails: only what is asked beyond the grant is unprotected."""
    network = line(2, 3500)
    scheme = replace(SCHEME, failures=SingleFailures("links", "refuse"))
    old, new = Wish(0, 1, 5, 0, 4), Wish(0, 1, bps, start, end)
    granted = admit(network, SCHEME, old.as_sls("me"), ())
    assert isinstance(granted, Admitted)
    verdict = admit_all(
        network, scheme, [new.as_sls("me")], (), held=charged(granted, old.as_sls("me")), failing=()
    )
    found = [] if isinstance(verdict, tuple) else verdict.reasons
    assert [(each.interval_start, each.interval_end) for each in found] == [
        (at(begin), at(until)) for begin, until in wrong
    ]
    assert {each.code for each in found} <= {"unprotected"}
