"""Shortest paths from one router to all others at once, on integers: every equal-cost way, and what a failure changes of it.

Routers and core links are numbered in the order of their names, so that the order of numbers is the order of names. An arc
is one direction of a core link: twice the link's number, and one more for z to a.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from provisioning.pipeline.topology.values import CoreLinkValue, Direction, LinkDirection


@dataclass(frozen=True)
class Graph:
    """The core links that are up. ``around[router]`` are (metric, router at the far end, arc), ``tails`` and ``heads`` the
    routers where an arc begins and ends, ``loads`` the link direction that it is, ``alone`` an arc and nothing else: what most
    routers are reached by.
    """

    names: tuple[str, ...]
    number: dict[str, int] = field(repr=False)
    around: tuple[tuple[tuple[int, int, int], ...], ...] = field(repr=False)
    tails: tuple[int, ...] = field(repr=False)
    heads: tuple[int, ...] = field(repr=False)
    loads: tuple[LinkDirection, ...] = field(repr=False)
    alone: tuple[tuple[int], ...] = field(repr=False)
    arcs_of: dict[str, tuple[int, int]] = field(repr=False)

    def at(self, router: int) -> frozenset[int]:
        """Every arc that begins or ends at a router: what its failure takes away."""
        return frozenset(each for _, _, arc in self.around[router] for each in (arc, arc ^ 1))


def graph(names: Iterable[str], links: Iterable[CoreLinkValue]) -> Graph:
    """The graph of these routers and of those links that are not down."""
    ordered = tuple(sorted(names))
    number = {name: index for index, name in enumerate(ordered)}
    around: list[list[tuple[int, int, int]]] = [[] for _ in ordered]
    tails: list[int] = []
    heads: list[int] = []
    loads: list[LinkDirection] = []
    arcs_of: dict[str, tuple[int, int]] = {}
    for link in sorted((link for link in links if not link.down), key=lambda each: each.id):
        arc, a, z = len(tails), number[link.a_router], number[link.z_router]
        around[a].append((link.metric, z, arc))
        around[z].append((link.metric, a, arc + 1))
        tails += (a, z)
        heads += (z, a)
        loads += (LinkDirection(link.id, Direction.A_Z), LinkDirection(link.id, Direction.Z_A))
        arcs_of[link.id] = (arc, arc + 1)
    return Graph(
        ordered,
        number,
        tuple(map(tuple, around)),
        tuple(tails),
        tuple(heads),
        tuple(loads),
        tuple((arc,) for arc in range(len(loads))),
        arcs_of,
    )


@dataclass(frozen=True)
class Tree:
    """Everything shortest from ``start``: by router the least total metric (-1: not reached), the arcs by which some path of
    that cost comes in, and about how many routers are reached by way of it (itself too; exactly where no two ways are equal).
    """

    start: int
    costs: Sequence[int]
    into: Sequence[Sequence[int]]
    below: Sequence[int]


_FAR = 1 << 62
NOTHING: Mapping[int, Sequence[int]] = {}


def tree(graph: Graph, start: int) -> Tree:
    """Dijkstra; a heap's entry is one integer, cost times the number of routers plus the router."""
    around, alone, count = graph.around, graph.alone, len(graph.names)
    costs = [_FAR] * count
    into: list[tuple[int, ...]] = [()] * count
    done = bytearray(count)
    order: list[int] = []
    costs[start] = 0
    heap = [start]
    while heap:
        cost, here = divmod(heappop(heap), count)
        if done[here]:
            continue
        done[here] = 1
        order.append(here)
        for metric, far, arc in around[here]:
            total, known = cost + metric, costs[far]
            if total < known:
                costs[far], into[far] = total, alone[arc]
                heappush(heap, total * count + far)
            elif total == known:
                into[far] += (arc,)
    below = [1] * count
    tails = graph.tails
    for router in reversed(order[1:]):
        below[tails[into[router][0]]] += below[router]
    return Tree(start, [cost if cost != _FAR else -1 for cost in costs], into, below)


def into_without(graph: Graph, whole: Tree, failed: Collection[int]) -> dict[int, Sequence[int]]:
    """How routers are reached from the tree's start when these arcs have failed: the arcs that come in, for each router of
    which that differs; none where it is reached no more.

    Only the routers all of whose shortest paths are gone are looked at anew: a path that stands stays shortest.
    """
    into, costs, tails = whole.into, whole.costs, graph.tails
    changed: dict[int, Sequence[int]] = {}
    lost: dict[int, int] = {}
    gone: list[int] = []
    for arc in failed:
        _lose(arc, graph, into, lost, gone)
    for router in gone:  # grows while it is read
        for _, _, arc in graph.around[router]:
            if arc not in failed:
                _lose(arc, graph, into, lost, gone)
    if not lost:
        return changed
    beyond = set(gone)
    for router in lost.keys() - beyond:
        changed[router] = [arc for arc in into[router] if arc not in failed and tails[arc] not in beyond]
    _reach_again(graph, costs, failed, beyond, changed)
    return changed


def _lose(
    arc: int, graph: Graph, into: Sequence[Sequence[int]], lost: dict[int, int], gone: list[int]
) -> None:
    """Count an arc that is on a shortest path no more; a router that lost all of them is gone from its place."""
    head = graph.heads[arc]
    if arc in into[head]:
        lost[head] = count = lost.get(head, 0) + 1
        if count == len(into[head]):
            gone.append(head)


def _reach_again(
    graph: Graph,
    costs: Sequence[int],
    failed: Collection[int],
    beyond: set[int],
    changed: dict[int, Sequence[int]],
) -> None:
    """Dijkstra over the routers ``beyond`` alone, begun from all that stand around them."""
    around, count = graph.around, len(graph.names)
    found: dict[int, int] = {}
    ways: dict[int, list[int]] = {}
    for router in beyond:
        for metric, near, arc in around[router]:
            coming = arc ^ 1
            if near in beyond or costs[near] < 0 or coming in failed:
                continue
            total, known = costs[near] + metric, found.get(router, _FAR)
            if total < known:
                found[router], ways[router] = total, [coming]
            elif total == known:
                ways[router].append(coming)
    heap = [cost * count + router for router, cost in found.items()]
    heapify(heap)
    settled: set[int] = set()
    while heap:
        cost, here = divmod(heappop(heap), count)
        if here in settled:
            continue
        settled.add(here)
        for metric, far, arc in around[here]:
            if far not in beyond or arc in failed:
                continue
            total, known = cost + metric, found.get(far, _FAR)
            if total < known:
                found[far], ways[far] = total, [arc]
                heappush(heap, total * count + far)
            elif total == known:
                ways[far].append(arc)
    for router in beyond:
        changed[router] = ways.get(router, ())


def arcs_towards(
    graph: Graph, whole: Tree, goals: Iterable[int], changed: Mapping[int, Sequence[int]] = NOTHING
) -> set[int]:
    """The arcs on any shortest path from the tree's start to any of ``goals``; with ``changed`` after that failure."""
    into, tails, start = whole.into, graph.tails, whole.start
    used: set[int] = set()
    seen = {start}
    waiting = list(goals)
    for goal in waiting:  # grows while it is read
        router = goal
        while router not in seen:
            seen.add(router)
            coming = changed[router] if router in changed else into[router]
            used.update(coming)
            if len(coming) != 1:
                waiting += [tails[arc] for arc in coming]
                break
            router = tails[coming[0]]
    return used


def shown(graph: Graph, whole: Tree, goal: int, used: Collection[int]) -> list[int]:
    """Of the arcs ``used`` towards ``goal`` the one path that is shown: fewest hops, then by the names of router, link, router
    and so on.

    Among paths of as many hops the names are compared from the first on, so routers of one distance in hops are ranked by
    the rank of the router before them, then by their own name.
    """
    if goal == whole.start:
        return []
    tails, into = graph.tails, whole.into
    by = {graph.heads[arc]: arc for arc in used}
    if len(by) == len(used):  # no router is reached two ways: it is the only path
        return _trail(graph, whole.start, goal, by)
    routers = by.keys()
    hops = {whole.start: 0}
    for router in sorted(routers, key=whole.costs.__getitem__):
        hops[router] = 1 + min(hops[tails[arc]] for arc in into[router])
    levels: dict[int, list[int]] = {}
    for router in routers:
        levels.setdefault(hops[router], []).append(router)
    rank = {whole.start: 0}
    by = {}
    for level in range(1, hops[goal] + 1):
        keyed = []
        for router in levels[level]:
            before = [arc for arc in into[router] if hops[tails[arc]] == level - 1]
            by[router] = best = min(before, key=lambda arc: (rank[tails[arc]], arc))
            keyed.append((rank[tails[best]], router))
        rank.update({router: place for place, (_, router) in enumerate(sorted(keyed))})
    return _trail(graph, whole.start, goal, by)


def _trail(graph: Graph, start: int, goal: int, by: Mapping[int, int]) -> list[int]:
    """The arcs from ``start`` on, where ``by`` has the arc by which each router is reached."""
    trail: list[int] = []
    here = goal
    while here != start:
        trail.append(by[here])
        here = graph.tails[by[here]]
    return trail[::-1]
