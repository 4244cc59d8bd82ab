"""Which links a request loads: the source link inwards, core links one way each, the destination link
outwards.

D4.4.2v2 section 2.4.1 admits traffic "that enters and exits from two specific 6NET access routers"; between
them it takes a shortest path by metric. Where several paths cost the same a router may use any of them, so
the links of the others are loaded too: capacity is then promised wherever the flow goes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from provisioning.errors import ExpediteError, InvalidInput
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology.trees import Graph, Tree, arcs_towards, graph, shown, tree
from provisioning.pipeline.topology.values import AccessLinkValue, Direction, LinkDirection, Network


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
    known, whole = graph_of(network), tree_from(network, start)
    end = known.number[goal]
    if whole.costs[end] < 0:
        raise NoPath(f"no path over core links from {start} to {goal}")
    used = arcs_towards(known, whole, (end,))
    trail = shown(known, whole, end, used)
    routers = (start, *(known.names[known.heads[arc]] for arc in trail))
    others = sorted(used.difference(trail))
    return routers, tuple(known.loads[arc] for arc in trail), tuple(known.loads[arc] for arc in others)


def paths_to_anywhere(network: Network, sls: Sls) -> Path:
    """Every link that traffic from the source of ``sls`` to any router may use: the source link inwards, and each core
    link direction on a shortest path from its router (GRNET section 3.1, PIP for VoIP: "heading to an unidentified
    destination"). Raises InvalidInput for a source the network does not know.
    """
    source = _source(network, sls)
    return _once(network, ("anywhere", source.id), lambda: _to_anywhere(network, source))


def _to_anywhere(network: Network, source: AccessLinkValue) -> Path:
    known, whole = graph_of(network), tree_from(network, source.router)
    return _towards(network, source, {end for end in range(len(known.names)) if whole.costs[end] > 0})


def paths_outside(network: Network, sls: Sls) -> Path:
    """Every link that traffic from the source of ``sls`` to any peering may use, the peerings outwards among them; nobody
    knows which peering it takes.

    Raises InvalidInput for a source the network does not know and NoPath when no peering can be reached.
    """
    source = _source(network, sls)
    return _once(network, ("outside", source.id), lambda: _outside(network, source))


def _outside(network: Network, source: AccessLinkValue) -> Path:
    known, whole = graph_of(network), tree_from(network, source.router)
    reached = (each for each in network.peerings if whole.costs[known.number[each.router]] >= 0)
    borders = sorted(reached, key=lambda each: each.id)
    if not borders:
        raise NoPath(f"no peering can be reached from {source.router}")
    found = _towards(network, source, {known.number[each.router] for each in borders})
    leaving = (LinkDirection(peering.id, Direction.OUT) for peering in borders)
    return replace(found, hops=(*found.hops, *leaving))


def _source(network: Network, sls: Sls) -> AccessLinkValue:
    source = network.access_link(sls.source_link)
    if source is None:
        raise InvalidInput(f"no access link {sls.source_link!r}", field="source_link")
    return source


def _towards(network: Network, source: AccessLinkValue, goals: set[int]) -> Path:
    """All shortest paths from a source to each of some routers, as hops nearest first."""
    known, whole = graph_of(network), tree_from(network, source.router)
    used = arcs_towards(known, whole, goals)
    crossed = sorted(used, key=lambda arc: (whole.costs[known.heads[arc]], arc))
    ends = sorted({whole.start, *(known.heads[arc] for arc in used)}, key=lambda end: (whole.costs[end], end))
    hops = (LinkDirection(source.id, Direction.IN), *(known.loads[arc] for arc in crossed))
    return Path(hops, tuple(known.names[end] for end in ends))


def graph_of(network: Network) -> Graph:
    """The core as integers, made once for a network."""
    found: Graph | None = network.known_trees.get("")
    if found is None:
        found = network.known_trees[""] = graph(
            (router.name for router in network.routers), network.core_links
        )
    return found


def tree_from(network: Network, start: str) -> Tree:
    """Everything shortest from a router, made once for a network (of a very large one the last that were asked for)."""
    found: Tree | None = network.known_trees.get(start)
    if found is None:
        known = graph_of(network)
        if len(network.known_trees) > _MOST_TREES:
            network.known_trees.clear()
            network.known_trees[""] = known
        found = network.known_trees[start] = tree(known, known.number[start])
    return found


_MOST_TREES = 1024
"""Trees that are kept with a network: of 754 routers some 60 kB each."""


def distances(network: Network, start: str) -> Mapping[str, int]:
    """The least total metric from `start` to every router that the core links reach from there."""
    known = graph_of(network)
    costs = tree_from(network, start).costs
    return {name: cost for name, cost in zip(known.names, costs, strict=True) if cost >= 0}
