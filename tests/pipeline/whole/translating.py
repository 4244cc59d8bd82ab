"""A world as the values of the pipeline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import lru_cache

from provisioning.pipeline.admission import Admitted, Overcommitment, Reason
from provisioning.pipeline.failures import Held, Piece
from provisioning.pipeline.scheme import Policers, Scheme, SingleFailures
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import (
    CoreLinkValue,
    Direction,
    Ends,
    LinkCapacity,
    LinkDirection,
    Network,
    Planned,
    PoolShare,
)
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.pipeline import networks
from tests.pipeline.whole.world import Holding, Said, Way, Wish, World

POOL = "ip-premium"


@lru_cache
def scheme(count: str, unprotected: str) -> Scheme:
    """6NET's, with another word about single failures; the shares alone decide, for which there is one judge here."""
    failures = SingleFailures(count, unprotected)  # type: ignore[arg-type]
    return replace(load_scheme("6net"), failures=failures, policers=Policers())


def network(world: World) -> Network:
    return Network(
        tuple(networks.router(name) for name in world.routers),
        tuple(
            networks.access(f"N{number}", name, bps, id=f"N-{name}")
            for number, (name, bps) in enumerate(world.access.items())
        ),
        tuple(
            CoreLinkValue(
                each.name,
                each.a,
                f"POS2/{port}",
                each.z,
                f"POS2/{port}",
                each.metric,
                each.bw,
                each.bw,
                each.bw,
                each.down,
            )
            for port, each in enumerate(world.cores)
        ),
        planned=tuple(_planned(world, each) for each in world.said),
    )


def _planned(world: World, said: Said) -> Planned:
    window = span(world, said.start, said.end)
    if said.link is None:
        return PoolShare(POOL, said.kind, Decimal(said.value), window)
    return LinkCapacity(said.link, said.value, window)


def span(world: World, start: int, end: int | None) -> TimeWindow:
    return TimeWindow(world.at(start), None if end is None else world.at(end))


def sls(world: World, wish: Wish, name: str) -> Sls:
    """What is asked, from now on: nobody decides about what has passed."""
    window = span(world, max(wish.start, world.now), wish.end)
    return networks.sls(f"N-{wish.source}", f"N-{wish.goal}", wish.bps, window, name)


def load(world: World, way: Way) -> LinkDirection:
    link, head = way
    if link.startswith("N-"):
        return LinkDirection(link, Direction(head))
    core = next(each for each in world.cores if each.name == link)
    return LinkDirection(link, Direction.A_Z if head == core.z else Direction.Z_A)


def way(world: World, found: LinkDirection) -> Way:
    if found.direction in (Direction.IN, Direction.OUT):
        return found.link, found.direction.value
    core = next(each for each in world.cores if each.name == found.link)
    return found.link, core.z if found.direction == Direction.A_Z else core.a


def load_of(found: Reason | Overcommitment) -> LinkDirection:
    """Where what is said is too much."""
    assert found.link is not None and found.direction is not None
    return LinkDirection(found.link, found.direction)


def ways(world: World, admitted: Admitted) -> frozenset[Way]:
    """What an admission charges."""
    return frozenset(way(world, charge.link_direction) for charge in admitted.charges)


def commitments(world: World, held: Iterable[Holding]) -> list[Commitment]:
    return [
        Commitment(
            load(world, each),
            POOL,
            holding.wish.bps,
            span(world, holding.wish.start, holding.wish.end),
            holding.name,
        )
        for holding in held
        for each in sorted(holding.ways)
    ]


def everything_held(world: World, held: Iterable[Holding]) -> list[Held]:
    return [
        Held(
            holding.name,
            Ends(holding.wish.source, holding.wish.goal, "both"),
            POOL,
            tuple(
                Piece(load(world, each), holding.wish.bps, span(world, holding.wish.start, holding.wish.end))
                for each in sorted(holding.ways)
            ),
        )
        for holding in held
    ]


def covers(start: datetime | None, end: datetime | None, at: datetime) -> bool:
    """Whether an interval holds an instant."""
    return start is not None and start <= at and (end is None or at < end)
