"""Static routes that a promise rests on: @IRS promises GS over static routes only (section 2.2.2, route change protection).

Routing is not ours to write. A plan says which route each router on the way has to hold, and whether it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network

from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology.values import LinkDirection, Network

Prefix = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class RouteNeeded:
    """On `router` traffic of the reservation `sls` towards `prefix` has to leave by `interface`."""

    router: str
    sls: str
    prefix: Prefix
    interface: str


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """A route as a running-config has it; `interface` is empty where only a next hop is written."""

    prefix: Prefix
    interface: str


def routes_needed(network: Network, sls: Sls, hops: Iterable[LinkDirection]) -> Iterator[RouteNeeded]:
    """One per destination prefix and router of a path that sends over a core link, in the order of its hops; of a slice
    of the network those of its core links.
    """
    for load in hops:
        link = network.core_link(load.link)
        if link is None:
            continue
        ends = (
            (link.a_router, link.a_interface, link.z_router),
            (link.z_router, link.z_interface, link.a_router),
        )
        for router, interface, far in ends:
            if link.towards(far) == load:
                for prefix in sls.destination_prefixes:
                    yield RouteNeeded(router, sls.id, prefix, interface)


def static_routes(text: str) -> tuple[StaticRoute, ...]:
    """The static routes of a running-config; what is no plain route (a VRF's, a tracked one) is left out."""
    found: list[StaticRoute] = []
    for line in text.splitlines():
        words = line.split()
        try:
            if words[:2] == ["ipv6", "route"]:
                found.append(StaticRoute(ip_network(words[2], strict=False), _interface(words[3])))
            elif words[:2] == ["ip", "route"]:
                prefix = ip_network(f"{words[2]}/{words[3]}", strict=False)
                found.append(StaticRoute(prefix, _interface(words[4])))
        except (IndexError, ValueError):
            continue
    return tuple(found)


def at_risk(needed: Iterable[RouteNeeded], held: Iterable[StaticRoute]) -> Iterator[str]:
    """One sentence for each route that is needed and is not there, or goes elsewhere: what the promise risks.

    The longest static route that covers the prefix decides, as it does on a router.
    """
    routes = tuple(held)
    for each in needed:
        best = _best(each, routes)
        if best is None:
            yield f"{_what(each)}, and there is none: at risk when routing changes (@IRS section 2.2.2)"
        elif best.interface not in ("", each.interface):
            yield f"{_what(each)}, and {best.prefix} goes over {best.interface}: at risk (@IRS section 2.2.2)"


def in_place(needed: Iterable[RouteNeeded], held: Iterable[StaticRoute]) -> Iterator[str]:
    """One sentence for each route that is needed and is there."""
    routes = tuple(held)
    for each in needed:
        best = _best(each, routes)
        if best is not None and best.interface in ("", each.interface):
            yield f"{_what(each)}, and it is there"


def _best(needed: RouteNeeded, routes: tuple[StaticRoute, ...]) -> StaticRoute | None:
    covering = [route for route in routes if _covers(route.prefix, needed.prefix)]
    return max(covering, key=lambda route: route.prefix.prefixlen, default=None)


def _what(needed: RouteNeeded) -> str:
    return f"{needed.sls} needs a static route to {needed.prefix} over {needed.interface}"


def _interface(word: str) -> str:
    """The word when it is an interface's name, empty when it is a next hop's address."""
    return word if word[:1].isalpha() and ":" not in word else ""


def _covers(wide: Prefix, narrow: Prefix) -> bool:
    if isinstance(wide, IPv6Network) and isinstance(narrow, IPv6Network):
        return narrow.subnet_of(wide)
    if isinstance(wide, IPv4Network) and isinstance(narrow, IPv4Network):
        return narrow.subnet_of(wide)
    return False
