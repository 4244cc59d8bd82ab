"""Which prefixes of a proposal can stand in a network file: those that belong to one owner, or to one link, alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network

Network = IPv4Network | IPv6Network


def of_one_alone(prefixes: Mapping[str, Iterable[str]]) -> tuple[dict[str, list[str]], list[str]]:
    """The prefixes of each that overlap nobody else's, those inside one of the same owner left out; and what is said of
    the others.
    """
    owned = sorted(
        {(name, ip_network(text)) for name, texts in prefixes.items() for text in texts},
        key=lambda each: (*_order(each[1]), each[0]),
    )
    others: dict[tuple[str, Network], set[str]] = {each: set() for each in owned}
    around: dict[tuple[str, Network], list[tuple[str, Network]]] = {}
    # Prefixes nest or lie apart: what is not inside the last of these is inside none that follows it either.
    outer: list[tuple[str, Network]] = []
    for each in owned:
        while outer and not _overlap(outer[-1][1], each[1]):
            outer.pop()
        around[each] = list(outer)
        for wider in outer:
            if wider[0] != each[0]:
                others[each].add(wider[0])
                others[wider].add(each[0])
        outer.append(each)
    kept: dict[str, list[str]] = {name: [] for name in prefixes}
    said: list[str] = []
    for each in owned:
        name, network = each
        if others[each]:
            also = ", ".join(sorted(others[each]))
            said.append(f"{network} is authorised for {name} and, in part, for {also}: whose is it?")
        elif not any(wider[0] == name and not others[wider] for wider in around[each]):
            kept[name].append(str(network))
    return kept, said


def on_one_link(subnets: Iterable[str]) -> frozenset[str]:
    """The subnets that overlap no other: a LAN of several routers, or of several VRFs, is the prefix of no link."""
    networks = sorted(map(ip_network, subnets), key=_order)
    alone = set(map(str, networks))
    reach: Network | None = None
    for network in networks:
        if reach is not None and _overlap(reach, network):
            alone -= {str(reach), str(network)}
        else:
            reach = network
    return frozenset(alone)


def _order(network: Network) -> tuple[int, int, int]:
    return network.version, int(network.network_address), network.prefixlen


def _overlap(one: Network, other: Network) -> bool:
    return one.version == other.version and one.overlaps(other)
