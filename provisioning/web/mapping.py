"""A map of routers and core links as ready coordinates: every half of a link with its number, no script, no inline style."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from provisioning.pipeline.topology import CoreLinkValue, Direction, LinkDirection
from provisioning.web.layout import NODE, Frame, Point, frame_for, placed
from provisioning.web.reading.loads import Load

LONGEST = 14
"""Characters of a name that have room in a node; the whole name is in its title."""
_APART = 30.0
"""How far parallel links stand apart in the middle."""


@dataclass(frozen=True)
class Node:
    """A router where it stands: two lines of text, and beside the second one what is known of it, as a word."""

    name: str
    label: str
    below: str
    level: str
    state: str
    url: str
    x: float
    y: float
    on_path: bool = False
    fails: bool = False

    @property
    def left(self) -> float:
        return round(self.x - NODE[0] / 2, 1)

    @property
    def top(self) -> float:
        return round(self.y - NODE[1] / 2, 1)


@dataclass(frozen=True)
class Half:
    """The half of a link at the router that sends on it, from there to the middle; the number stands at (x, y)."""

    x1: float
    y1: float
    x2: float
    y2: float
    x: float
    y: float
    load: Load | None
    text: str
    on_path: bool = False


@dataclass(frozen=True)
class Line:
    """A core link: both halves, and what a screen reader is told of it."""

    name: str
    url: str
    text: str
    halves: tuple[Half, ...]
    down: bool


@dataclass(frozen=True)
class Map:
    """All that is drawn, and the text that says what it is."""

    frame: Frame
    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    summary: str
    node: Point = NODE


@dataclass(frozen=True)
class Spot:
    """What is written of a router: below its name, how full its fullest access link is, and how its configuration stands."""

    below: str = ""
    level: str = "none"
    state: str = ""


def drawn(
    names: Collection[str],
    links: Sequence[CoreLinkValue],
    loads: Mapping[LinkDirection, Load],
    urls: Mapping[str, str],
    *,
    spots: Mapping[str, Spot],
    summary: str,
    path: Sequence[LinkDirection] = (),
    fails: str = "",
) -> Map:
    """Return the map of these routers and of the links between two of them. ``urls`` are the pages of routers and links, by their
    names; on a ``path`` its directions are drawn with their place in it instead of a number of load.
    """
    frame = frame_for(len(names))
    shown = [link for link in links if link.a_router in spots and link.z_router in spots]
    points = placed(names, ((link.a_router, link.z_router) for link in shown), frame)
    order = {load: place for place, load in enumerate(path, 1)}
    on_path = {end for link in shown if any(load.link == link.id for load in path) for end in _ends(link)}
    lines = [_line(link, points, bend, loads, urls, order) for link, bend in _bent(shown)]
    nodes = [
        Node(
            name,
            _short(name),
            spots[name].below,
            spots[name].level,
            spots[name].state,
            urls.get(name, ""),
            *points[name],
            on_path=name in on_path,
            fails=name == fails,
        )
        for name in sorted(names)
    ]
    return Map(frame, tuple(nodes), tuple(lines), summary)


def _ends(link: CoreLinkValue) -> tuple[str, str]:
    return link.a_router, link.z_router


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _bent(links: Iterable[CoreLinkValue]) -> list[tuple[CoreLinkValue, float]]:
    """Each link with how far its middle stands beside the straight line: links between the same two routers stand apart."""
    beside: defaultdict[tuple[str, ...], list[CoreLinkValue]] = defaultdict(list)
    for link in links:
        beside[tuple(sorted(_ends(link)))].append(link)
    found = []
    for ends, parallel in sorted(beside.items()):
        for place, link in enumerate(sorted(parallel, key=lambda link: link.id)):
            bend = (place - (len(parallel) - 1) / 2) * _APART
            found.append((link, bend if link.a_router == ends[0] else -bend))
    return found


def _line(
    link: CoreLinkValue,
    points: Mapping[str, Point],
    bend: float,
    loads: Mapping[LinkDirection, Load],
    urls: Mapping[str, str],
    order: Mapping[LinkDirection, int],
) -> Line:
    a, z = points[link.a_router], points[link.z_router]
    length = math.dist(a, z) or 1.0
    middle = (
        (a[0] + z[0]) / 2 - bend * (z[1] - a[1]) / length,
        (a[1] + z[1]) / 2 + bend * (z[0] - a[0]) / length,
    )
    ways = (LinkDirection(link.id, Direction.A_Z), LinkDirection(link.id, Direction.Z_A))
    taken = any(way in order for way in ways)
    halves = tuple(
        _half(end, middle, loads.get(way), order.get(way), link, taken=taken)
        for end, way in zip((a, z), ways, strict=True)
    )
    told = ["declared down"] if link.down else []
    for way, sender, half in zip(ways, _ends(link), halves, strict=True):
        if half.text:
            told.append(f"hop {half.text}, from {sender}" if way in order else f"{sender} sends {half.text}")
    text = ", ".join([link.id, *told])
    return Line(link.id, urls.get(link.id, ""), text, halves, link.down)


def _half(
    end: Point, middle: Point, load: Load | None, place: int | None, link: CoreLinkValue, *, taken: bool
) -> Half:
    """The number stands in the middle of what can be seen of the half: a node hides where it begins."""
    dx, dy = middle[0] - end[0], middle[1] - end[1]
    hidden = min(
        [0.8, *(size / 2 / abs(d) for size, d in zip(NODE, (dx, dy), strict=True) if abs(d) > size / 2)]
    )
    at = hidden + (1 - hidden) * 0.55
    text = "" if link.down else str(place) if place else "" if load is None else load.text
    return Half(
        *(round(value, 1) for value in (*end, *middle, end[0] + at * dx, end[1] + at * dy)),
        load=load,
        text=text,
        on_path=taken,
    )
