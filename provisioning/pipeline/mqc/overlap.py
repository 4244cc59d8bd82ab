"""Which packets two permit entries have in common: whoever both let in is let in before and after one takes the other's place."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from provisioning.pipeline.mqc.coverage import Prefix, covers, network_of, of_containing, prefix_of

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_Place = tuple[str, _Network | None]
_EVERY_PROTOCOL: Final = frozenset({"ip", "ipv6"})
_OPERATORS: Final = {"eq": 2, "neq": 2, "gt": 2, "lt": 2, "range": 3}
_AFTER_PORTS: Final = frozenset({"dscp", "precedence", "flow-label", "established", "log", "log-input"})
_EVERYWHERE: Final = ipaddress.ip_network("0.0.0.0/0")
_VALUED: Final = frozenset({"dscp", "precedence", "flow-label"})
"""Options of which a packet has one value: two entries that name different ones have no packet in common."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is understood of an entry; None where anything is possible as far as that goes.

    `family` 4 or 6; `source` and `destination` are spelled as in the entry beside the network they name, None for `any` of
    no known family; `rest` are the words after both addresses.
    """

    family: int | None
    protocol: str
    source: _Place | None
    source_port: tuple[str, ...]
    destination: _Place | None
    destination_port: tuple[str, ...]
    rest: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether the addresses are all there is to it, but for its protocol and what stands behind them."""
        places = (self.source, self.destination)
        named = all(place is not None and place[1] is not None for place in places)
        return named and not (self.source_port or self.destination_port)


@lru_cache(maxsize=16384)
def share(one: str, other: str) -> bool:
    """Whether a packet can be in both of two permit (or deny) entries, both canonical; True also where that is not decided."""
    if one.split(" ")[1:] == other.split(" ")[1:]:
        return True
    left, right = _read(one), _read(other)
    if None not in (left.family, right.family) and left.family != right.family:
        return False
    if left.protocol != right.protocol and _EVERY_PROTOCOL.isdisjoint({left.protocol, right.protocol}):
        return False
    if _apart(left.source, right.source) or _apart(left.destination, right.destination):
        return False
    if _other_port(left.source_port, right.source_port):
        return False
    if _other_port(left.destination_port, right.destination_port):
        return False
    values, others = _values(left.rest), _values(right.rest)
    return all(others.get(word, value) == value for word, value in values.items())


def sharing(entries: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """Those of the entries that `share` with one of the others; compared are those alone whose sources overlap."""
    asked = {entry: _source(entry) for entry in entries}
    lengths = {network.prefixlen for network in asked.values() if network is not None}
    every = list(others)
    anywhere: list[str] = []
    exact: dict[Prefix, list[str]] = {}
    within: dict[Prefix, list[str]] = {}
    for other in every:
        network = _source(other)
        if network is None:
            anywhere.append(other)
            continue
        exact.setdefault(prefix_of(network, network.prefixlen), []).append(other)
        for bits in lengths:
            if bits < network.prefixlen:
                within.setdefault(prefix_of(network, bits), []).append(other)
    containing = sorted({bits for _, _, bits in exact})

    def near(network: _Network | None) -> Iterator[str]:
        if network is None:
            yield from every
            return
        yield from anywhere
        yield from of_containing(network, exact, containing)
        yield from within.get(prefix_of(network, network.prefixlen), ())

    return frozenset(
        entry for entry, network in asked.items() if any(share(entry, other) for other in near(network))
    )


def _source(entry: str) -> _Network | None:
    place = _read(entry).source
    return None if place is None else place[1]


@lru_cache(maxsize=16384)
def common(one: str, other: str) -> str | None:
    """The permit entry of all that two permit entries both let in; None where there is none, or it is not decided.

    Decided where both name two networks, and one of them all protocols without options, or both the same.
    """
    if covers(one, other):
        return other
    if covers(other, one):
        return one
    left, right = _read(one), _read(other)
    if not (left.plain and right.plain and share(one, other)) or left.family != right.family:
        return None
    narrow = left if _every_packet(right) else right
    if not _every_packet(left if narrow is right else right) and (left.protocol, left.rest) != (
        right.protocol,
        right.rest,
    ):
        return None
    source, destination = _smaller(left.source, right.source), _smaller(left.destination, right.destination)
    return " ".join(("permit", narrow.protocol, source, destination, *narrow.rest))


def _every_packet(entry: _Entry) -> bool:
    """Whether its two addresses decide alone."""
    return entry.protocol in _EVERY_PROTOCOL and not entry.rest


@lru_cache(maxsize=16384)
def _read(entry: str) -> _Entry:
    words = entry.split(" ")[1:]
    version6 = words[0] == "ipv6" or any(":" in word for word in words)
    family = 6 if version6 else 4 if words[0] == "ip" or _dotted(words) else None
    if words[0] in ("any", "host") or _dotted(words[:1]):  # of a standard list: the source, and nothing else
        source, words = _address(words, 4)
        return _Entry(4, "ip", source, (), ("any", _EVERYWHERE), (), tuple(words))
    if words[0] == "object-group":
        return _Entry(family, "ip", None, (), None, (), ("object-group",))
    protocol, words = words[0], words[1:]
    source, words = _address(words, family)
    source_port, words = _port(words)
    destination, words = _address(words, family)
    if source is None or destination is None:
        return _Entry(family, protocol, source, (), None, (), tuple(words))
    destination_port, words = _port(words)
    if words and words[0] not in _AFTER_PORTS:  # several ports in one entry, for one
        destination_port = (*destination_port, "?")
    return _Entry(family, protocol, source, source_port, destination, destination_port, tuple(words))


def _dotted(words: list[str]) -> bool:
    return any(word.count(".") == 3 for word in words)


def _address(words: list[str], family: int | None) -> tuple[_Place | None, list[str]]:
    if family is None and words[:1] == ["any"]:
        return ("any", None), words[1:]
    found = None if family is None else network_of(words, "ipv6" if family == 6 else "ip")
    if found is None:
        return None, words
    network, count = found
    return (" ".join(words[:count]), network), words[count:]


def _port(words: list[str]) -> tuple[tuple[str, ...], list[str]]:
    count = _OPERATORS.get(words[0], 0) if words else 0
    return tuple(words[:count]), words[count:]


def _apart(one: _Place | None, other: _Place | None) -> bool:
    if one is None or other is None or one[1] is None or other[1] is None:
        return False
    return not one[1].overlaps(other[1])


def _other_port(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    numbers = all(len(each) == 2 and each[0] == "eq" and each[1].isdigit() for each in (one, other))
    return numbers and one != other


def _values(rest: tuple[str, ...]) -> dict[str, str]:
    return {word: value for word, value in pairwise(rest) if word in _VALUED and value.isdigit()}


def _smaller(one: _Place | None, other: _Place | None) -> str:
    assert one is not None and one[1] is not None
    assert other is not None and other[1] is not None
    return one[0] if one[1].prefixlen >= other[1].prefixlen else other[0]
