"""The canonical text of one access list entry, from whatever spelling IOS took or printed (ios-facts N31,
N33, N34).
"""

from __future__ import annotations

import ipaddress
import itertools
import re
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc.addresses import (
    IPV4_HOST,
    IPV4_PREFIX,
    IPV6_PREFIX,
    dotted,
    host_text,
    ipv4_number,
    ipv6_prefix,
)
from provisioning.pipeline.mqc.codepoints import dscp, precedence
from provisioning.pipeline.mqc.numbers import is_number
from provisioning.pipeline.mqc.ports import PROTOCOLS, port

_ADDRESS: Final = f"(?:any|{IPV6_PREFIX}|{IPV4_HOST}|{IPV4_PREFIX})"
_PLAIN: Final = re.compile(rf"(?:permit|deny) (?:ipv6|ip|tcp|udp|icmp) {_ADDRESS} {_ADDRESS}\Z")
"""Entries of two addresses that stand in their canonical form already."""

_HEXADECIMAL: Final = re.compile(r"0x[0-9a-f]{1,8}\Z", re.IGNORECASE)
_OPERATORS: Final = frozenset({"eq", "neq", "gt", "lt", "range"})
_WITH_PORTS: Final = frozenset({"tcp", "udp", "sctp"})
_OF_TCP: Final = frozenset(
    {"established", "ack", "fin", "psh", "rst", "syn", "urg", "match-all", "match-any"}
)
"""Options of TCP: command references and routers have them before all others (``ack dscp ef ttl lt 20``)."""

_FLAGS: Final = frozenset(
    {"established", "ack", "fin", "psh", "rst", "syn", "urg", "fragments", "log", "log-input"}
    | {"auth", "dest-option", "hbh", "mobility", "routing", "undetermined-transport"}
)
_VALUED: Final = frozenset(
    {"dscp", "precedence", "tos", "flow-label", "time-range", "option", "reflect", "timeout"}
    | {"dest-option-type", "mobility-type", "routing-type"}
)
_KNOWN: Final = _FLAGS | _VALUED | {"ttl", "match-all", "match-any"}
_GROUPS: Final = frozenset({"object-group", "addrgroup"})
_TOS: Final = {
    "normal": "0",
    "min-monetary-cost": "1",
    "max-reliability": "2",
    "max-throughput": "4",
    "min-delay": "8",
}


class _NotUnderstoodError(Exception):
    """The entry has a form outside the grammar read here; its words are kept as they are."""


def canonical_ace(text: str) -> str:
    """One entry without its sequence number: addresses lower case with host bits zeroed, ``host`` for a
    single address, ``any`` for all, DSCPs and ports as numbers, options in the order of the alphabet, those
    of TCP first.

    ``permit UDP 2001:DB8::/32 any eq ntp`` and ``permit udp 2001:db8::/32 any eq 123`` are one text. From
    the first option not known here the words are kept as they stand; so is an entry of another form (a
    dynamic one), but for its IPv6 addresses. Raises InvalidInput when the text is no entry at all.
    """
    lowered = text.lower()
    if _PLAIN.match(lowered):
        return lowered
    words = text.split()
    if not words or (len(words) < 2 and words[0].lower() in ("permit", "deny")):
        raise InvalidInput(f"{text.strip()!r} is no access list entry", field="access-list")
    action = words[0].lower()
    if action not in ("permit", "deny"):
        return " ".join([action, *words[1:]])
    try:
        return " ".join([action, *_after_action(words[1:])])
    except (_NotUnderstoodError, IndexError, InvalidInput):
        return " ".join([action, *map(_address_word, words[1:])])


def _address_word(word: str) -> str:
    """An IPv6 address or prefix as it is written here, any other word as it is."""
    if word.count(":") < 2:
        return word
    try:
        return str(ipaddress.IPv6Network(word, strict=False) if "/" in word else ipaddress.IPv6Address(word))
    except ValueError:
        return word


def _after_action(words: list[str]) -> list[str]:
    first = words[0].lower()
    if first in ("any", "host") or _is_ipv4(first):
        address, rest = _address(words, standard=True)
        return address + _options("ip", rest)
    protocol = PROTOCOLS.get(first, first)
    service = [protocol, words[1]] if protocol == "object-group" else [protocol]
    source, rest = _address(words[len(service) :])
    source_port, rest = _port(protocol, rest)
    destination, rest = _address(rest)
    destination_port, rest = _port(protocol, rest)
    return [*service, *source, *source_port, *destination, *destination_port, *_options(protocol, rest)]


def _is_ipv4(word: str) -> bool:
    return ipv4_number(word) is not None


def _address(words: list[str], *, standard: bool = False) -> tuple[list[str], list[str]]:
    head = words[0].lower()
    if head == "any":
        return ["any"], words[1:]
    if head == "host":
        return ["host", _host(words[1])], words[2:]
    if head in _GROUPS:
        return [head, words[1]], words[2:]
    if ":" in head:
        return _ipv6(words[0]), words[1:]
    if not _is_ipv4(head):
        raise _NotUnderstoodError
    if standard and (len(words) == 1 or not _is_ipv4(words[1])):
        return ["host", head], words[1:]
    return _ipv4(head, words[1]), words[2:]


def _host(word: str) -> str:
    address = host_text(word)
    if address is None:
        raise _NotUnderstoodError
    return address


def _ipv6(word: str) -> list[str]:
    prefix = ipv6_prefix(word) if "/" in word else None
    if prefix is None:
        raise _NotUnderstoodError
    if prefix.endswith("/128"):
        return ["host", prefix.removesuffix("/128")]
    return ["any"] if prefix == "::/0" else [prefix]


def _ipv4(address: str, wildcard: str) -> list[str]:
    given, free = ipv4_number(address), ipv4_number(wildcard)
    if given is None or free is None:
        raise _NotUnderstoodError
    if free == 0xFFFFFFFF:
        return ["any"]
    fixed = dotted(given & ~free)
    return ["host", fixed] if free == 0 else [fixed, wildcard]


def _port(protocol: str, words: list[str]) -> tuple[list[str], list[str]]:
    if not words or protocol not in _WITH_PORTS or words[0].lower() not in _OPERATORS:
        return [], words
    operator = words[0].lower()
    if operator == "range":
        return ["range", port(protocol, words[1]), port(protocol, words[2])], words[3:]
    ports = [port(protocol, words[1])]
    rest = words[2:]
    while rest and operator in ("eq", "neq") and is_number(number := port(protocol, rest[0])):
        ports.append(number)
        rest = rest[1:]
    return [operator, *sorted(set(ports), key=lambda each: (len(each), each))], rest


def _options(protocol: str, words: list[str]) -> list[str]:
    """What follows the addresses: an ICMP type first, then the options, sorted, then whatever begins with a
    word not known here, as it stands.
    """
    lead: list[str] = []
    if not words:
        return lead
    if protocol == "icmp":
        while words and words[0].lower() not in _KNOWN:
            lead.append(words[0].lower())
            words = words[1:]
    groups: list[list[str]] = []
    while words and words[0].lower() in _KNOWN:
        group, words = _option(words[0].lower(), words)
        groups.append(group)
    groups.sort(key=lambda group: (group[0] not in _OF_TCP, group))
    return lead + [word for group in groups for word in group] + words


def _option(word: str, words: list[str]) -> tuple[list[str], list[str]]:
    """One option off the front of the words, and the words after it."""
    if word == "reflect" and len(words) > 3 and words[2].lower() == "timeout":
        return [word, words[1], "timeout", words[3]], words[4:]
    if word in _VALUED:
        return [word, _option_value(word, words[1])], words[2:]
    length = 1
    if word == "ttl":
        length = 4 if words[1] == "range" else 3
        if len(words) < length:
            raise _NotUnderstoodError
    elif word in ("log", "log-input") and len(words) > 1 and words[1].lower() not in _KNOWN:
        length = 2  # the cookie that the log line will carry
    elif word in ("match-all", "match-any"):
        flags = list(itertools.takewhile(lambda each: each[0] in "+-", words[1:]))
        return [word, *sorted(flags)], words[1 + len(flags) :]
    return [word, *words[1:length]], words[length:]


def _option_value(option: str, value: str) -> str:
    if option == "dscp":
        return str(dscp(value))
    if option == "precedence":
        return str(precedence(value))
    if option == "tos":
        return _TOS.get(value.lower(), value)
    if option == "flow-label" and _HEXADECIMAL.match(value):
        return str(int(value, 16))
    return value
