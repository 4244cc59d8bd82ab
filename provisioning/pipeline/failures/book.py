"""Everything that counts, arranged so that the effect of one failure is found by reading what it touches.

Instants are microseconds since 1970 in here, link directions numbers: a core of 900 links with 10,000 reservations is
gone through 900 times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from operator import itemgetter

from provisioning.pipeline.allowance import allowance_of
from provisioning.pipeline.failures.instants import OPEN, instant_of, ticks_of
from provisioning.pipeline.failures.moves import Move, Moves
from provisioning.pipeline.failures.sweeping import Sweep, highest, highest_before_and_after, too_much
from provisioning.pipeline.failures.values import Cut, Effect, Held, Overload, Row, Shift
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import (
    Detours,
    Direction,
    Ends,
    Failure,
    LinkDirection,
    Network,
    graph_of,
    lost_links,
)
from provisioning.pipeline.units import TimeWindow

Key = tuple[int, str]
"""(number of a link direction, pool)."""


class Book:
    """What is held on a network under a scheme, from ``since`` on: what ``held`` says, and what is charged later on."""

    def __init__(
        self, network: Network, scheme: Scheme, held: Iterable[Held] = (), *, since: datetime
    ) -> None:
        self.network, self.scheme = network, scheme
        self._graph = graph_of(network)
        self._arcs = len(self._graph.loads)
        self._begin, self._since = since, ticks_of(since)
        self._loads = list(self._graph.loads)
        self._places = {(load.link, load.direction.value): arc for arc, load in enumerate(self._loads)}
        self._of_link: defaultdict[str, list[int]] = defaultdict(list)
        for place, load in enumerate(self._loads):
            self._of_link[load.link].append(place)
        self._names: dict[int, str] = {}
        self._ends: dict[int, Ends] = {}
        self._at: defaultdict[int, set[int]] = defaultdict(set)
        self._on: defaultdict[Key, list[Sweep]] = defaultdict(list)
        self._rooms: dict[Key, int] = {}
        self._shares: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for number, each in enumerate(held, 1):
            self._names[-number], self._ends[-number] = each.id, each.ends
            for load, rate, window in each.pieces:
                start = max(ticks_of(window.start), self._since)
                end = OPEN if window.end is None else ticks_of(window.end)
                if end > start:
                    place = self._place(load.link, load.direction.value)
                    self._at[-number].add(place)
                    self._on[place, each.pool].append((start, end, rate, -number))

    def charge(self, rows: Iterable[Row], ends: Mapping[int, Ends]) -> None:
        """Count rows of the ledger too; of whoever has no ``ends`` it is not asked where it goes."""
        found: defaultdict[tuple[str, str, str], list[Sweep]] = defaultdict(list)
        for row in rows:
            found[row[4:]].append(row[:4])
        self._ends.update(ends)
        at = self._at
        for (link, direction, pool), pieces in found.items():
            place = self._place(link, direction)
            self._on[place, pool] += pieces
            if ends:
                for piece in pieces:
                    at[piece[3]].add(place)
        self._rooms.clear()

    def stands(self, places: Iterable[tuple[int, str, str]]) -> None:
        """Say of requests in this book where else they are charged: (request, link, direction)."""
        for request, link, direction in places:
            self._at[request].add(self._place(link, direction))

    def windows(self) -> dict[str, tuple[datetime, datetime | None]]:
        """From when until when each request is charged anything, from the time on from which this book is."""
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for pieces in self._on.values():
            for start, end, _, whose in pieces:
                if start < first.get(whose, OPEN):
                    first[whose] = start
                if end > last.get(whose, 0):
                    last[whose] = end
        return {
            self._name(whose): (instant_of(start), None if last[whose] >= OPEN else instant_of(last[whose]))
            for whose, start in first.items()
        }

    def _name(self, whose: int) -> str:
        return self._names[whose] if whose < 0 else f"PIP-{whose}"

    def _place(self, link: str, direction: str) -> int:
        place = self._places.get((link, direction))
        if place is None:
            place = self._places[link, direction] = len(self._loads)
            self._loads.append(LinkDirection(link, Direction(direction)))
            self._of_link[link].append(place)
        return place

    def effect(self, failure: Failure, *, shifts: bool = False) -> Effect:
        """What the failure does to everything held; with ``shifts`` also to each link direction whose load it changes."""
        return self.judged(self.moves(failure), shifts=shifts)

    def moves(self, failure: Failure) -> Moves:
        """Who goes where. Whoever is charged on what fails takes every shortest path that is left, all of what it holds there,
        and leaves what it had in the core; everybody else stays.
        """
        detours = Detours(self.network, failure)
        found = Moves(failure)
        for (whose, pool), demand in sorted(self._hit(lost_links(self.network, failure)).items()):
            ends = self._ends.get(whose)
            if ends is not None:
                self._move(found, detours, ends, whose, pool, demand)
        return found

    def _hit(self, lost: Iterable[str]) -> dict[tuple[int, str], list[Sweep]]:
        """Who is charged on what fails, in which pool, with what it holds there, counted once where that is several link
        directions.
        """
        first: dict[tuple[int, str], int] = {}
        found: dict[tuple[int, str], list[Sweep]] = {}
        pools = {pool for _, pool in self._on}
        for place in sorted(place for link in lost for place in self._of_link.get(link, ())):
            for pool in pools:
                for piece in self._on.get((place, pool), ()):
                    who = (piece[3], pool)
                    if first.setdefault(who, place) == place:
                        found.setdefault(who, []).append(piece)
        return found

    def _move(
        self, found: Moves, detours: Detours, ends: Ends, whose: int, pool: str, demand: list[Sweep]
    ) -> None:
        if detours.ends_there(ends):
            found.ended.append(whose)
            return
        way = detours.way(ends)
        if way is None:
            found.cuts.append((whose, min(each[0] for each in demand), max(each[1] for each in demand)))
            return
        arcs, borders = way
        own = self._at[whose]
        came = arcs - own
        left = frozenset(self._place(load.link, load.direction.value) for load in borders)
        found.moved.append(Move(whose, pool, demand, arcs, came, left))
        rate = sum(map(_RATE, demand))
        added = found.added[pool]
        for place in came:
            added[place] += rate

    def _leaving(self, moves: Moves) -> dict[int, set[int]]:
        """Who leaves, by link direction: who is cut off or ends there all of them, who takes another way those of the core, and
        peerings that are reached no more.
        """
        leaving: defaultdict[int, set[int]] = defaultdict(set)
        for move in moves.moved:
            for place in self._at[move.whose] - move.way:
                if self._is_core(place) or (
                    move.borders and place not in move.borders and self._loads[place].direction == Direction.OUT
                ):
                    leaving[place].add(move.whose)
        for whose in (*moves.ended, *(cut[0] for cut in moves.cuts)):
            for place in self._at[whose]:
                leaving[place].add(whose)
        return leaving

    def _is_core(self, place: int) -> bool:
        """Links that are down by now are numbered like access links, and may be charged all the same."""
        return place < self._arcs or self._loads[place].direction in _CORE

    def changed(self, moves: Moves) -> set[tuple[str, str]]:
        """The link directions whose load changes."""
        places = {place for added in moves.added.values() for place in added} | self._leaving(moves).keys()
        return {(self._loads[place].link, self._loads[place].direction.value) for place in places}

    def judged(self, moves: Moves, *, shifts: bool = False) -> Effect:
        """What comes of it; ``shifts`` as in ``effect``."""
        failure = moves.failure
        # Most links have room for all of it at once, whenever it comes.
        tight = [
            (place, pool)
            for pool, added in moves.added.items()
            for place, more in added.items()
            if more > self._room((place, pool))
        ]
        leaving = self._leaving(moves) if tight or shifts else {}
        overloads = tuple(
            found
            for key in sorted(tight, key=lambda key: (self._loads[key[0]], key[1]))
            for found in self._overloads(failure, key, moves.coming(*key), leaving.get(key[0], set()))
        )
        cuts = (
            Cut(failure, self._name(whose), instant_of(start), None if end >= OPEN else instant_of(end))
            for whose, start, end in moves.cuts
        )
        return Effect(
            failure,
            overloads,
            tuple(sorted(cuts, key=lambda cut: _by_number(cut.id))),
            _sorted({self._name(move.whose) for move in moves.moved}),
            _sorted({self._name(whose) for whose in moves.ended}),
            self._shifts(moves, leaving) if shifts else (),
        )

    def _allowed(self, load: LinkDirection, pool: str) -> list[tuple[int, int, int]]:
        """What a pool may take of a link from now on, by stretches: from, until, bit/s; 0 for one that there is no more."""
        key = (load.link, pool)
        if key not in self._shares:
            found = allowance_of(self.network, self.scheme.pools.get(pool), load.link, self._begin)
            self._shares[key] = [
                (ticks_of(each.start), OPEN if each.end is None else ticks_of(each.end), each.rate_bps)
                for each in found.segments(TimeWindow(self._begin))
            ]
        return self._shares[key]

    def _room(self, key: Key) -> int:
        """How much more there is room for at every instant, bit/s."""
        found = self._rooms.get(key)
        if found is None:
            lowest = min(bps for _, _, bps in self._allowed(self._loads[key[0]], key[1]))
            found = self._rooms[key] = lowest - highest(self._on.get(key, ()))
        return found

    def _overloads(
        self, failure: Failure, key: Key, coming: list[Sweep], leaving: set[int]
    ) -> Iterable[Overload]:
        load, pool = self._loads[key[0]], key[1]
        allowed = self._allowed(load, pool)
        staying = [piece for piece in self._on.get(key, ()) if piece[3] not in leaving]
        for since, until, share in allowed:
            here = coming if len(allowed) == 1 else _cut(coming, since, until)
            beside = staying if len(allowed) == 1 else _cut(staying, since, until)
            for start, end, most in too_much(beside, here, share):
                arrived = self._there(coming, start, end)
                yield Overload(
                    failure,
                    load,
                    pool,
                    share,
                    most,
                    instant_of(start),
                    None if end >= OPEN else instant_of(end),
                    _sorted({*arrived, *self._there(staying, start, end)}),
                    _sorted(arrived),
                )

    def _there(self, pieces: Iterable[Sweep], start: int, end: int) -> set[str]:
        return {self._name(whose) for begin, until, _, whose in pieces if begin < end and until > start}

    def _shifts(self, moves: Moves, leaving: Mapping[int, set[int]]) -> tuple[Shift, ...]:
        pools = {pool for _, pool in self._on}
        changed = {(place, pool) for place in leaving for pool in pools if (place, pool) in self._on}
        coming: defaultdict[Key, list[Sweep]] = defaultdict(list)
        for move in moves.moved:
            for place in move.came:
                coming[place, move.pool] += move.demand
        found = []
        for key in changed | coming.keys():
            load = self._loads[key[0]]
            before, after = highest_before_and_after(
                self._on.get(key, ()), leaving.get(key[0], frozenset()), coming.get(key, ())
            )
            lowest = min(bps for _, _, bps in self._allowed(load, key[1]))
            found.append(Shift(load, key[1], lowest, before, after))
        return tuple(sorted(found, key=lambda shift: (shift.load, shift.pool)))


_RATE = itemgetter(2)
_CORE = (Direction.A_Z, Direction.Z_A)


def _cut(pieces: Iterable[Sweep], since: int, until: int) -> list[Sweep]:
    """As much of each as lies within."""
    return [
        (max(start, since), min(end, until), rate, number)
        for start, end, rate, number in pieces
        if start < until and end > since
    ]


def _sorted(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(ids, key=_by_number))


def _by_number(name: str) -> tuple[int, str]:
    return len(name), name  # PIP-9 before PIP-10
