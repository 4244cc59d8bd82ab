"""A link or a router that fails, and the way traffic takes then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from provisioning.pipeline.topology.paths import graph_of, tree_from
from provisioning.pipeline.topology.trees import Graph, Tree, arcs_towards, into_without
from provisioning.pipeline.topology.values import Direction, LinkDirection, Network


@dataclass(frozen=True, order=True)
class Failure:
    """A core link, or a router with everything on it, out of use."""

    kind: Literal["link", "router"]
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Ends(NamedTuple):
    """Between which routers traffic goes: to one router, to anywhere inside (``source``), or to any peering (``outside``)."""

    source: str
    destination: str | None
    kind: Literal["both", "source", "outside"]


def single_failures(
    network: Network, count: Literal["links", "links-and-routers", "none"]
) -> tuple[Failure, ...]:
    """Every failure that is counted: core links in use, and routers with a core link where they count; by name."""
    if count == "none":
        return ()
    links = sorted(link.id for link in network.core_links if not link.down)
    found = [Failure("link", link) for link in links]
    if count == "links-and-routers":
        found += [Failure("router", name) for name in sorted(network.up) if network.up[name]]
    return tuple(found)


def lost_links(network: Network, failure: Failure) -> frozenset[str]:
    """The ids of the links, of any kind, that are out of use with it."""
    if failure.kind == "link":
        return frozenset({failure.name})
    core = {link.id for _, link in network.around.get(failure.name, ())}
    access = {link.id for link in network.access_links if link.router == failure.name}
    return frozenset(core | access | {each.id for each in network.peerings if each.router == failure.name})


class Detours:
    """The ways after one failure on one network; what is reckoned for one source serves all who begin there."""

    def __init__(self, network: Network, failure: Failure) -> None:
        self.network = network
        self.failure = failure
        self.graph: Graph = graph_of(network)
        self._failed = self._arcs()
        self._gone = self.graph.number.get(failure.name) if failure.kind == "router" else None
        self._changed: dict[str, dict[int, Sequence[int]]] = {}
        self._known: dict[Ends, tuple[frozenset[int], frozenset[LinkDirection]] | None] = {}

    def _arcs(self) -> frozenset[int]:
        if self.failure.kind == "link":
            return frozenset(self.graph.arcs_of.get(self.failure.name, ()))
        number = self.graph.number.get(self.failure.name)
        return frozenset() if number is None else self.graph.at(number)

    def ends_there(self, ends: Ends) -> bool:
        """Whether it is the traffic's own first or last router that failed: there is nothing to take another way."""
        return self.failure.kind == "router" and self.failure.name in (ends.source, ends.destination)

    def way(self, ends: Ends) -> tuple[frozenset[int], frozenset[LinkDirection]] | None:
        """The arcs of the core, and the peerings outwards, that traffic may use then; None when it is cut off: from its
        destination, from a router that it reached before, or from every peering.
        """
        if ends not in self._known:
            self._known[ends] = self._way(ends)
        return self._known[ends]

    def _way(self, ends: Ends) -> tuple[frozenset[int], frozenset[LinkDirection]] | None:
        if ends.kind == "both":
            arcs = self._between(ends.source, str(ends.destination))
            return None if arcs is None else (arcs, frozenset())
        whole = tree_from(self.network, ends.source)
        changed = self._changes(ends.source, whole)
        graph = self.graph

        def reached(router: int) -> bool:
            if whole.costs[router] < 0 or router == self._gone:
                return False
            return router == whole.start or router not in changed or bool(changed[router])

        borders: frozenset[LinkDirection] = frozenset()
        if ends.kind == "source":
            before = {end for end in range(len(graph.names)) if whole.costs[end] >= 0} - {self._gone}
            goals = {end for end in before if reached(end)}
            if goals != before:
                return None
        else:
            left = [each for each in self.network.peerings if reached(graph.number[each.router])]
            if not left:
                return None
            goals = {graph.number[each.router] for each in left}
            borders = frozenset(LinkDirection(each.id, Direction.OUT) for each in left)
        return frozenset(arcs_towards(graph, whole, goals, changed)), borders

    def _changes(self, root: str, whole: Tree) -> dict[int, Sequence[int]]:
        changed = self._changed.get(root)
        if changed is None:
            changed = self._changed[root] = into_without(self.graph, whole, self._failed)
        return changed

    def _between(self, source: str, destination: str) -> frozenset[int] | None:
        """The arcs from one router to another; None when it is cut off.

        A metric is the same both ways, so the tree of either end tells: taken is the one that has fewer routers behind what
        failed, of which most are to be looked at anew.
        """
        graph, number = self.graph, self.graph.number
        whole, goal = tree_from(self.network, source), number[destination]
        if whole.costs[goal] < 0:
            return None
        back = tree_from(self.network, destination)
        if source not in self._changed and (
            destination in self._changed or self._behind(back) < self._behind(whole)
        ):
            changed, start = self._changes(destination, back), number[source]
            if start in changed and not changed[start]:
                return None
            return frozenset(arc ^ 1 for arc in arcs_towards(graph, back, (start,), changed))
        changed = self._changes(source, whole)
        if goal in changed and not changed[goal]:
            return None
        return frozenset(arcs_towards(graph, whole, (goal,), changed))

    def _behind(self, whole: Tree) -> int:
        """About how many routers are reached by way of what failed."""
        if self._gone is not None:
            return whole.below[self._gone]
        heads, into = self.graph.heads, whole.into
        return sum(whole.below[heads[arc]] for arc in self._failed if arc in into[heads[arc]])
