"""The routes a guaranteed service rests on: which router has to hold which, and what it holds."""

from __future__ import annotations

from ipaddress import ip_network

from provisioning.pipeline.topology import path
from provisioning.pipeline.topology.static_routes import (
    RouteNeeded,
    at_risk,
    in_place,
    routes_needed,
    static_routes,
)
from tests.pipeline.networks import sls
from tests.pipeline.scheme.domains import bundled

LAAS, LIP6 = "LAAS@toulouse:FastEthernet2/0", "LIP6@paris:FastEthernet2/0"
PARIS = ip_network("2001:db8:d030:1::/64")
NEEDED = RouteNeeded("toulouse", "PIP-1", PARIS, "Serial1/0")


def said(config: str) -> str:
    """The one sentence: what is at risk, or that the route is there."""
    held = static_routes(config)
    (sentence,) = (*at_risk([NEEDED], held), *in_place([NEEDED], held))
    return sentence


def test_every_router_that_sends_over_a_core_link_needs_one() -> None:
    network = bundled("irs")
    asked = sls(LAAS, LIP6, 1, identifier="PIP-1", destination_prefixes=(PARIS,))
    assert list(routes_needed(network, asked, path(network, asked).hops)) == [
        NEEDED,
        RouteNeeded("lyon", "PIP-1", PARIS, "Serial1/1"),
    ]


def test_a_route_that_is_there_is_said_to_be_there() -> None:
    for held in (
        "ipv6 route 2001:DB8:D030:1::/64 Serial1/0",
        "ipv6 route 2001:DB8:D030::/48 Serial1/0 FE80::1",
        "ipv6 route 2001:DB8:D030::/48 2001:DB8:D000:1::2",
    ):
        assert said(f"hostname toulouse\n{held}\nend").endswith("it is there")


def test_a_promise_without_its_route_is_at_risk() -> None:
    assert "there is none: at risk" in said("ipv6 route 2001:DB8:D031::/48 Serial1/0")
    assert "there is none: at risk" in said(
        "ip route 192.0.2.0 255.255.255.0 Serial1/0\nipv6 route ::/x y\nipv6 route"
    )


def test_the_longest_route_decides() -> None:
    config = "ipv6 route 2001:DB8:D030::/48 Serial1/0\nipv6 route 2001:DB8:D030:1::/64 Serial1/1"
    assert "2001:db8:d030:1::/64 goes over Serial1/1: at risk" in said(config)


def test_ipv4_is_read_too() -> None:
    (route,) = static_routes("ip route 192.0.2.128 255.255.255.128 Serial1/0 5")
    assert (str(route.prefix), route.interface) == ("192.0.2.128/25", "Serial1/0")
