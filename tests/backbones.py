"""Made-up backbones as large as the largest in public collections, from a seed: 754 routers, 899 core links, long paths.

Routers are points on a plane. Cables follow the shortest tree that joins them all; the other links close rings between
near neighbours that are far from each other along the tree. Metrics grow with length, some are equal.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

from provisioning.pipeline.topology import AccessLinkValue, CoreLinkValue, Network, RouterValue

STM1, STM16 = 155_520_000, 2_488_320_000


@dataclass(frozen=True)
class Backbone:
    """``links`` are (router, router, metric) by number, ``edges`` the routers that have an access link."""

    routers: int
    links: tuple[tuple[int, int, int], ...]
    edges: tuple[int, ...]

    def name(self, number: int) -> str:
        return f"c{number:03}"

    def ends(self) -> list[tuple[str, str, str, str, int]]:
        """Each core link as router, interface, router, interface, metric; interfaces POS2/0, POS2/1 and on."""
        ports = [0] * self.routers
        found = []
        for a, z, metric in self.links:
            found.append((self.name(a), f"POS2/{ports[a]}", self.name(z), f"POS2/{ports[z]}", metric))
            ports[a] += 1
            ports[z] += 1
        return found

    def network(self) -> Network:
        """As the pipeline's value."""
        routers = tuple(RouterValue(self.name(n), "cisco-12400", "12.0(32)S") for n in range(self.routers))
        access = tuple(
            AccessLinkValue(
                f"N{n}@{self.name(n)}:POS1/0",
                f"N{n}",
                self.name(n),
                "POS1/0",
                None,
                STM1,
                155_000_000,
                STM1,
                "trusted",
                True,
            )
            for n in self.edges
        )
        core = tuple(
            CoreLinkValue(f"{a}:{ai}--{z}:{zi}", a, ai, z, zi, metric, STM16, 2_488_000_000, STM16)
            for a, ai, z, zi, metric in self.ends()
        )
        return Network(routers, access, core)

    def file(self) -> dict[str, Any]:
        """As a network file."""
        said = {"provenance": "representative"}
        return {
            "domain": {
                "name": "BACKBONE",
                "asn": 64512,
                "prefix": "2001:db8::/32",
                "scheme": "6net",
                "policer": "cap",
            },
            "routers": [
                {
                    "name": self.name(n),
                    "pop": f"P{n}",
                    "country": "eu",
                    "platform": "cisco-12400",
                    "ios": "12.0(32)S",
                    "engines": {1: 3, 2: 3},
                    "roles": ["core", "access"],
                    **said,
                }
                for n in range(self.routers)
            ],
            "nrens": [
                {"name": f"N{n}", "country": "eu", "prefixes": [f"2001:db8:{n + 1:x}::/48"], **said}
                for n in self.edges
            ],
            "access_links": [
                {
                    "nren": f"N{n}",
                    "router": self.name(n),
                    "interface": "POS1/0",
                    "capacity_bps": STM1,
                    "case": "trusted",
                    "standing": True,
                    "standing_consent": True,
                    **said,
                }
                for n in self.edges
            ],
            "core_links": [
                {"a": [a, ai], "z": [z, zi], "capacity_bps": STM16, "metric": metric, **said}
                for a, ai, z, zi, metric in self.ends()
            ],
        }


def backbone(seed: int = 1, *, routers: int = 754, links: int = 899, edges: int = 300) -> Backbone:
    """The backbone of this seed, the same each time."""
    chance = random.Random(seed)
    points = [(chance.random(), chance.random()) for _ in range(routers)]
    metric = [[0] * routers for _ in range(routers)]
    for a, (x, y) in enumerate(points):
        for z in range(a):
            far = math.hypot(x - points[z][0], y - points[z][1])
            metric[a][z] = metric[z][a] = 10 * (1 + round(far * 40))
    order = [
        sorted(range(routers), key=lambda z, a=a: math.dist(points[a], points[z])) for a in range(routers)
    ]
    chosen = _tree(points, routers)
    apart = [_hops(chosen, routers, a) for a in range(routers)]
    near = {(min(a, z), max(a, z)) for a in range(routers) for z in order[a][1:9]} - set(chosen)
    closing = sorted(near, key=lambda pair: (-apart[pair[0]][pair[1]], pair))
    spread: list[tuple[int, int]] = []
    closed = [0] * routers
    for a, z in closing:  # the longest detours first, no router of more than two
        if len(spread) < links - len(chosen) and closed[a] < 2 and closed[z] < 2:
            spread.append((a, z))
            closed[a] += 1
            closed[z] += 1
    every = sorted(chosen + spread)
    return Backbone(
        routers,
        tuple((a, z, metric[a][z]) for a, z in every),
        tuple(sorted(chance.sample(range(routers), min(edges, routers)))),
    )


def _tree(points: list[tuple[float, float]], count: int) -> list[tuple[int, int]]:
    """The shortest tree that joins all points (Prim)."""
    best = [(math.dist(points[0], points[n]), 0) for n in range(count)]
    outside = set(range(1, count))
    found = []
    while outside:
        nearest = min(outside, key=lambda n: (best[n][0], n))
        outside.remove(nearest)
        found.append((min(nearest, best[nearest][1]), max(nearest, best[nearest][1])))
        for n in outside:
            far = math.dist(points[nearest], points[n])
            if far < best[n][0]:
                best[n] = (far, nearest)
    return found


def _hops(links: list[tuple[int, int]], count: int, start: int) -> list[int]:
    around: list[list[int]] = [[] for _ in range(count)]
    for a, z in links:
        around[a].append(z)
        around[z].append(a)
    hops = [-1] * count
    hops[start] = 0
    waiting = [start]
    for here in waiting:
        for far in around[here]:
            if hops[far] < 0:
                hops[far] = hops[here] + 1
                waiting.append(far)
    return hops
