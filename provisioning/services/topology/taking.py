"""The hops that the traffic of a request takes by evidence of one form or another, as far as that form says it."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from inventory.models import AccessLink, CoreLink, Domain
from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Evidence, Network, Pair, Prefix, Seen, Table, Trace


@dataclass(frozen=True)
class Taken:
    """``hops`` are taken. Of the routers ``told`` (None: of all) these are all hops that are taken; of none (empty), other ways
    of the same cost may be taken too.
    """

    hops: frozenset[Pair]
    told: frozenset[str] | None = None


LOST = Taken(frozenset())
"""Routers have no path."""


@dataclass(frozen=True)
class Witness:
    """Evidence beside the network that it is about. Raises InvalidInput where it is of a router that the network has not."""

    domain: Domain
    network: Network
    scheme: Scheme
    evidence: Evidence
    _crossed: dict[str, frozenset[Pair]] = field(default_factory=dict, compare=False, repr=False)
    _left_by: dict[Prefix, frozenset[str] | None] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.evidence, Table) and self.evidence.router not in self._routers:
            raise InvalidInput(f"{self.evidence.router} is no router of this network", field="router")
        if isinstance(self.evidence, Trace):
            if self.evidence.source is None and self.evidence.router not in self._routers:
                raise InvalidInput(
                    "it does not say from which of our routers, or addresses, it begins", field="router"
                )
            if not self._links:
                raise InvalidInput("no core link has a prefix: no answer can be placed on one", field="file")

    @property
    def name(self) -> str:
        """What the evidence is, in words."""
        if isinstance(self.evidence, Seen):
            return "IS-IS database"
        if isinstance(self.evidence, Table):
            return f"table of {self.evidence.router}"
        return f"traceroute to {self.evidence.goal}"

    @property
    def whole(self) -> bool:
        """Whether it says all of every path."""
        return isinstance(self.evidence, Seen)

    def taken(self, request: PremiumRequest, charged: Collection[Pair]) -> Taken | None:
        """What it says of a request that is charged on these hops (old path and new); None where it says nothing."""
        if isinstance(self.evidence, Seen):
            return self._by_database(self.evidence, request)
        if isinstance(self.evidence, Table):
            return self._by_table(self.evidence, request, charged)
        return self._by_trace(self.evidence, request)

    def _by_database(self, seen: Seen, request: PremiumRequest) -> Taken:
        start = self._router_of(request.source_link)
        ends = self.scheme.service_class(request.service_class).ends
        if request.destination_link is not None:
            goal = self._router_of(request.destination_link)
            found = seen.between(start, goal)
            return Taken(found) if found or goal == start else LOST
        if ends == "outside":
            goals = {peering.router.lower() for peering in self.network.peerings}
        else:
            goals = set(self._routers)
        return Taken(frozenset(pair for goal in goals - {start} for pair in seen.between(start, goal)))

    def _by_table(self, table: Table, request: PremiumRequest, charged: Collection[Pair]) -> Taken | None:
        """Of a router that it passes: every destination has to have a route there that ends in a known interface."""
        here = table.router
        if here != self._router_of(request.source_link) and here not in {
            end for pair in charged for end in pair
        }:
            return None
        hops: set[Pair] = set()
        for prefix in _prefixes(request.destination_prefixes):
            interfaces = self._out_of(table, prefix)
            if interfaces is None or not all((here, name) in self._interfaces for name in interfaces):
                return None
            hops |= {pair for name in interfaces if (pair := self._interfaces[here, name]) is not None}
        return Taken(frozenset(hops), frozenset({here})) if request.destination_prefixes else None

    def _by_trace(self, trace: Trace, request: PremiumRequest) -> Taken | None:
        """Of a request between prefixes that hold where it begins and where it ends."""
        if not any(trace.goal in prefix for prefix in _prefixes(request.destination_prefixes)):
            return None
        sources = _prefixes(request.source_prefixes)
        if trace.source is not None:
            if not any(trace.source in prefix for prefix in sources):
                return None
        elif trace.router != self._router_of(request.source_link):
            return None
        start = self._router_of(request.source_link)
        if start not in self._crossed:  # one packet's way, however many requests it speaks for
            self._crossed[start] = trace.crossed(self.network, self._links, start)
        hops = self._crossed[start]
        return Taken(hops, frozenset()) if hops else None

    def _out_of(self, table: Table, prefix: Prefix) -> frozenset[str] | None:
        if prefix not in self._left_by:
            self._left_by[prefix] = table.out_of(prefix)
        return self._left_by[prefix]

    def _router_of(self, link: AccessLink) -> str:
        known = self.network.access_link(
            link.name
        )  # the rows of its interface are read of the few that are not there any more
        return (known.router if known is not None else link.interface.router.name).lower()

    @cached_property
    def _routers(self) -> frozenset[str]:
        return frozenset(router.name.lower() for router in self.network.routers)

    @cached_property
    def _interfaces(self) -> dict[tuple[str, str], Pair | None]:
        """By (router, interface) the hop that leaves by it; None where it leaves the backbone."""
        found: dict[tuple[str, str], Pair | None] = {}
        for access in self.network.access_links:
            found[access.router.lower(), access.interface.lower()] = None
        for peering in self.network.peerings:
            found[peering.router.lower(), peering.interface.lower()] = None
        for link in self.network.core_links:
            a, z = link.a_router.lower(), link.z_router.lower()
            found[a, link.a_interface.lower()] = (a, z)
            found[z, link.z_interface.lower()] = (z, a)
        return found

    @cached_property
    def _links(self) -> dict[Prefix, str]:
        rows = CoreLink.objects.filter(domain=self.domain, prefix__isnull=False).order_by("name")
        return {
            ipaddress.ip_network(str(prefix)): name for prefix, name in rows.values_list("prefix", "name")
        }


def _prefixes(texts: Collection[str]) -> list[Prefix]:
    return [ipaddress.ip_network(text) for text in texts]


def differences(network: Network, seen: Seen) -> Iterator[str]:
    """Where the inventory and the database say another network, by the pair of routers."""
    ours: dict[Pair, int] = {}
    for link in network.core_links:
        for pair in (
            (link.a_router.lower(), link.z_router.lower()),
            (link.z_router.lower(), link.a_router.lower()),
        ):
            if not link.down:
                ours[pair] = min(link.metric, ours.get(pair, link.metric))
    for a, z in sorted(ours.keys() | seen.metrics.keys()):
        mine, theirs = ours.get((a, z)), seen.metrics.get((a, z))
        if mine is None:
            yield f"{a} to {z}: the routers are neighbours at metric {theirs}, and the inventory has no link that is up"
        elif theirs is None:
            yield f"{a} to {z}: the inventory has a link at metric {mine}, and the routers are no neighbours"
        elif mine != theirs:
            yield f"{a} to {z}: metric {theirs} on the routers, {mine} in the inventory"
