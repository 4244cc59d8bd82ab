"""Which links a request loads: the source link inwards, core links one way each, the destination link
outwards.

D4.4.2v2 section 2.4.1 admits traffic "that enters and exits from two specific 6NET access routers"; between
them it takes a shortest path by metric. Where several paths cost the same a router may use any of them, so
the links of the others are loaded too: capacity is then promised wherever the flow goes.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from provisioning.errors import ExpediteError, InvalidInput
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology.values import (
    AccessLinkValue,
    CoreLinkValue,
    Direction,
    LinkDirection,
    Network,
)


class NoPath(ExpediteError):
    """The core links do not connect the two routers; admission turns this into a reason."""

    code = "no-path"
    status = 409


@dataclass(frozen=True)
class Path:
    """``hops`` from the source link to the destination link, or to the peerings; ``routers`` on the way, first to last.

    ``alternates`` are the core link directions of other paths of the same cost, sorted.
    """

    hops: tuple[LinkDirection, ...]
    routers: tuple[str, ...]
    alternates: tuple[LinkDirection, ...] = ()

    @property
    def loads(self) -> tuple[LinkDirection, ...]:
        """Every (link, direction) that the traffic may use, each once: the hops, then the alternates."""
        return self.hops + self.alternates


def path(network: Network, sls: Sls) -> Path:
    """The path of ``sls``: least total metric, then fewest hops, then by name; the same for the same network.

    Raises InvalidInput for a link the network does not know and NoPath when the core does not connect the
    two.
    """
    source = _source(network, sls)
    destination = None if sls.destination_link is None else network.access_link(sls.destination_link)
    if destination is None:
        raise InvalidInput(f"no access link {sls.destination_link!r}", field="destination_link")
    if source.id == destination.id:
        raise InvalidInput("source and destination are the same access link", field="destination_link")
    way = partial(_between, network, source.router, destination.router)
    routers, core, others = _once(network, (source.router, destination.router), way)
    hops = (LinkDirection(source.id, Direction.IN), *core, LinkDirection(destination.id, Direction.OUT))
    return Path(hops, routers, others)


_MOST_KNOWN = 20_000
"""Derived paths that are kept with a network; then they are derived again."""

Derived = TypeVar("Derived")


def _once(network: Network, key: Hashable, derive: Callable[[], Derived]) -> Derived:
    """What ``derive`` returns, worked out once for a network. A network is a value: what follows from it stays true."""
    known = network.known_paths
    found: Derived | None = known.get(key)
    if found is None:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        found = known[key] = derive()
    return found


def _between(
    network: Network, start: str, goal: str
) -> tuple[tuple[str, ...], tuple[LinkDirection, ...], tuple[LinkDirection, ...]]:
    """The routers and core link directions of the path shown, and those of the others of its cost, sorted."""
    routers = [start]
    core: list[LinkDirection] = []
    for link in _shortest(network, start, goal):
        routers.append(link.z_router if link.a_router == routers[-1] else link.a_router)
        core.append(link.towards(routers[-1]))
    return tuple(routers), tuple(core), tuple(sorted(_on_any_shortest(network, start, goal) - set(core)))


def paths_to_anywhere(network: Network, sls: Sls) -> Path:
    """Every link that traffic from the source of ``sls`` to any router may use: the source link inwards, and each core
    link direction on a shortest path from its router (GRNET section 3.1, PIP for VoIP: "heading to an unidentified
    destination"). Raises InvalidInput for a source the network does not know.
    """
    source = _source(network, sls)
    return _once(network, ("anywhere", source.id), lambda: _to_anywhere(network, source))


def _to_anywhere(network: Network, source: AccessLinkValue) -> Path:
    away = distances(network, source.router)
    return _tree(network, source, {name for name in away if name != source.router}, away)


def paths_outside(network: Network, sls: Sls) -> Path:
    """Every link that traffic from the source of ``sls`` to any peering may use, the peerings outwards among them; nobody
    knows which peering it takes.

    Raises InvalidInput for a source the network does not know and NoPath when no peering can be reached.
    """
    source = _source(network, sls)
    return _once(network, ("outside", source.id), lambda: _outside(network, source))


def _outside(network: Network, source: AccessLinkValue) -> Path:
    away = distances(network, source.router)
    borders = sorted(
        (peering for peering in network.peerings if peering.router in away), key=lambda each: each.id
    )
    if not borders:
        raise NoPath(f"no peering can be reached from {source.router}")
    found = _tree(network, source, {peering.router for peering in borders}, away)
    leaving = (LinkDirection(peering.id, Direction.OUT) for peering in borders)
    return replace(found, hops=(*found.hops, *leaving))


def _source(network: Network, sls: Sls) -> AccessLinkValue:
    source = network.access_link(sls.source_link)
    if source is None:
        raise InvalidInput(f"no access link {sls.source_link!r}", field="source_link")
    return source


def _tree(network: Network, source: AccessLinkValue, goals: set[str], away: Mapping[str, int]) -> Path:
    """All shortest paths from a source to each of some routers, as hops nearest first."""
    used: set[LinkDirection] = set()
    for goal in sorted(goals - {source.router}):
        used |= _on_any_shortest(network, source.router, goal)
    heads = {core.towards(end): end for core in network.core_links for end in (core.a_router, core.z_router)}
    crossed = sorted(used, key=lambda load: (away[heads[load]], load))
    routers = sorted({source.router, *(heads[load] for load in used)}, key=lambda name: (away[name], name))
    return Path((LinkDirection(source.id, Direction.IN), *crossed), tuple(routers))


def _shortest(network: Network, start: str, goal: str) -> tuple[CoreLinkValue, ...]:
    """Dijkstra whose labels (cost, hops, names on the way) have a strict order, so that ties are broken by
    name.
    """
    around = network.up
    queue: list[tuple[int, int, tuple[str, ...], str]] = [(0, 0, (), start)]
    done: set[str] = set()
    while queue:
        cost, hops, trail, here = heapq.heappop(queue)
        if here == goal:
            return tuple(found for link in trail[1::2] if (found := network.core_link(link)) is not None)
        if here in done:
            continue
        done.add(here)
        for neighbour, link in around.get(here, ()):
            if neighbour not in done:
                heapq.heappush(queue, (cost + link.metric, hops + 1, (*trail, neighbour, link.id), neighbour))
    raise NoPath(f"no path over core links from {start} to {goal}")


def _on_any_shortest(network: Network, start: str, goal: str) -> set[LinkDirection]:
    """Core link directions on some path of least cost: those with d(start, u) + metric + d(v, goal) =
    d(start, goal).
    """
    away, back = distances(network, start), distances(network, goal)
    found: set[LinkDirection] = set()
    for link in network.core_links:
        if link.down:
            continue
        for tail, head in ((link.a_router, link.z_router), (link.z_router, link.a_router)):
            if tail in away and head in back and away[tail] + link.metric + back[head] == away[goal]:
                found.add(link.towards(head))
    return found


def distances(network: Network, start: str) -> Mapping[str, int]:
    """The least total metric from `start` to every router that the core links reach from there."""
    around = network.up
    settled: dict[str, int] = {}
    queue = [(0, start)]
    while queue:
        cost, here = heapq.heappop(queue)
        if here not in settled:
            settled[here] = cost
            for neighbour, link in around.get(here, ()):
                heapq.heappush(queue, (cost + link.metric, neighbour))
    return settled
