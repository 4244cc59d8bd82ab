"""Everything that counts, arranged so that the effect of one failure is found by reading what it touches.

Instants are microseconds since 1970 in here, link directions numbers: a core of 900 links with 10,000 reservations is
gone through 900 times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from provisioning.pipeline.allowance import allowance_of
from provisioning.pipeline.failures.sweeping import Sweep, highest, too_much
from provisioning.pipeline.failures.values import Cut, Effect, Held, Overload, Shift
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import (
    Detours,
    Direction,
    Failure,
    LinkDirection,
    Network,
    graph_of,
    lost_links,
)
from provisioning.pipeline.units import TimeWindow

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_OPEN = 1 << 62
_CORE = (Direction.A_Z, Direction.Z_A)

Key = tuple[int, str]
"""(number of a link direction, pool)."""


class Book:
    """What is held on a network under a scheme, from ``since`` on."""

    def __init__(self, network: Network, scheme: Scheme, held: Iterable[Held], since: datetime) -> None:
        self.network, self.scheme = network, scheme
        self._graph = graph_of(network)
        self._begin, self._since = since, _ticks(since)
        self._places: dict[LinkDirection, int] = {load: arc for arc, load in enumerate(self._graph.loads)}
        self._loads = list(self._graph.loads)
        self._held = tuple(held)
        self._on: defaultdict[Key, list[Sweep]] = defaultdict(list)
        self._links: defaultdict[str, set[int]] = defaultdict(set)
        self._of: list[dict[int, list[Sweep]]] = []
        self._core: list[frozenset[int]] = []
        self._sums: defaultdict[Key, int] = defaultdict(int)
        self._peaks: dict[Key, int] = {}
        self._shares: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for number, each in enumerate(self._held):
            self._put(number, each)

    def _put(self, number: int, each: Held) -> None:
        own: defaultdict[int, list[Sweep]] = defaultdict(list)
        for load, rate, window in each.pieces:
            start, end = (
                max(_ticks(window.start), self._since),
                _OPEN if window.end is None else _ticks(window.end),
            )
            if end <= start:
                continue
            place, piece = self._place(load), (start, end, rate, number)
            own[place].append(piece)
            self._on[place, each.pool].append(piece)
            self._sums[place, each.pool] += rate
            self._links[load.link].add(number)
        self._of.append(dict(own))
        self._core.append(frozenset(place for place in own if self._loads[place].direction in _CORE))

    def _place(self, load: LinkDirection) -> int:
        place = self._places.get(load)
        if place is None:
            place = self._places[load] = len(self._loads)
            self._loads.append(load)
        return place

    def effect(self, failure: Failure, *, shifts: bool = False) -> Effect:
        """What the failure does to everything held; with ``shifts`` also to each link direction whose load it changes.

        Whoever is charged on what fails takes every shortest path that is left, all of what it holds there, and leaves what
        it had in the core; everybody else stays.
        """
        detours = Detours(self.network, failure)
        lost = lost_links(self.network, failure)
        affected = sorted(set().union(*(self._links.get(link, ()) for link in lost)))
        coming: defaultdict[Key, list[Sweep]] = defaultdict(list)
        leaving: defaultdict[int, set[int]] = defaultdict(set)
        cuts: list[Cut] = []
        rerouted: list[int] = []
        ended: list[int] = []
        for number in affected:
            held, own, core = self._held[number], self._of[number], self._core[number]
            demand = self._demand(own, lost)
            way = None if detours.ends_there(held.ends) else detours.way(held.ends)
            if way is None:
                for place in own:
                    leaving[place].add(number)
                if detours.ends_there(held.ends):
                    ended.append(number)
                else:
                    window = _window(min(each[0] for each in demand), max(each[1] for each in demand))
                    cuts.append(Cut(failure, held.id, window.start, window.end))
                continue
            rerouted.append(number)
            arcs, borders = way
            for place in core - arcs:
                leaving[place].add(number)
            for place in arcs - core:
                coming[place, held.pool] += demand
            if borders:
                for place in own.keys() - core:
                    if self._loads[place] not in borders and self._loads[place].direction == Direction.OUT:
                        leaving[place].add(number)  # a peering that is reached no more
        overloads = tuple(
            found
            for key in sorted(coming, key=lambda key: (self._loads[key[0]], key[1]))
            for found in self._overloads(failure, key, coming[key], leaving[key[0]])
        )
        return Effect(
            failure,
            overloads,
            tuple(cuts),
            tuple(self._held[number].id for number in rerouted),
            tuple(self._held[number].id for number in ended),
            self._shifts(coming, leaving) if shifts else (),
        )

    def _demand(self, own: dict[int, list[Sweep]], lost: frozenset[str]) -> list[Sweep]:
        """What a request holds on what fails, counted once where that is several link directions."""
        return own[min(place for place in own if self._loads[place].link in lost)]

    def _allowed(self, load: LinkDirection, pool: str) -> list[tuple[int, int, int]]:
        """What a pool may take of a link from now on, by stretches: from, until, bit/s; 0 for one that there is no more."""
        key = (load.link, pool)
        if key not in self._shares:
            found = allowance_of(self.network, self.scheme.pools.get(pool), load.link, self._begin)
            self._shares[key] = [
                (_ticks(each.start), _OPEN if each.end is None else _ticks(each.end), each.rate_bps)
                for each in found.segments(TimeWindow(self._begin))
            ]
        return self._shares[key]

    def _peak(self, key: Key) -> int:
        if key not in self._peaks:
            self._peaks[key] = highest(self._on.get(key, ()))
        return self._peaks[key]

    def _overloads(
        self, failure: Failure, key: Key, coming: list[Sweep], leaving: set[int]
    ) -> Iterable[Overload]:
        load, pool = self._loads[key[0]], key[1]
        allowed = self._allowed(load, pool)
        lowest = min(bps for _, _, bps in allowed)
        added = sum(piece[2] for piece in coming)
        # Most links have room for all of it at once, whenever it comes.
        if added + self._sums.get(key, 0) <= lowest or added + self._peak(key) <= lowest:
            return
        staying = [piece for piece in self._on.get(key, ()) if piece[3] not in leaving]
        for since, until, share in allowed:
            here = coming if len(allowed) == 1 else _cut(coming, since, until)
            beside = staying if len(allowed) == 1 else _cut(staying, since, until)
            for start, end, most in too_much(beside, here, share):
                arrived = self._ids(coming, start, end)
                yield Overload(
                    failure,
                    load,
                    pool,
                    share,
                    most,
                    _instant(start),
                    None if end >= _OPEN else _instant(end),
                    _sorted({*arrived, *self._ids(staying, start, end)}),
                    _sorted(arrived),
                )

    def _ids(self, pieces: Iterable[Sweep], start: int, end: int) -> set[str]:
        return {self._held[number].id for begin, until, _, number in pieces if begin < end and until > start}

    def _shifts(self, coming: dict[Key, list[Sweep]], leaving: dict[int, set[int]]) -> tuple[Shift, ...]:
        changed = set(coming)
        changed |= {key for key in self._on if leaving.get(key[0])}
        found = []
        for key in changed:
            staying = [piece for piece in self._on.get(key, ()) if piece[3] not in leaving.get(key[0], ())]
            load = self._loads[key[0]]
            after = highest((*staying, *coming.get(key, ())))
            lowest = min(bps for _, _, bps in self._allowed(load, key[1]))
            found.append(Shift(load, key[1], lowest, self._peak(key), after))
        return tuple(sorted(found, key=lambda shift: (shift.load, shift.pool)))


def _cut(pieces: Iterable[Sweep], since: int, until: int) -> list[Sweep]:
    """As much of each as lies within."""
    return [
        (max(start, since), min(end, until), rate, number)
        for start, end, rate, number in pieces
        if start < until and end > since
    ]


def _sorted(ids: set[str]) -> tuple[str, ...]:
    return tuple(sorted(ids, key=lambda name: (len(name), name)))  # PIP-9 before PIP-10


def _ticks(instant: datetime) -> int:
    return (instant - _EPOCH) // _TICK


def _instant(ticks: int) -> datetime:
    return _EPOCH + ticks * _TICK


def _window(start: int, end: int) -> TimeWindow:
    return TimeWindow(_instant(start), None if end >= _OPEN else _instant(end))
