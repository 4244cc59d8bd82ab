"""Which permit entry lets in all that another one does: whoever is let in twice is not cut off by one of them going."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Prefix = tuple[int, int, int]
_EVERYTHING: Final[dict[str, _Network]] = {
    "ip": ipaddress.ip_network("0.0.0.0/0"),
    "ipv6": ipaddress.ip_network("::/0"),
}


@lru_cache(maxsize=4096)
def covers(wide: str, narrow: str) -> bool:
    """Whether a permit entry lets in all that another does; both canonical.

    Decided for two entries whose two addresses stand next to each other, the wide one of all protocols without options or
    of the same ones as the narrow; False wherever it is not decided.
    """
    outer, inner = _addresses(wide), _addresses(narrow)
    if outer is None or inner is None:
        return False
    family, options, (source, destination) = outer
    narrow_family, narrower, (from_there, to_there) = inner
    protocol, other = wide.split(" ", 2)[1], narrow.split(" ", 2)[1]
    return (
        family == narrow_family
        and ((protocol in _EVERYTHING and not options) or (protocol, options) == (other, narrower))
        and _within(from_there, source)
        and _within(to_there, destination)
    )


def beyond(entries: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """The entries that none of the others covers: each is compared with those alone whose source contains its own."""
    by_source: dict[Prefix, list[str]] = {}
    for wide in others:
        read = _addresses(wide)
        if read is not None:
            by_source.setdefault(prefix_of(read[2][0], read[2][0].prefixlen), []).append(wide)
    lengths = sorted({bits for _, _, bits in by_source})
    return tuple(
        entry
        for entry in entries
        if not any(covers(wide, entry) for wide in _containing(entry, by_source, lengths))
    )


def _containing(entry: str, by_source: Mapping[Prefix, list[str]], lengths: Sequence[int]) -> Iterator[str]:
    read = _addresses(entry)
    if read is not None:
        yield from of_containing(read[2][0], by_source, lengths)


def of_containing(
    network: _Network, found: Mapping[Prefix, Iterable[str]], lengths: Iterable[int]
) -> Iterator[str]:
    """What is found by the prefixes, of these lengths, that contain the network."""
    for bits in lengths:
        if bits <= network.prefixlen:
            yield from found.get(prefix_of(network, bits), ())


def prefix_of(network: _Network, bits: int) -> Prefix:
    """(IP version, the first `bits` of the network's address, `bits`)."""
    return network.version, int(network.network_address) >> (network.max_prefixlen - bits), bits


def _within(inner: _Network, outer: _Network) -> bool:
    return inner.version == outer.version and inner.subnet_of(outer)  # type: ignore[arg-type]


@lru_cache(maxsize=16384)
def _addresses(entry: str) -> tuple[str, list[str], tuple[_Network, _Network]] | None:
    """(family word, what follows, (source, destination)); None when the entry has another form."""
    words = entry.split(" ")
    if len(words) < 4 or words[0] != "permit":
        return None
    if words[1] == "ipv6" or any(":" in word for word in words):
        family = "ipv6"
    elif words[1] == "ip" or any(word.count(".") == 3 for word in words):
        family = "ip"
    else:  # "permit tcp any any" stands in lists of both families
        return None
    rest = words[2:]
    found: list[_Network] = []
    for _ in range(2):
        taken = network_of(rest, family)
        if taken is None:
            return None
        network, count = taken
        found.append(network)
        rest = rest[count:]
    return family, rest, (found[0], found[1])


def network_of(words: list[str], family: str) -> tuple[_Network, int] | None:
    """The network the words begin with, and how many words name it; None where they name none."""
    try:
        match words:
            case ["any", *_]:
                return _EVERYTHING[family], 1
            case ["host", host, *_]:
                return ipaddress.ip_network(host), 2
            case [prefix, *_] if "/" in prefix:
                return ipaddress.ip_network(prefix), 1
            case [network, wildcard, *_]:
                loose = int(ipaddress.IPv4Address(wildcard))
                if loose & (loose + 1):
                    return None  # bits of a wildcard that are not the last ones make no network
                return ipaddress.ip_network((network, 32 - loose.bit_length())), 2
    except ValueError:
        return None
    return None
