"""Addresses as access lists write them. Most stand in their canonical form already, and are only looked at."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

_OCTETS: Final = {str(value): value for value in range(256)}
_GROUP: Final = "[1-9a-f][0-9a-f]{0,3}"
# One "::" for at least two groups of zeros, no other zero: there is no shorter way to write it.
_PREFIX: Final = re.compile(rf"(?P<fixed>(?:{_GROUP}:){{1,6}}):/(?P<length>[1-9][0-9]?)\Z")
_HOST: Final = re.compile(rf"(?:{_GROUP}:){{1,5}}(?::{_GROUP}){{1,5}}\Z")


def ipv4_number(word: str) -> int | None:
    """The 32 bits of four decimal octets; None for any other word."""
    octets = word.split(".")
    if len(octets) != 4:
        return None
    number = 0
    for octet in octets:
        value = _OCTETS.get(octet)
        if value is None:
            return None
        number = number << 8 | value
    return number


def dotted(number: int) -> str:
    """32 bits as four decimal octets."""
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def host_text(word: str) -> str | None:
    """A single IPv4 or IPv6 address in its canonical form (RFC 5952); None for any other word."""
    if ipv4_number(word) is not None:
        return word
    lowered = word.lower()
    if _HOST.match(lowered) and lowered.count(":") <= 6:
        return lowered
    try:
        return str(ipaddress.ip_address(word))
    except ValueError:
        return None


def ipv6_prefix(word: str) -> tuple[str, int] | None:
    """An IPv6 prefix with its host bits zeroed, as (address, length); None for any other word."""
    lowered = word.lower()
    found = _PREFIX.match(lowered)
    if found is not None and 16 * found["fixed"].count(":") <= (length := int(found["length"])):
        return lowered[: found.end("fixed") + 1], length
    try:
        network = ipaddress.IPv6Network(word, strict=False)
    except ValueError:
        return None
    return str(network.network_address), network.prefixlen
