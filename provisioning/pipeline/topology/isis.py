"""Paths as routers see them: the link-state database of IS-IS as text, and which adjacencies a shortest path takes.

The text is what `show isis database detail` (or `verbose`) prints on any one router of the area: every router floods its
adjacencies to all others (ISO/IEC 10589; wide metrics RFC 5305; a topology of its own for IPv6 RFC 5120), so one router's
database is the whole network. A name that is cut in the first column is found by its `Hostname`.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from provisioning.errors import InvalidInput

LARGEST_TEXT = 8 * 1024 * 1024
"""Of a database, characters: 754 routers take about half a megabyte."""

_LSP = re.compile(
    r"(?P<name>\S{1,64})\.(?P<node>[0-9A-Fa-f]{2})-(?P<part>[0-9A-Fa-f]{2})\s+\*?\s*0x[0-9A-Fa-f]+\b"
)
_HOSTNAME = re.compile(r"\s+Hostname:\s*(?P<name>\S{1,64})\s*$")
_ADJACENCY = re.compile(
    r"\s+Metric:\s*(?P<metric>\d{1,10})\s+(?P<kind>IS-Extended|IS \(MT-IPv6\)|MT-IS|IS)\s+"
    r"(?P<name>\S{1,64})\.(?P<node>[0-9A-Fa-f]{2})\s*$"
)
_RANK = {"IS (MT-IPv6)": 2, "MT-IS": 2, "IS-Extended": 1, "IS": 0}
"""Where a router says an adjacency in several ways, the topology of IPv6 counts, then wide metrics, then narrow ones."""

Pair = tuple[str, str]
"""The router that sends, and the one that receives."""


@dataclass(frozen=True)
class Seen:
    """By (router, its neighbour) the least metric that the first says, where both say that they are neighbours."""

    metrics: Mapping[Pair, int]
    _last: dict[str, Mapping[str, list[str]]] = field(default_factory=dict, compare=False, repr=False)
    _found: dict[Pair, frozenset[Pair]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def routers(self) -> frozenset[str]:
        return frozenset(end for pair in self.metrics for end in pair)

    def between(self, start: str, goal: str) -> frozenset[Pair]:
        """Every pair of neighbours on some path of least metric; empty where there is none, or no way to go."""
        if (start, goal) not in self._found:
            self._found[start, goal] = self._between(start, goal)
        return self._found[start, goal]

    def _between(self, start: str, goal: str) -> frozenset[Pair]:
        """From the goal back over whoever comes last before each router, as far as there is somebody."""
        if start not in self._last:  # kept, as thousands of requests begin at the same ones
            self._last[start] = self._last_before(start)
        last = self._last[start]
        found: set[Pair] = set()
        seen, left = {goal}, [goal]
        while left:
            here = left.pop()
            for before in last.get(here, ()):
                found.add((before, here))
                if before not in seen:
                    seen.add(before)
                    left.append(before)
        return frozenset(found)

    def _last_before(self, start: str) -> Mapping[str, list[str]]:
        """By each router that is reached its neighbours from which a path of least metric comes to it."""
        settled: dict[str, int] = {}
        queue = [(0, start)]
        while queue:
            cost, here = heapq.heappop(queue)
            if here in settled:
                continue
            settled[here] = cost
            for there, metric in self._around.get(here, ()):
                if there not in settled:
                    heapq.heappush(queue, (cost + metric, there))
        last: defaultdict[str, list[str]] = defaultdict(list)
        for here, cost in settled.items():
            for there, metric in self._around.get(here, ()):
                if cost + metric == settled[there]:
                    last[there].append(here)
        return last

    @cached_property
    def _around(self) -> Mapping[str, list[tuple[str, int]]]:
        around: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for (tail, head), metric in self.metrics.items():
            around[tail].append((head, metric))
        return around


def read_isis_database(text: str) -> Seen:
    """The adjacencies in an IS-IS database. Parallel links between two routers are one, with the least metric of theirs; a LAN is
    its routers, each a neighbour of each, at the metric that the sender says.

    Raises InvalidInput for a text that is too long, for one without any adjacency that both ends say, and for a part of a
    database: a neighbour of whom there is nothing in it, or a last router that does not say what its neighbours say of it.
    """
    if len(text) > LARGEST_TEXT:
        raise InvalidInput(f"it is longer than {LARGEST_TEXT} characters", field="file")
    said, names, last = _said(text.splitlines())
    nodes: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for tail, kinds in said.items():
        one = names.get(tail, tail)
        heads = nodes[one]
        for head, metric in kinds[max(kinds)] if kinds else []:
            other = names.get(head, head)
            known = heads.get(other)
            heads[other] = metric if known is None else min(known, metric)
    metrics: dict[Pair, int] = {}
    for tail, heads in nodes.items():
        for head, metric in heads.items():
            if tail not in nodes.get(head, {}):
                continue  # one end alone says so: no router uses it (ISO/IEC 10589 7.2.8.2)
            if _is_lan(tail) or not _is_lan(head):
                ends = [head]
            else:
                ends = [each for each in nodes[head] if each != tail and head in nodes.get(each, {})]
            for end in ends:
                if not _is_lan(tail) and not _is_lan(end):
                    pair = (tail, end)
                    metrics[pair] = min(metric, metrics.get(pair, metric))
    if not metrics:
        raise InvalidInput(
            "there is no adjacency in it that both ends say: write what `show isis database detail` prints",
            field="file",
        )
    _refuse_a_part(nodes, names.get(last, last))
    return Seen(metrics)


def _refuse_a_part(nodes: Mapping[str, Mapping[str, int]], last: str) -> None:
    """A text that was cut off would say that links are gone which are there; `last` is whose part it ends with."""
    missing = sorted({head for heads in nodes.values() for head in heads} - nodes.keys())
    if missing:
        tail = next(tail for tail, heads in nodes.items() if missing[0] in heads)
        raise InvalidInput(
            f"it is not whole: {tail} has the neighbour {missing[0]}, of which there is nothing in it",
            field="file",
        )
    silent = sorted(tail for tail, heads in nodes.items() if last in heads and tail not in nodes[last])
    if silent:
        raise InvalidInput(
            f"it is not whole: it ends with {last}, which does not say that {silent[0]} is its neighbour",
            field="file",
        )


def _said(lines: Iterable[str]) -> tuple[dict[str, dict[int, list[tuple[str, int]]]], dict[str, str], str]:
    """By node what it says of its neighbours, by rank of how it says it; host names by node; and the last node."""
    said: defaultdict[str, dict[int, list[tuple[str, int]]]] = defaultdict(dict)
    names: dict[str, str] = {}
    here = ""
    for line in lines:
        if found := _LSP.match(line):
            here = _node(found["name"], found["node"])
            said.setdefault(here, {})
        elif here and (found := _HOSTNAME.match(line)) and not _is_lan(here):
            names[here] = found["name"].lower()
        elif here and (found := _ADJACENCY.match(line)):
            neighbour = _node(found["name"], found["node"])
            said[here].setdefault(_RANK[found["kind"]], []).append((neighbour, int(found["metric"])))
    return dict(said), names, here


def _node(name: str, node: str) -> str:
    """A router by its name; the pseudonode of a LAN by its name and number."""
    return name.lower() if node == "00" else f"{name.lower()}.{node}"


def _is_lan(node: str) -> bool:
    return re.fullmatch(r".+\.(?!00)[0-9a-fA-F]{2}", node) is not None
