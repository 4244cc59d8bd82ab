"""Everything that counts, and what one failure does to it: found by reading what it touches.

Instants are microseconds since 1970 in here, link directions numbers: a core of 900 links with 10,000 reservations is
gone through 900 times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from operator import itemgetter

from provisioning.pipeline.failures.charges import Charges, Key
from provisioning.pipeline.failures.moves import Move, Moves
from provisioning.pipeline.failures.sweeping import Span, Sweep, highest_everywhere, too_much
from provisioning.pipeline.failures.values import Cut, Effect, Overload, Shift
from provisioning.pipeline.topology import Detours, Direction, Ends, Failure, lost_links
from provisioning.pipeline.units import OPEN_TICKS, instant_of

Leaving = Mapping[int, Set[int]]
"""Who leaves, by link direction."""
NOTHING: Mapping[tuple[str, str], int] = {}


class Book(Charges):
    """What is held, and what becomes of it when something fails."""

    def effect(self, failure: Failure, *, shifts: bool = False) -> Effect:
        """What the failure does to everything held; with ``shifts`` also to each link direction whose load it changes."""
        moves = self.moves(failure)
        return (
            self.judged_with_loads(moves, self.leaving(moves), self.spans()) if shifts else self.judged(moves)
        )

    def moves(self, failure: Failure) -> Moves:
        """Who goes where. Whoever is charged on what fails takes every shortest path that is left, all of what it holds there,
        and leaves what it had in the core; everybody else stays.
        """
        detours = Detours(self.network, failure)
        found = Moves(failure)
        for (whose, pool), demand in sorted(self._hit(lost_links(self.network, failure)).items()):
            ends = self.ends.get(whose)
            if ends is not None:
                self._move(found, detours, ends, whose, pool, demand)
        return found

    def _hit(self, lost: Iterable[str]) -> dict[tuple[int, str], list[Sweep]]:
        """Who is charged on what fails, in which pool, with what it holds there, counted once where that is several link
        directions.
        """
        first: dict[tuple[int, str], int] = {}
        found: dict[tuple[int, str], list[Sweep]] = {}
        pools = {pool for _, pool in self.on}
        for place in sorted(place for link in lost for place in self.of_link.get(link, ())):
            for pool in pools:
                for piece in self.on.get((place, pool), ()):
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
        own = self.at[whose]
        came = arcs - own
        left = frozenset(self.place(load.link, load.direction.value) for load in borders)
        found.moved.append(Move(whose, pool, demand, arcs, came, left))
        rate = sum(map(_RATE, demand))
        added = found.added[pool]
        for place in came:
            added[place] += rate

    def leaving(self, moves: Moves) -> Leaving:
        """Who leaves, by link direction: who is cut off or ends there all of them, who takes another way those of the core, and
        peerings that are reached no more.
        """
        leaving: defaultdict[int, set[int]] = defaultdict(set)
        for move in moves.moved:
            for place in self.at[move.whose] - move.way:
                if self.is_core(place) or (
                    move.borders
                    and place not in move.borders
                    and self.loads[place].direction == Direction.OUT
                ):
                    leaving[place].add(move.whose)
        for whose in (*moves.ended, *(cut[0] for cut in moves.cuts)):
            for place in self.at[whose]:
                leaving[place].add(whose)
        return leaving

    def concerns(
        self, failure: Failure, names: Collection[str], sums: Mapping[tuple[str, str], int] = NOTHING
    ) -> bool:
        """Whether the failure can leave any of ``names`` unprotected: False only where it certainly does not.

        All that is held on what fails, in sum (``sums`` by link and pool where that is not in this book), is held against the
        room on every link direction of theirs.
        """
        lost = lost_links(self.network, failure)
        hit = self._hit(lost)
        more: defaultdict[str, int] = defaultdict(int)
        for (_, pool), demand in hit.items():
            more[pool] += sum(map(_RATE, demand))
        for link in lost if sums else ():
            for pool in self.scheme.pools:
                more[pool] += sums.get((link, pool), 0)
        detours = Detours(self.network, failure)
        for whose in self.named(names):
            own: Set[int] = self.at[whose]
            if any(who == whose for who, _ in hit) and not detours.ends_there(self.ends[whose]):
                way = detours.way(self.ends[whose])
                if way is None:
                    return True
                own = way[0] | own
            for pool, bps in more.items():
                if any(bps > self.room((place, pool)) for place in own if place < self.arcs):
                    return True
        return False

    def changed(self, moves: Moves, leaving: Leaving) -> set[int]:
        """The numbers of the link directions whose load changes."""
        return {place for added in moves.added.values() for place in added} | leaving.keys()

    def judged(self, moves: Moves) -> Effect:
        """What comes of it."""
        # Most links have room for all of it at once, whenever it comes.
        tight = [
            (place, pool)
            for pool, added in moves.added.items()
            for place, more in added.items()
            if more > self.room((place, pool))
        ]
        leaving = self.leaving(moves) if tight else {}
        return self._told(moves, {key: self.on.get(key, ()) for key in tight}, leaving)

    def judged_with_loads(self, moves: Moves, leaving: Leaving, spans: Collection[Span]) -> Effect:
        """The same, and each link direction whose load changes; ``spans`` is all that is charged there."""
        shifts: list[Shift] = []
        tight: set[Key] = set()
        for pool in {span.pool for span in spans} | moves.added.keys():
            before, after = _highest(
                [span for span in spans if span.pool == pool],
                [move for move in moves.moved if move.pool == pool],
                leaving,
                len(self.loads),
            )
            added: Mapping[int, int] = moves.added.get(pool, {})
            for place in leaving.keys() | added.keys():
                if place in added or before[place]:
                    lowest = self.lowest((place, pool))
                    shifts.append(Shift(self.loads[place], pool, lowest, before[place], after[place]))
                    if place in added and after[place] > lowest:
                        tight.add((place, pool))
        on: defaultdict[Key, list[Sweep]] = defaultdict(list)
        for span in spans if tight else ():
            for place in span.places:
                if (place, span.pool) in tight:
                    on[place, span.pool].append(span[:4])
        told = self._told(moves, {key: on[key] for key in tight}, leaving)
        return replace(told, shifts=tuple(sorted(shifts, key=lambda shift: (shift.load, shift.pool))))

    def _told(self, moves: Moves, tight: Mapping[Key, Sequence[Sweep]], leaving: Leaving) -> Effect:
        """``tight`` is what is held where there may be too much."""
        failure = moves.failure
        overloads = tuple(
            found
            for key in sorted(tight, key=lambda key: (self.loads[key[0]], key[1]))
            for found in self._overloads(
                failure, key, tight[key], moves.coming(*key), leaving.get(key[0], set())
            )
        )
        cuts = (
            Cut(failure, self.name(whose), instant_of(start), None if end >= OPEN_TICKS else instant_of(end))
            for whose, start, end in moves.cuts
        )
        return Effect(
            failure,
            overloads,
            tuple(sorted(cuts, key=lambda cut: _by_number(cut.id))),
            _sorted({self.name(move.whose) for move in moves.moved}),
            _sorted({self.name(whose) for whose in moves.ended}),
        )

    def _overloads(
        self, failure: Failure, key: Key, held: Iterable[Sweep], coming: list[Sweep], leaving: Set[int]
    ) -> Iterable[Overload]:
        load, pool = self.loads[key[0]], key[1]
        allowed = self.allowed(load, pool)
        staying = [piece for piece in held if piece[3] not in leaving]
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
                    None if end >= OPEN_TICKS else instant_of(end),
                    _sorted({*arrived, *self._there(staying, start, end)}),
                    _sorted(arrived),
                )

    def _there(self, pieces: Iterable[Sweep], start: int, end: int) -> set[str]:
        return {self.name(whose) for begin, until, _, whose in pieces if begin < end and until > start}


def _highest(
    spans: Sequence[Span], moved: Iterable[Move], leaving: Leaving, places: int
) -> tuple[list[int], list[int]]:
    """The highest sums in one pool before and after, by place."""
    gone: Set[int] = set().union(*leaving.values())
    after = [span if span.whose not in gone else _staying(span, leaving) for span in spans]
    for move in moved:
        after += (Span(*piece, move.pool, move.came) for piece in move.demand)
    return highest_everywhere(spans, places), highest_everywhere(after, places)


def _staying(span: Span, leaving: Leaving) -> Span:
    return span._replace(
        places=[place for place in span.places if place not in leaving or span.whose not in leaving[place]]
    )


_RATE = itemgetter(2)


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
