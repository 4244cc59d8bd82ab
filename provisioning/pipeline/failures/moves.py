"""Who takes another way after a failure, before it is asked whether there is room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass, field
from typing import NamedTuple

from provisioning.pipeline.failures.sweeping import Sweep
from provisioning.pipeline.topology import Failure


class Move(NamedTuple):
    """One that takes another way: whose, its pool, what it holds on what fails, the link directions of its way through the core
    and those of them that it comes to, and the peerings that it may still leave by (none where it does not leave the domain).
    """

    whose: int
    pool: str
    demand: list[Sweep]
    way: Set[int]
    came: Set[int]
    borders: Set[int]


@dataclass
class Moves:
    """By the numbers of a book (of link directions, of whose it is): who takes another way, who begins or ends on what fails, and
    who is cut off from when until when. ``added`` are the rates that come, by pool and link direction, in sum over all time.
    """

    failure: Failure
    moved: list[Move] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    cuts: list[tuple[int, int, int]] = field(default_factory=list)
    added: defaultdict[str, defaultdict[int, int]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(int))
    )

    def coming(self, place: int, pool: str) -> list[Sweep]:
        """What comes to a link direction."""
        return [
            piece for move in self.moved if move.pool == pool and place in move.came for piece in move.demand
        ]
