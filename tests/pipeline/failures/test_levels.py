"""Time gone through once for all links together says what each link by itself says, instant by instant."""

from __future__ import annotations

import random

from provisioning.pipeline.failures import Book, Shift, Span
from provisioning.pipeline.failures.moves import Moves
from provisioning.pipeline.failures.sweeping import Sweep, highest, highest_everywhere
from provisioning.pipeline.topology import single_failures
from provisioning.pipeline.units import OPEN_TICKS
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.failures.worlds import whole_world
from tests.pipeline.networks import at

SCHEME = load_scheme("6net")
PLACES = 5


def _at_each_instant(pieces: list[Sweep]) -> int:
    instants = {piece[0] for piece in pieces}
    return max((sum(p[2] for p in pieces if p[0] <= now < p[1]) for now in instants), default=0)


def test_the_highest_everywhere_is_the_highest_in_each_place() -> None:
    chance = random.Random(3)
    for _ in range(300):
        spans = []
        for number in range(chance.randint(0, 9)):
            start = chance.randint(0, 6)
            end = chance.choice((start + chance.randint(1, 4), OPEN_TICKS))
            where = chance.choices(range(PLACES), k=chance.randint(0, 6))  # twice in a place, too
            spans.append(Span(start, end, chance.randint(1, 9), number, "p", where))
        found = highest_everywhere(spans, PLACES)
        for place in range(PLACES):
            pieces = [span[:4] for span in spans for where in span.places if where == place]
            assert found[place] == highest(pieces) == _at_each_instant(pieces)


def test_the_loads_of_a_failure_are_those_of_each_link_by_itself() -> None:
    seen = 0
    for seed in range(250):
        world = whole_world(random.Random(seed))
        network = world.network()
        book = Book(network, SCHEME, world.held(), since=at(0))
        for failure in single_failures(network, "links-and-routers"):
            moves = book.moves(failure)
            effect = book.effect(failure, shifts=True)
            assert effect.shifts == _link_by_link(book, moves), (seed, failure)
            plain = book.effect(failure)
            assert (effect.overloads, effect.cuts) == (plain.overloads, plain.cuts), (seed, failure)
            assert (effect.rerouted, effect.ended) == (plain.rerouted, plain.ended), (seed, failure)
            seen += len(effect.shifts)
    assert seen > 5000


def _link_by_link(book: Book, moves: Moves) -> tuple[Shift, ...]:
    """Every link direction in its turn, every instant in its turn."""
    leaving = book.leaving(moves)
    found = []
    for place in book.changed(moves, leaving):
        for pool in SCHEME.pools:
            held, coming = book.on.get((place, pool), []), moves.coming(place, pool)
            if held or coming:
                stays = [piece for piece in held if piece[3] not in leaving.get(place, ())]
                lowest = min(bps for _, _, bps in book.allowed(book.loads[place], pool))
                most = _at_each_instant(held), _at_each_instant([*stays, *coming])
                found.append(Shift(book.loads[place], pool, lowest, *most))
    return tuple(sorted(found, key=lambda shift: (shift.load, shift.pool)))
