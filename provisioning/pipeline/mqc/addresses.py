"""Addresses as access lists write them. Most stand in their canonical form already, and are only looked at."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

_OCTETS: Final = {str(value): value for value in range(256)}
_GROUP: Final = "[1-9a-f][0-9a-f]{0,3}"
# One "::" for at least two groups of zeros, no other zero: there is no shorter way to write it. No bit stands behind
# the length of a prefix, which is between the bits of its groups and 127.
_LENGTHS: Final = (
    "1[6-9]|[2-9][0-9]",
    "3[2-9]|[4-9][0-9]",
    "4[89]|[5-9][0-9]",
    "6[4-9]|[7-9][0-9]",
    "[89][0-9]",
    "9[6-9]",
)
# One group after the other, each followed by the end of the prefix or by the next.
IPV6_PREFIX: Final = (
    "".join(f"{_GROUP}:(?::/(?:{lengths}|1[01][0-9]|12[0-7])|" for lengths in _LENGTHS) + "(?!)" + ")" * 6
)
_OCTET: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
IPV4_HOST: Final = rf"host {_OCTET}(?:\.{_OCTET}){{3}}"
IPV4_PREFIX: Final = (
    rf"{_OCTET}\.(?:{_OCTET}\.(?:{_OCTET}\.0 0\.0\.0\.255|0\.0 0\.0\.255\.255)|0\.0\.0 0\.255\.255\.255)"
)
"""Patterns of what is canonical as it stands: of an IPv4 network with its wildcard only where that is of whole octets."""

_PREFIX: Final = re.compile(rf"(?:{IPV6_PREFIX})\Z")
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


def ipv6_prefix(word: str) -> str | None:
    """An IPv6 prefix in its canonical form (RFC 5952), its host bits zeroed; None for any other word."""
    lowered = word.lower()
    if _PREFIX.match(lowered):
        return lowered
    try:
        return str(ipaddress.IPv6Network(word, strict=False))
    except ValueError:
        return None
