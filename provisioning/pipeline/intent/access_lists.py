"""The access lists of a filtered link: what its reservations authorise, no wider (D4.4.2v2 section 2.6, third occasion)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network

from provisioning.pipeline.mqc import DENIES_THE_REST, LAST_PLACE, AccessEntry, AccessList
from provisioning.pipeline.sls import Sls

Network = IPv4Network | IPv6Network


def access_list(name: str, family: int, reservations: Iterable[Sls]) -> AccessList:
    """Return the list named `name` of IP version `family` (4 or 6).

    One entry per source and destination prefix and flow label, each once, sorted. A list that authorises nothing
    denies everything in so many words: what routers do with an empty or missing list is not known (ios-facts 2.7).
    """
    keys = sorted({key for sls in reservations for key in _keys(sls, family)})
    if not keys:
        return _of_nobody(name, family)
    return AccessList.of(name, family, tuple(_text(family, *key) for key in keys))


def link_access_list(name: str, prefix: str) -> AccessList:
    """Return the list of what the neighbour on the link itself sends: from the link's addresses to them, and, in IPv6,
    from its link-local ones, which no router forwards. A link whose addresses nobody told exempts nothing.
    """
    if not prefix:
        return _of_nobody(name, 6)
    found = ip_network(prefix)
    key = _key(found)
    words = [_text(found.version, key, key, 0)]
    if found.version == 6:
        words.append("permit ipv6 fe80::/10 any")
    return AccessList.of(name, found.version, tuple(words))


def _of_nobody(name: str, family: int) -> AccessList:
    return AccessList(name, family, (AccessEntry(LAST_PLACE, DENIES_THE_REST[family]),))


def uses_family(reservations: Iterable[Sls], family: int) -> bool:
    """Whether any reservation has a source prefix of that IP version."""
    return any(prefix.version == family for sls in reservations for prefix in sls.source_prefixes)


def wide_entries(reservations: Iterable[Sls]) -> Iterator[str]:
    """Warnings: a filtered class takes everything an entry matches, so source-to-any takes a host's LBE and BE too."""
    for sls in reservations:
        if not sls.destination_prefixes:
            yield f"reservation {sls.id}: no destination prefix, so everything its sources send becomes EF"


_Key = tuple[tuple[bytes, int], tuple[bytes, int], int]


def _keys(sls: Sls, family: int) -> Iterator[_Key]:
    sources = [prefix for prefix in sls.source_prefixes if prefix.version == family]
    if sls.destination_prefixes:
        destinations = [prefix for prefix in sls.destination_prefixes if prefix.version == family]
    else:
        destinations = [IPv6Network("::/0") if family == 6 else IPv4Network("0.0.0.0/0")]
    label = sls.flow_label or 0
    for source in sources:
        for destination in destinations:
            yield _key(source), _key(destination), label


def _key(prefix: Network) -> tuple[bytes, int]:
    return prefix.network_address.packed, prefix.prefixlen


def _text(family: int, source: tuple[bytes, int], destination: tuple[bytes, int], label: int) -> str:
    protocol = "ipv6" if family == 6 else "ip"
    words = f"permit {protocol} {_address(family, *source)} {_address(family, *destination)}"
    return f"{words} flow-label {label}" if label and family == 6 else words


def _address(family: int, packed: bytes, length: int) -> str:
    if length == 0:
        return "any"
    if family == 6:
        network6 = IPv6Network((packed, length))
        return f"host {network6.network_address}" if length == 128 else str(network6)
    network4 = IPv4Network((packed, length))
    return (
        f"host {network4.network_address}"
        if length == 32
        else f"{network4.network_address} {network4.hostmask}"
    )
