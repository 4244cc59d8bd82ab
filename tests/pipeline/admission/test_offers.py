"""Offers against the oracle, over every instant: each fits and can be taken, and one step more of it does not fit."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.pipeline.admission import (
    OFFERABLE,
    Admitted,
    CounterOffer,
    Offerable,
    Refused,
    admit,
    admit_all,
    from_json,
    to_json,
)
from provisioning.pipeline.platforms import KINDS
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.units import BitRate, TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.depth import DEEP
from tests.pipeline.admission.oracle import Wish, charged, fits, hour_of, line
from tests.pipeline.admission.test_properties import SIZE, capacities, many, wishes
from tests.pipeline.networks import GRNET, JANET, RENATER, at, sixnet, sls, window

SCHEME = load_scheme("6net")
NETWORK = sixnet()
HOUR = timedelta(hours=1)
LAST = 60
"""An hour at which everything has ended that ends."""

offerables = st.builds(
    Offerable,
    least_bps=st.integers(1, 30),
    step_bps=st.integers(1, 12),
    least_length=st.sampled_from([timedelta(0), HOUR / 2, 2 * HOUR]),
)
nows = st.one_of(st.none(), st.integers(0, 24).map(lambda halves: halves / 2))


def granted_in_order(asked: list[Wish], capacity: int) -> tuple[list[Wish], list[Commitment]]:
    granted: list[Wish] = []
    held: list[Commitment] = []
    for index, wish in enumerate(asked):
        if fits(wish, granted, capacity):
            verdict = admit(line(SIZE, capacity), SCHEME, wish.as_sls(f"s{index}"), held)
            assert isinstance(verdict, Admitted)
            granted.append(wish)
            held += charged(verdict, wish.as_sls(f"s{index}"), line(SIZE, capacity))
    return granted, held


def expected(
    last: Wish, granted: list[Wish], capacity: int, now: float | None, offerable: Offerable
) -> dict[str, tuple[int, float, float | None]]:
    """(rate, begin, end) by kind, by trying every rate, every start and every end at which anything can change."""
    begin = last.start if now is None else max(last.start, now)
    length = None if last.end is None else last.end - last.start
    found: dict[str, tuple[int, float, float | None]] = {}

    def tried(bps: int, start: float, end: float | None) -> bool:
        return fits(Wish(last.source, last.destination, bps, start, end), granted, capacity)  # type: ignore[arg-type]

    def long_enough(start: float, end: float | None) -> bool:
        return end is None or (end - start) * HOUR >= offerable.least_length

    if last.end is None or begin < last.end:
        rates = [
            bps
            for bps in range(1, last.bps)
            if bps % offerable.step_bps == 0 and bps >= offerable.least_bps and tried(bps, begin, last.end)
        ]
        whole = tried(last.bps, begin, last.end)  # then it is offered for as long, and less is no offer
        if rates and not whole and long_enough(begin, last.end):
            found["lower-rate"] = (max(rates), begin, last.end)
        ends: list[float | None] = [begin + half / 2 for half in range(1, 2 * LAST)]
        ends = [end for end in ends if last.end is None or (end is not None and end <= last.end)]
        ends += [None] if last.end is None else []
        fitting = [end for end in ends if tried(last.bps, begin, end)]
        if fitting and (begin, fitting[-1]) != (last.start, last.end) and long_enough(begin, fitting[-1]):
            found["shorter-window"] = (last.bps, begin, fitting[-1])
    for start in sorted({begin, *(float(hour) for hour in range(int(begin) + 1, LAST))}):
        end = None if length is None else start + length
        if tried(last.bps, start, end):
            found["later-start"] = (last.bps, start, end)
            break
    return found


@settings(max_examples=5000 if DEEP else 400, deadline=None)
@given(many, wishes(), capacities, nows, offerables)
def test_every_offer_is_the_best_of_its_kind(
    asked: list[Wish], last: Wish, capacity: int, now: float | None, offerable: Offerable
) -> None:
    granted, held = granted_in_order(asked, capacity)
    network, wanted = line(SIZE, capacity), last.as_sls("last")
    moment = None if now is None else at(now)
    verdict = admit(network, SCHEME, wanted, held, now=moment, offerable=offerable)
    if isinstance(verdict, Admitted):
        return
    found = {
        offer.kind: (offer.rate_bps, hour_of(offer.start), None if offer.end is None else hour_of(offer.end))
        for offer in verdict.counter_offers
    }
    assert found == expected(last, granted, capacity, now, offerable)
    assert len(found) == len(verdict.counter_offers)
    assert from_json(to_json(verdict)) == verdict
    for offer in verdict.counter_offers:
        assert moment is None or offer.start >= moment
        again = replace(wanted, rate=BitRate(offer.rate_bps), window=TimeWindow(offer.start, offer.end))
        assert isinstance(admit(network, SCHEME, again, held), Admitted)


def held_by(*promised: tuple[int, float, float | None], source: str = JANET) -> list[Commitment]:
    held: list[Commitment] = []
    for number, (bps, start, end) in enumerate(promised):
        wanted = sls(source, GRNET, bps, window(start, end), f"h{number}")
        verdict = admit(NETWORK, SCHEME, wanted, held)
        assert isinstance(verdict, Admitted)
        held += charged(verdict, wanted, NETWORK)
    return held


def offers(verdict: object) -> dict[str, CounterOffer]:
    assert isinstance(verdict, Refused)
    return {offer.kind: offer for offer in verdict.counter_offers}


def test_a_rate_of_a_few_bits_is_no_offer() -> None:
    """Issue 9, case j: 1 bit/s was left where it leaves, and 1 bit/s was offered. No policer takes less than 8000 (platforms,
    limits).
    """
    for left, offered in ((1, None), (7_999, None), (8_000, 8_000), (8_999, 8_000), (1_234_567, 1_234_000)):
        found = offers(
            admit(
                NETWORK,
                SCHEME,
                sls(JANET, GRNET, 5_000_000),
                held_by((7_750_000 - left, 0, 1), source=RENATER),
            )
        )
        assert (found["lower-rate"].rate_bps if "lower-rate" in found else None) == offered


def test_what_is_offered_every_platform_takes() -> None:
    for kind in KINDS:
        assert kind.limits["police-rate"].least <= OFFERABLE.least_bps


def test_an_offer_for_a_start_that_has_passed_begins_now() -> None:
    """Asked from noon to two; it is half past twelve, and until one the link is full."""
    asked = sls(JANET, GRNET, 2_000_000, window(0, 2))
    found = offers(admit(NETWORK, SCHEME, asked, held_by((7_000_000, 0, 1)), now=at(0.5)))
    assert {kind: (each.start, each.end) for kind, each in found.items()} == {
        "lower-rate": (at(0.5), at(2)),
        "later-start": (at(1), at(3)),
    }
    late = offers(admit(NETWORK, SCHEME, asked, held_by((7_000_000, 0, 1)), now=at(1.5)))
    assert {kind: (each.start, each.end, each.rate_bps) for kind, each in late.items()} == {
        "later-start": (at(1.5), at(3.5), 2_000_000),
        "shorter-window": (at(1.5), at(2), 2_000_000),
    }


def test_the_longest_window_from_the_start_is_the_third_offer() -> None:
    asked = sls(JANET, GRNET, 2_000_000, window(0, None))
    found = offers(admit(NETWORK, SCHEME, asked, held_by((7_000_000, 3, None))))
    assert (found["shorter-window"].start, found["shorter-window"].end) == (at(0), at(3))
    assert found["shorter-window"].text == (
        "2 Mbit/s fits from 2026-03-02 12:00:00 UTC to 2026-03-02 15:00:00 UTC"
    )
    assert "later-start" not in found
    # 750 kbit/s are free of the share; the policer has 731,333 bit/s left, which are 729,388 without the headers.
    assert found["lower-rate"].rate_bps == 729_000


@pytest.mark.parametrize(("minutes", "offered"), [(4, False), (5, True)])
def test_a_window_of_less_than_five_minutes_is_no_offer(minutes: int, offered: bool) -> None:
    held = held_by((7_000_000, minutes / 60, 2))
    found = offers(admit(NETWORK, SCHEME, sls(JANET, GRNET, 2_000_000, window(0, 1)), held))
    assert ("shorter-window" in found) == offered


def test_both_ways_are_offered_what_fits_both() -> None:
    """There it is full from one o'clock, back from two."""
    back = sls(GRNET, JANET, 7_000_000, window(2, 9), "back")
    verdict = admit(NETWORK, SCHEME, back, ())
    assert isinstance(verdict, Admitted)
    held = [*held_by((7_000_000, 1, 9)), *charged(verdict, back, NETWORK)]
    pair = (sls(JANET, GRNET, 2_000_000, window(0, 5), "a"), sls(GRNET, JANET, 2_000_000, window(0, 5), "b"))
    found = offers(admit_all(NETWORK, SCHEME, pair, held))
    assert found["shorter-window"].end == at(1)
    assert found["later-start"].start == at(9)
