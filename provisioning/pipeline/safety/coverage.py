"""Which permit entry lets in all that another one does: a source is cut off only when nothing else lets it in."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from functools import lru_cache

from provisioning.pipeline.mqc import PolicyMap, RunningConfig
from provisioning.pipeline.safety.packets import nested_classes
from provisioning.pipeline.safety.states import InterfaceQos

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_EVERYTHING = {"ip": ipaddress.ip_network("0.0.0.0/0"), "ipv6": ipaddress.ip_network("::/0")}


def uncovered(entries: Collection[str], *others: InterfaceQos) -> frozenset[str]:
    """The entries that none of the states lets in whole, by the same entry or by a wider one.

    Where an entry need not let in all that it names (`InterfaceQos.partial`), only the same entry counts.
    """
    return frozenset(
        entry
        for entry in entries
        if not any(
            entry in other.authorised
            or any(covers(wide, entry) for wide in other.authorised if wide not in other.partial)
            for other in others
        )
    )


def taken_whole(config: RunningConfig, policy: PolicyMap | None, making: Collection[str]) -> frozenset[str]:
    """Names of the access lists of which the classes `making` EF take everything, whatever else a packet is.

    These are the lists of the first such classes up to the first class of another kind: what stands before all of them
    sees the packets of all alike, what stands behind that class may have lost some to it.
    """
    whole: set[str] = set()
    begun = False
    for entry in () if policy is None else policy.classes:
        held = config.class_maps.get(entry.name)
        listing = held is not None and any(
            match.kind in ("access-group", "class-map") for match in held.matches
        )
        begun = begun or (entry.name in making and listing)
        if begun and (entry.name not in making or entry.child is not None):
            break
        if begun and _asks_lists_alone(config, entry.name):
            whole |= _lists_within(config, entry.name)
    return frozenset(whole)


def _lists_within(config: RunningConfig, name: str) -> frozenset[str]:
    """The access lists of a class that `_asks_lists_alone`, and of those within it."""
    held = config.class_maps[name]
    return held.access_lists.union(*(_lists_within(config, each) for each in nested_classes(held)))


def _asks_lists_alone(config: RunningConfig, name: str, depth: int = 0) -> bool:
    """Whether a packet that a list of the class permits is in the class whatever else it is."""
    held = config.class_maps.get(name)
    if held is None or held.mode == "match-none" or depth > 4:
        return False
    inverted = any(match.negated and match.kind in ("access-group", "class-map") for match in held.matches)
    if inverted or not (held.mode == "match-any" or len(held.matches) == 1):
        return False
    inner = sorted(nested_classes(held))
    return all(_asks_lists_alone(config, each, depth + 1) for each in inner)


@lru_cache(maxsize=4096)
def covers(wide: str, narrow: str) -> bool:
    """Whether a permit entry lets in all that another does; both canonical.

    Decided for a wide entry of all protocols without options, and a narrow one whose two addresses stand next to each
    other; False wherever it is not decided.
    """
    outer, inner = _addresses(wide), _addresses(narrow)
    if outer is None or inner is None:
        return False
    family, options, (source, destination) = outer
    narrow_family, _, (from_there, to_there) = inner
    return (
        family == narrow_family
        and not options
        and wide.split(" ")[1] in _EVERYTHING
        and _within(from_there, source)
        and _within(to_there, destination)
    )


def _within(inner: _Network, outer: _Network) -> bool:
    return inner.version == outer.version and inner.subnet_of(outer)  # type: ignore[arg-type]


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
        taken = _address(rest, family)
        if taken is None:
            return None
        network, count = taken
        found.append(network)
        rest = rest[count:]
    return family, rest, (found[0], found[1])


def _address(words: list[str], family: str) -> tuple[_Network, int] | None:
    """The address the words begin with, and how many words it takes."""
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
