"""Which prefixes of a proposal can stand in a network file: those that belong to one owner, or to one link, alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network


def of_one_alone(prefixes: Mapping[str, Iterable[str]]) -> tuple[dict[str, list[str]], list[str]]:
    """The prefixes of each that overlap nobody else's, those inside one of the same owner left out; and what is said of
    the others.
    """
    kept: dict[str, list[str]] = {name: [] for name in prefixes}
    said: list[str] = []
    owned = [(name, ip_network(text)) for name, texts in prefixes.items() for text in sorted(set(texts))]
    for name, network in sorted(owned, key=lambda each: (each[1].version, each[1].prefixlen, str(each[1]))):
        others = sorted({other for other, theirs in owned if other != name and _overlap(network, theirs)})
        if others:
            said.append(
                f"{network} is authorised for {name} and, in part, for {', '.join(others)}: whose is it?"
            )
        elif not any(_overlap(network, ip_network(each)) for each in kept[name]):
            kept[name].append(str(network))
    return kept, said


def on_one_link(subnets: Iterable[str]) -> frozenset[str]:
    """The subnets that overlap no other: a LAN of several routers, or of several VRFs, is the prefix of no link."""
    networks = sorted(
        map(ip_network, subnets), key=lambda each: (each.version, each.network_address, each.prefixlen)
    )
    alone: set[str] = set(map(str, networks))
    reach: IPv4Network | IPv6Network | None = None
    for network in networks:
        if reach is not None and _overlap(reach, network):
            alone -= {str(reach), str(network)}
        if (
            reach is None
            or not _overlap(reach, network)
            or int(network.broadcast_address) > int(reach.broadcast_address)
        ):
            reach = network
    return frozenset(alone)


def _overlap(one: IPv4Network | IPv6Network, other: IPv4Network | IPv6Network) -> bool:
    return one.version == other.version and one.overlaps(other)
