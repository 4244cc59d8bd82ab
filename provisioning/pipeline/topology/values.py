"""The network as frozen values: routers, access links, core links, peerings, and one direction of a link.

A link has three capacities (D4.4.2v2 section 2.4.1 says "the access link's capacity" and means what the
router takes 5 % of): its line rate, the BW the router takes percentages of, and what the port can really
carry. Shares are of min(BW, usable).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from provisioning.errors import InvalidInput
from provisioning.pipeline.topology.planned import LinkCapacity, Planned, PoolShare

_SLOT = re.compile(r"[A-Za-z-]+\s?(\d+)/")


class Direction(StrEnum):
    """One way of a link: ``in`` and ``out`` of the backbone on an access link, ``a-z`` and ``z-a`` on a core
    link.
    """

    IN = "in"
    OUT = "out"
    A_Z = "a-z"
    Z_A = "z-a"


@dataclass(frozen=True, order=True)
class LinkDirection:
    """One direction of one link, the thing capacity is counted on. Orders by link id, then direction."""

    link: str
    direction: Direction

    def __str__(self) -> str:
        return f"{self.link} {self.direction}"


@dataclass(frozen=True)
class RouterValue:
    """A router: ``engines`` maps a slot to the layer 3 forwarding engine of its card ("3", "4+"; ios-facts
    2.2).
    """

    name: str
    platform: str
    ios: str
    engines: Mapping[int, str] = field(default_factory=dict, hash=False)
    interfaces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        engines = {int(slot): str(engine) for slot, engine in self.engines.items()}
        object.__setattr__(self, "engines", MappingProxyType(engines))

    def engine_of(self, interface: str) -> tuple[int, str] | None:
        """(slot, engine) of the card that holds ``interface``; None when the inventory knows no card
        there.
        """
        slot = slot_of(interface)
        return (slot, self.engines[slot]) if slot is not None and slot in self.engines else None


@dataclass(frozen=True)
class AccessLinkValue:
    """An NREN's link; ``case`` is who marks: ``trusted``, ``filtered`` or ``non-participant`` (D4.4.2v2
    section 2.6).

    ``dscp_map`` is not empty where a neighbouring domain with an agreement stands in an NREN's place: (our DSCP, its
    DSCP), each side once (section 2.2). ``prefix`` are the addresses of the link itself, empty where nobody told.
    """

    id: str
    nren: str
    router: str
    interface: str
    pvc: str | None
    line_rate_bps: int
    bw_bps: int
    usable_bps: int
    case: str
    standing: bool
    dscp_map: tuple[tuple[int, int], ...] = ()
    prefix: str = ""
    kind: ClassVar[Literal["access"]] = "access"

    @property
    def base_bps(self) -> int:
        """What shares are of, bit/s: the smaller of BW and usable capacity."""
        return min(self.bw_bps, self.usable_bps)


@dataclass(frozen=True)
class CoreLinkValue:
    """A link between two routers; ``metric`` is the routing cost, the same both ways. No path goes over one that is
    ``down``.
    """

    id: str
    a_router: str
    a_interface: str
    z_router: str
    z_interface: str
    metric: int
    line_rate_bps: int
    bw_bps: int
    usable_bps: int
    down: bool = False
    kind: ClassVar[Literal["core"]] = "core"

    @property
    def base_bps(self) -> int:
        """What shares are of, bit/s: the smaller of BW and usable capacity."""
        return min(self.bw_bps, self.usable_bps)

    def towards(self, router: str) -> LinkDirection:
        """This link in the direction that ends at ``router``; raises InvalidInput when it has no end
        there.
        """
        if router == self.z_router:
            return LinkDirection(self.id, Direction.A_Z)
        if router == self.a_router:
            return LinkDirection(self.id, Direction.Z_A)
        raise InvalidInput(f"core link {self.id} has no end at {router}", field="core_links")


@dataclass(frozen=True)
class PeeringValue:
    """A border link, to a neighbouring domain; never a participant without an agreement (D4.4.2v2 Appendix A). ``prefix``
    are the addresses of the link itself, empty where nobody told. What leaves the domain by it loads it ``out``.
    """

    id: str
    name: str
    router: str
    interface: str
    pvc: str | None
    line_rate_bps: int
    bw_bps: int
    usable_bps: int
    prefix: str = ""
    kind: ClassVar[Literal["border"]] = "border"

    @property
    def base_bps(self) -> int:
        """What shares are of, bit/s: the smaller of BW and usable capacity."""
        return min(self.bw_bps, self.usable_bps)


LinkValue = AccessLinkValue | CoreLinkValue | PeeringValue


@dataclass(frozen=True)
class Network:
    """All of it. Raises InvalidInput when an id occurs twice, among links of any kind (capacity is counted by id), or a link
    names a router that is not there. ``planned`` are capacities and shares that change with time.
    """

    routers: tuple[RouterValue, ...]
    access_links: tuple[AccessLinkValue, ...]
    core_links: tuple[CoreLinkValue, ...]
    peerings: tuple[PeeringValue, ...] = ()
    planned: tuple[Planned, ...] = ()

    def __post_init__(self) -> None:
        _each_once("routers", (router.name for router in self.routers))
        _each_once("access_links", (link.id for link in self.access_links))
        _each_once("core_links", (link.id for link in self.core_links))
        _each_once("peerings", (link.id for link in self.links))
        names = {router.name for router in self.routers}
        edges = [(link.id, link.router) for link in self.access_links]
        edges += [(peering.id, peering.router) for peering in self.peerings]
        for identifier, router in edges:
            if router not in names:
                raise InvalidInput(f"{identifier} is on {router}, no router of this network", field="routers")
        for link in self.core_links:
            if (
                link.metric < 1
                or link.a_router == link.z_router
                or not {link.a_router, link.z_router} <= names
            ):
                raise InvalidInput(
                    f"core link {link.id} needs two known routers and a metric above 0", field="core_links"
                )

    @cached_property
    def _routers(self) -> dict[str, RouterValue]:
        return {router.name: router for router in self.routers}

    @cached_property
    def _access_links(self) -> dict[str, AccessLinkValue]:
        return {link.id: link for link in self.access_links}

    @cached_property
    def _core_links(self) -> dict[str, CoreLinkValue]:
        return {link.id: link for link in self.core_links}

    @cached_property
    def _peerings(self) -> dict[str, PeeringValue]:
        return {peering.id: peering for peering in self.peerings}

    @cached_property
    def engines(self) -> tuple[str, ...]:
        """Every engine that a card of some router has, sorted."""
        return tuple(sorted({engine for router in self.routers for engine in router.engines.values()}))

    @cached_property
    def capacities_of(self) -> Mapping[str, tuple[LinkCapacity, ...]]:
        """The planned capacities of each link that has any."""
        found: dict[str, tuple[LinkCapacity, ...]] = {}
        for each in self.planned:
            if isinstance(each, LinkCapacity):
                found[each.link] = (*found.get(each.link, ()), each)
        return MappingProxyType(found)

    @cached_property
    def shares_of(self) -> Mapping[tuple[str, str], tuple[PoolShare, ...]]:
        """The planned shares by pool and kind of link."""
        found: dict[tuple[str, str], tuple[PoolShare, ...]] = {}
        for each in self.planned:
            if isinstance(each, PoolShare):
                key = (each.pool, each.kind)
                found[key] = (*found.get(key, ()), each)
        return MappingProxyType(found)

    @property
    def links(self) -> tuple[LinkValue, ...]:
        """Every link of the domain: access links, core links, peerings."""
        return (*self.access_links, *self.core_links, *self.peerings)

    @cached_property
    def around(self) -> Mapping[str, tuple[tuple[str, CoreLinkValue], ...]]:
        """The core links of each router that has any, each with the router at its other end, in the order of the links."""
        found: dict[str, list[tuple[str, CoreLinkValue]]] = {}
        for link in self.core_links:
            found.setdefault(link.a_router, []).append((link.z_router, link))
            found.setdefault(link.z_router, []).append((link.a_router, link))
        return MappingProxyType({name: tuple(links) for name, links in found.items()})

    @cached_property
    def up(self) -> Mapping[str, tuple[tuple[str, CoreLinkValue], ...]]:
        """As `around`, without the links that are down."""
        return MappingProxyType(
            {
                name: tuple((far, link) for far, link in links if not link.down)
                for name, links in self.around.items()
            }
        )

    @cached_property
    def known_paths(self) -> dict[Hashable, Any]:
        """What was derived from this network already, by what was asked; `paths` fills it and keeps it small."""
        return {}

    @cached_property
    def known_trees(self) -> dict[str, Any]:
        """The core as integers (under the empty name) and shortest paths by the router they start from; `paths` fills it."""
        return {}

    def part(self, router: str) -> Network:
        """The network as far as what `router` must hold depends on it: the router, its edges, and its core links with the
        routers at their other ends. Empty for a router that is not there.
        """
        core = tuple(link for _, link in self.around.get(router, ()))
        names = {end for link in core for end in (link.a_router, link.z_router)} | {router}
        edges, peerings = self._edges.get(router, ((), ()))
        known = tuple(self._routers[name] for name in sorted(names & self._routers.keys()))
        return Network(known, edges, core, peerings)

    @cached_property
    def _edges(self) -> dict[str, tuple[tuple[AccessLinkValue, ...], tuple[PeeringValue, ...]]]:
        """The access links and the peerings of each router."""
        edges: dict[str, list[AccessLinkValue]] = {}
        peerings: dict[str, list[PeeringValue]] = {}
        for link in self.access_links:
            edges.setdefault(link.router, []).append(link)
        for peering in self.peerings:
            peerings.setdefault(peering.router, []).append(peering)
        return {
            name: (tuple(edges.get(name, ())), tuple(peerings.get(name, ())))
            for name in edges.keys() | peerings.keys()
        }

    def router(self, name: str) -> RouterValue | None:
        """The router of that name, or None."""
        return self._routers.get(name)

    def engine_at(self, router: str, interface: str) -> str | None:
        """The engine of the card that holds the interface; None when the inventory knows no card there."""
        found = self._routers.get(router)
        card = None if found is None else found.engine_of(interface)
        return None if card is None else card[1]

    def access_link(self, link: str) -> AccessLinkValue | None:
        """The access link of that id, or None."""
        return self._access_links.get(link)

    def core_link(self, link: str) -> CoreLinkValue | None:
        """The core link of that id, or None."""
        return self._core_links.get(link)

    def link(self, link: str) -> LinkValue | None:
        """The link of that id, of whatever kind, or None."""
        return self._access_links.get(link) or self._core_links.get(link) or self._peerings.get(link)


def slot_of(interface: str) -> int | None:
    """The slot in an IOS interface name (``POS2/0`` is 2, ``ATM2/0.1`` is 2); None for one without
    (``Loopback0``).
    """
    found = _SLOT.match(interface)
    return int(found[1]) if found else None


def _each_once(field_name: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for identifier in ids:
        if identifier in seen:
            raise InvalidInput(f"{identifier} occurs twice", field=field_name)
        seen.add(identifier)
