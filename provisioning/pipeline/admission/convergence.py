"""What could converge on each core link if every edge filled its cap.

D4.4.2v2 gives no core share. Admission keeps what was *granted* within ours; what edges *let in* is bounded by
their policers alone, and `percent 5` lets in 5 % whether it was granted or not. GRNET's Premium IP
"can occupy up to 20%" of a link (section 3.1); here the sum is reported with every plan, and refuses nothing (ios-facts 5.5).
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from provisioning.pipeline.scheme import ClassTemplate, Pool, Scheme
from provisioning.pipeline.topology import AccessLinkValue, CoreLinkValue, Direction, Network, distances
from provisioning.pipeline.units import rate_text, share_of


@dataclass(frozen=True)
class Convergence:
    """One direction of one core link: the caps (access link, bit/s) that lie before it, and its share.

    A cap counts whole on every link on a shortest path from its edge to any other router with an edge, on all of
    them where paths cost the same: nobody knows where the traffic of an edge goes.
    """

    link: str
    direction: Direction
    pool: str
    base_bps: int
    share_percent: Decimal | None
    share_bps: int
    share_is_choice: bool
    caps: tuple[tuple[str, int], ...]

    @property
    def sum_bps(self) -> int:
        """All caps together, bit/s."""
        return sum(cap for _, cap in self.caps)

    @property
    def excess_bps(self) -> int:
        """How much more than the share could come, bit/s; 0 when it all fits."""
        return max(0, self.sum_bps - self.share_bps)

    def __str__(self) -> str:
        edges = f"{len(self.caps)} edge{'' if len(self.caps) == 1 else 's'}"
        choice = ", our choice" if self.share_is_choice else ""
        over = f": {rate_text(self.excess_bps)} more" if self.excess_bps else ""
        return (
            f"{self.link} {self.direction}: {rate_text(self.sum_bps)} could converge from {edges}, the share is "
            f"{rate_text(self.share_bps)} ({_stated(self.share_percent)} of {rate_text(self.base_bps)}{choice}){over}"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "link": self.link,
            "direction": self.direction.value,
            "pool": self.pool,
            "base_bps": self.base_bps,
            "share_percent": None if self.share_percent is None else str(self.share_percent),
            "share_bps": self.share_bps,
            "share_is_choice": self.share_is_choice,
            "caps": [{"link": link, "cap_bps": cap} for link, cap in self.caps],
            "sum_bps": self.sum_bps,
            "excess_bps": self.excess_bps,
            "text": str(self),
        }


def convergence(
    network: Network, scheme: Scheme, links: Collection[str] | None = None
) -> tuple[Convergence, ...]:
    """Every core link (or each of `links`) both ways and every pool, by link, direction and pool.

    An edge whose case lets nothing of the pool in has no cap. A cap is the policer's percentage of the BW, floored.
    """
    away = _Distances(network)
    ends = {link.router for link in network.access_links} | {peering.router for peering in network.peerings}
    chosen = [core for core in network.core_links if links is None or core.id in links]
    ways = [
        (core, head, _sources(network, core, tail, head, ends, away))
        for core in chosen
        for tail, head in ((core.a_router, core.z_router), (core.z_router, core.a_router))
    ]
    edges = sorted(network.access_links, key=lambda link: link.id)
    found: list[Convergence] = []
    for pool in scheme.pools.values():
        if pool.core is None:
            continue
        caps = {link.id: cap_bps(scheme, pool, link) for link in edges}
        for core, head, crossed in ways:
            found.append(
                Convergence(
                    link=core.id,
                    direction=core.towards(head).direction,
                    pool=pool.name,
                    base_bps=core.base_bps,
                    share_percent=pool.core.percent,
                    share_bps=pool.core.of(core.base_bps),
                    share_is_choice=pool.core.is_choice,
                    caps=tuple(
                        (link.id, caps[link.id]) for link in edges if link.router in crossed and caps[link.id]
                    ),
                )
            )
    return tuple(sorted(found, key=lambda each: (each.link, each.direction.value, each.pool)))


def cap_bps(scheme: Scheme, pool: Pool, link: AccessLinkValue) -> int:
    """What the policers of the link's case let in of this pool, bit/s at layer 2."""
    caps = [
        entry_cap_bps(scheme, entry, link)
        for entry in scheme.case_policy(link.case).classes
        if entry.police is not None and entry.services and scheme.pool_of(entry.services[0]) == pool
    ]
    if scheme.policer == "grants":
        # Each policer has its own grants, and together they have no more than the share.
        return max(caps, default=0)
    return sum(caps)


def entry_cap_bps(scheme: Scheme, entry: ClassTemplate, link: AccessLinkValue) -> int:
    """What the policer of one class of the link's case lets in, bit/s at layer 2; 0 without a policer or a pool."""
    pool = scheme.pool_of(entry.services[0]) if entry.services else None
    if entry.police is None or pool is None:
        return 0
    percent = entry.police.percent
    return pool.access.of(link.bw_bps) if percent is None else share_of(link.bw_bps, percent)


def _stated(percent: Decimal | None) -> str:
    return "a fixed rate" if percent is None else f"{percent} %"


class _Distances(dict[str, Mapping[str, int]]):
    """The distances from a router to every other, reckoned when they are first asked for; the same both ways."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self._network = network

    def __missing__(self, router: str) -> Mapping[str, int]:
        found = self[router] = distances(self._network, router)
        return found


def _sources(
    network: Network, core: CoreLinkValue, tail: str, head: str, ends: set[str], away: _Distances
) -> set[str]:
    """The routers from which a shortest path to another router with an edge crosses the link from tail to head.

    Whoever crosses it towards an end also crosses it towards every router on the way there, so the routers behind
    `head` are looked at by their distance, each with those who come to it over the link, until an edge is found.
    """
    if core.down:
        return set()
    near, onward = away[tail], away[head]
    found: set[str] = set()
    coming = {head: {name for name, cost in near.items() if onward[name] == cost + core.metric}}
    queue = [(0, head)]
    while queue:
        cost, here = heapq.heappop(queue)
        crossing = coming.pop(here) - found
        if here in ends:
            found |= crossing
            continue
        for beyond, link in network.up.get(here, ()) if crossing else ():
            there = cost + link.metric
            if onward[beyond] != there:
                continue
            back = away[beyond]
            further = {name for name in crossing if back[name] == onward[name] + there}
            if beyond not in coming:
                coming[beyond] = set()
                heapq.heappush(queue, (there, beyond))
            coming[beyond] |= further
    return found
