"""What is held, arranged by link direction and by whose it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from provisioning.pipeline.allowance import allowance_of
from provisioning.pipeline.failures.sweeping import Span, Sweep, highest
from provisioning.pipeline.failures.values import Held, Row
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Direction, Ends, LinkDirection, Network, graph_of
from provisioning.pipeline.units import OPEN_TICKS, TimeWindow, instant_of, ticks_of

Key = tuple[int, str]
"""(number of a link direction, pool)."""

_CORE = (Direction.A_Z, Direction.Z_A)


class Charges:
    """What is held on a network under a scheme, from ``since`` on: what ``held`` says, and what is charged later on.

    ``places`` are numbers of link directions by link and direction, those of the core in use first; ``on`` what is charged by
    place and pool, ``at`` the places by whose it is, ``ends`` where its traffic goes.
    """

    def __init__(self, network: Network, scheme: Scheme, held: Iterable[Held], since: datetime) -> None:
        self.network, self.scheme = network, scheme
        self._graph = graph_of(network)
        self.arcs = len(self._graph.loads)
        self._begin, self._since = since, ticks_of(since)
        self.loads = list(self._graph.loads)
        self.places = {(load.link, load.direction.value): arc for arc, load in enumerate(self.loads)}
        self.of_link: defaultdict[str, list[int]] = defaultdict(list)
        for place, load in enumerate(self.loads):
            self.of_link[load.link].append(place)
        self.names: dict[int, str] = {}
        self.ends: dict[int, Ends] = {}
        self.at: defaultdict[int, set[int]] = defaultdict(set)
        self.on: defaultdict[Key, list[Sweep]] = defaultdict(list)
        self._rooms: dict[Key, int] = {}
        self._shares: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for number, each in enumerate(held, 1):
            self.names[-number], self.ends[-number] = each.id, each.ends
            for load, rate, window in each.pieces:
                start = max(ticks_of(window.start), self._since)
                end = OPEN_TICKS if window.end is None else ticks_of(window.end)
                if end > start:
                    place = self.place(load.link, load.direction.value)
                    self.at[-number].add(place)
                    self.on[place, each.pool].append((start, end, rate, -number))

    def charge(self, rows: Iterable[Row], ends: Mapping[int, Ends]) -> None:
        """Count rows of the ledger too; of whoever has no ``ends`` it is not asked where it goes."""
        found: defaultdict[tuple[str, str, str], list[Sweep]] = defaultdict(list)
        for row in rows:
            found[row[4:]].append(row[:4])
        self.ends.update(ends)
        at = self.at
        for (link, direction, pool), pieces in found.items():
            place = self.place(link, direction)
            self.on[place, pool] += pieces
            if ends:
                for piece in pieces:
                    at[piece[3]].add(place)
        self._rooms.clear()

    def stands(self, spans: Iterable[Span]) -> None:
        """Say of requests in this book where else they are charged."""
        for span in spans:
            self.at[span.whose].update(span.places)

    def windows(self) -> dict[str, tuple[datetime, datetime | None]]:
        """From when until when each request is charged anything, from the time on from which this book is."""
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for pieces in self.on.values():
            for start, end, _, whose in pieces:
                if start < first.get(whose, OPEN_TICKS):
                    first[whose] = start
                if end > last.get(whose, 0):
                    last[whose] = end
        return {
            self.name(whose): (
                instant_of(start),
                None if last[whose] >= OPEN_TICKS else instant_of(last[whose]),
            )
            for whose, start in first.items()
        }

    def name(self, whose: int) -> str:
        return self.names[whose] if whose < 0 else f"PIP-{whose}"

    def place(self, link: str, direction: str) -> int:
        place = self.places.get((link, direction))
        if place is None:
            place = self.places[link, direction] = len(self.loads)
            self.loads.append(LinkDirection(link, Direction(direction)))
            self.of_link[link].append(place)
        return place

    def named(self, names: Collection[str]) -> list[int]:
        return [whose for whose, name in self.names.items() if name in names]

    def is_core(self, place: int) -> bool:
        """Links that are down by now are numbered like access links, and may be charged all the same."""
        return place < self.arcs or self.loads[place].direction in _CORE

    def allowed(self, load: LinkDirection, pool: str) -> list[tuple[int, int, int]]:
        """What a pool may take of a link from now on, by stretches: from, until, bit/s; 0 for one that there is no more."""
        key = (load.link, pool)
        if key not in self._shares:
            found = allowance_of(self.network, self.scheme.pools.get(pool), load.link, self._begin)
            self._shares[key] = [
                (ticks_of(each.start), OPEN_TICKS if each.end is None else ticks_of(each.end), each.rate_bps)
                for each in found.segments(TimeWindow(self._begin))
            ]
        return self._shares[key]

    def room(self, key: Key) -> int:
        """How much more there is room for at every instant, bit/s."""
        found = self._rooms.get(key)
        if found is None:
            found = self._rooms[key] = self.lowest(key) - highest(self.on.get(key, ()))
        return found

    def lowest(self, key: Key) -> int:
        """The least that a pool may take of a link direction from now on, bit/s."""
        return min(bps for _, _, bps in self.allowed(self.loads[key[0]], key[1]))

    def spans(self) -> list[Span]:
        """All that is held, each charge once with the places where it is made."""
        found: defaultdict[tuple[str, Sweep], list[int]] = defaultdict(list)
        for (place, pool), pieces in self.on.items():
            for piece in pieces:
                found[pool, piece].append(place)
        return [Span(*piece, pool, places) for (pool, piece), places in found.items()]
