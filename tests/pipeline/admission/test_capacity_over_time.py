"""Capacity that changes with time against brute force: every instant at which anything changes is looked at by adding up.

The oracle knows neither timelines nor allowances: it has its own numbers of what a link carries and a pool takes at an hour.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.pipeline.admission import Admitted, Offerable, Refused, admit, overcommitments
from provisioning.pipeline.scheme import Policers
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import (
    LinkCapacity,
    Network,
    Planned,
    PoolShare,
    network_from_json,
    network_to_json,
)
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.depth import DEEP
from tests.pipeline.admission.oracle import RATES, Wish, charged, line, total
from tests.pipeline.admission.test_properties import wishes
from tests.pipeline.networks import at

SIZE, LAST = 4, 40
SCHEME = replace(load_scheme("6net"), policers=Policers())
"""What a policer makes of it does not change with time, and has an oracle of its own (test_policers)."""
EXACT = Offerable(least_bps=1, step_bps=1, least_length=timedelta(0))
CASES = 20_000 if DEEP else 500
Load = tuple[str, int, str]


@dataclass(frozen=True)
class Change:
    """What the link of a kind and number carries, or (number None) the pool takes of all of the kind, in per cent."""

    kind: str
    number: int | None
    value: int
    start: int
    end: int | None

    def on(self, hour: float) -> bool:
        return self.start <= hour and (self.end is None or hour < self.end)

    def planned(self) -> Planned:
        window = TimeWindow(at(self.start), None if self.end is None else at(self.end))
        if self.number is None:
            return PoolShare("ip-premium", self.kind, Decimal(self.value), window)  # type: ignore[arg-type]
        n = self.number
        name = f"N{n}@r{n}:POS1/0" if self.kind == "access" else _core(n)
        return LinkCapacity(name, self.value, window)


def _core(number: int) -> str:
    return line(SIZE, 1000).core_links[number].id


@st.composite
def changes(draw: st.DrawFn) -> Change:
    kind = draw(st.sampled_from(("access", "core")))
    of_pool = draw(st.integers(0, 3)) == 0
    number = None if of_pool else draw(st.integers(0, SIZE - 1 if kind == "access" else SIZE - 2))
    value = draw(st.integers(0, 40)) if of_pool else draw(st.sampled_from((0, 200, 499, 1000, 1750, 4000)))
    start = draw(st.integers(-2, 11))
    return Change(kind, number, value, start, draw(st.one_of(st.none(), st.integers(start + 1, 13))))


def holds(found: Iterable[Change], hour: float, usual: int) -> tuple[int, list[int]]:
    """What holds from a date on, and what limits it for a time; both as plain numbers."""
    on = [each for each in found if each.on(hour)]
    lasting = sorted((each for each in on if each.end is None), key=lambda each: each.start)
    return (lasting[-1].value if lasting else usual), [each.value for each in on if each.end is not None]


def share(load: Load, capacity: int, said: list[Change], hour: float) -> int:
    """What IP Premium may take of a link at an hour, whole bits only."""
    kind, number, _ = load
    bw = capacity if kind == "access" else capacity // 2
    usable, less = holds((each for each in said if (each.kind, each.number) == (kind, number)), hour, bw)
    base = min([bw, usable, *less])
    percent, limits = holds(
        (each for each in said if (each.kind, each.number) == (kind, None)),
        hour,
        5 if kind == "access" else 20,
    )
    return min(base * each // 100 for each in (percent, *limits))


def hours(said: Iterable[Change], held: Iterable[Wish], *more: int) -> list[float]:
    """Every hour at which anything changes, and the moments just before and after."""
    marks = {each.start for each in (*said, *held)} | {
        each.end for each in (*said, *held) if each.end is not None
    }
    return sorted({mark + by for mark in (*marks, *more, LAST) for by in (-0.25, 0, 0.25)})


def free(load: Load, hour: float, capacity: int, said: list[Change], held: list[Wish]) -> int:
    return share(load, capacity, said, hour) - total(load, held, hour)


def fits(wish: Wish, capacity: int, said: list[Change], held: list[Wish]) -> bool:
    marks = [hour for hour in hours(said, held, wish.start) if wish.is_on(hour)]
    return all(wish.bps <= free(load, hour, capacity, said, held) for load in wish.loads() for hour in marks)


def network_of(capacity: int, said: Iterable[Change]) -> Network:
    plain = line(SIZE, capacity)
    made = replace(plain, planned=tuple(sorted((each.planned() for each in said), key=str)))
    return network_from_json(network_to_json(made)) if len(made.planned) % 2 else made


def _apart(said: list[Change]) -> list[Change]:
    """Of what begins at one hour and lasts, one of a thing: which of two would hold nobody says."""
    found: dict[tuple[str, int | None, int], Change] = {}
    bounded = [each for each in said if each.end is not None]
    for each in said:
        if each.end is None:
            found.setdefault((each.kind, each.number, each.start), each)
    return [*bounded, *found.values()]


@settings(max_examples=CASES, deadline=None)
@given(
    st.lists(changes(), max_size=5).map(_apart),
    st.lists(wishes(), max_size=8),
    wishes(),
    st.sampled_from(RATES),
)
def test_decision_reasons_and_offers_are_those_of_brute_force(
    said: list[Change], before: list[Wish], asked: Wish, capacity: int
) -> None:
    network = network_of(capacity, said)
    held: list[Wish] = []
    book: list[Commitment] = []
    for number, wish in enumerate(before):
        sls = wish.as_sls(f"s{number}")
        verdict = admit(network, SCHEME, sls, book)
        assert isinstance(verdict, Admitted) == fits(wish, capacity, said, held), (wish, held)
        if isinstance(verdict, Admitted):
            held.append(wish)
            book += charged(verdict, sls)
    verdict = admit(network, SCHEME, asked.as_sls("x"), book, offerable=EXACT)
    assert isinstance(verdict, Admitted) == fits(asked, capacity, said, held)
    marks = [hour for hour in hours(said, held, asked.start) if asked.is_on(hour)]
    for load, seen in zip(asked.loads(), verdict.evidence, strict=True):
        assert seen.headroom_bps == min(free(load, hour, capacity, said, held) for hour in marks)
        named = [reason for reason in getattr(verdict, "reasons", ()) if reason.link == seen.link]
        for hour in marks:
            over = asked.bps - free(load, hour, capacity, said, held)
            there = [
                reason
                for reason in named
                if reason.interval_start <= at(hour)
                and (reason.interval_end is None or at(hour) < reason.interval_end)
            ]
            assert len(there) == (over > 0)
            assert all(reason.shortfall_bps >= over for reason in there)
            assert all(reason.share_bps == share(load, capacity, said, hour) for reason in there)
    if isinstance(verdict, Refused):
        _offers(verdict, asked, capacity, said, held)


def _offers(verdict: Refused, asked: Wish, capacity: int, said: list[Change], held: list[Wish]) -> None:
    offers = {offer.kind: offer for offer in verdict.counter_offers}
    marks = [hour for hour in hours(said, held, asked.start) if asked.is_on(hour)]
    most = min(free(load, hour, capacity, said, held) for load in asked.loads() for hour in marks)
    assert (offers["lower-rate"].rate_bps if "lower-rate" in offers else 0) == max(most, 0)
    starts = sorted(
        {asked.start, *(hour for hour in hours(said, held) if hour == int(hour) and hour > asked.start)}
    )
    length = None if asked.end is None else asked.end - asked.start
    moved = (
        replace(asked, start=int(start), end=None if length is None else int(start) + length)
        for start in starts
    )
    later = next((each.start for each in moved if fits(each, capacity, said, held)), None)
    found = offers.get("later-start")
    # Of a link that never carries so much nothing is offered; of any other the earliest start.
    assert (None if found is None else found.start) == (None if later is None else at(later))
    ends = [
        int(hour)
        for hour in hours(said, held)
        if hour == int(hour) and asked.is_on(hour) and hour > asked.start
    ]
    longest = max((end for end in ends if fits(replace(asked, end=end), capacity, said, held)), default=None)
    shorter = offers.get("shorter-window")
    assert (None if shorter is None else shorter.end) == (None if longest is None else at(longest))


@settings(max_examples=CASES // 4, deadline=None)
@given(st.lists(changes(), max_size=5).map(_apart), st.lists(wishes(), max_size=6), st.sampled_from(RATES))
def test_who_no_longer_fits_is_named_at_every_instant_and_nobody_else(
    said: list[Change], held: list[Wish], capacity: int
) -> None:
    """Whatever was granted before anybody said anything of capacity."""
    plain = line(SIZE, 1_000_000)
    book: list[Commitment] = []
    for number, wish in enumerate(held):
        verdict = admit(plain, SCHEME, wish.as_sls(f"PIP-{number}"), ())
        assert isinstance(verdict, Admitted)
        book += charged(verdict, wish.as_sls(f"PIP-{number}"))
    told = overcommitments(network_of(capacity, said), SCHEME, book, at(-9))
    names = {
        each.link_direction: load
        for number, wish in enumerate(held)
        for load, each in _loads(wish, number, plain)
    }
    for hour in hours(said, held):
        for where, load in names.items():
            sum_bps, most = total(load, held, hour), share(load, capacity, said, hour)
            there = [
                each
                for each in told
                if (each.link, each.direction) == (where.link, where.direction)
                and each.start <= at(hour)
                and (each.end is None or at(hour) < each.end)
            ]
            assert len(there) == (sum_bps > most), (where, hour)
            assert all(each.share_bps == most and each.granted_bps >= sum_bps for each in there)


def _loads(wish: Wish, number: int, network: Network) -> list[tuple[Load, Commitment]]:
    sls = wish.as_sls(f"PIP-{number}")
    verdict = admit(network, SCHEME, sls, ())
    assert isinstance(verdict, Admitted)
    return list(zip(wish.loads(), charged(verdict, sls), strict=True))
