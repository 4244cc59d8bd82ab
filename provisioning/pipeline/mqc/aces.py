"""The canonical text of one access list entry, from whatever spelling IOS took or printed (ios-facts N31,
N33, N34).
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc.codepoints import dscp, precedence
from provisioning.pipeline.mqc.numbers import is_number
from provisioning.pipeline.mqc.ports import PROTOCOLS, port

_HEXADECIMAL: Final = re.compile(r"0x[0-9a-f]{1,8}\Z", re.IGNORECASE)
_OPERATORS: Final = frozenset({"eq", "neq", "gt", "lt", "range"})
_FLAGS: Final = frozenset(
    {"established", "ack", "fin", "psh", "rst", "syn", "urg", "fragments", "log", "log-input"}
)
_VALUED: Final = frozenset({"dscp", "precedence", "tos", "flow-label", "time-range", "option", "reflect"})


class _NotUnderstoodError(Exception):
    """The entry has a form outside the grammar read here; its words are kept as they are."""


def canonical_ace(text: str) -> str:
    """One entry without its sequence number: addresses lower case with host bits zeroed, ``host`` for a
    single address, ``any`` for all, DSCPs and ports as numbers, options in the order of the alphabet.

    ``permit UDP 2001:DB8::/32 any eq ntp`` and ``permit udp 2001:db8::/32 any eq 123`` are one text. Words
    of a form not known here (object groups, dynamic entries) are kept with blanks collapsed. Raises
    InvalidInput when the text is no entry at all.
    """
    words = text.split()
    if len(words) < 2 and not (words and words[0].lower() == "remark"):
        raise InvalidInput(f"{text.strip()!r} is no access list entry", field="access-list")
    action = words[0].lower()
    if action == "remark":
        return " ".join(words)
    if action not in ("permit", "deny"):
        return " ".join([action, *words[1:]])
    try:
        return " ".join([action, *_after_action(words[1:])])
    except (_NotUnderstoodError, IndexError, InvalidInput):
        return " ".join([action, *words[1:]])


def _after_action(words: list[str]) -> list[str]:
    if words[0].lower() in ("any", "host") or _is_ipv4(words[0]):
        address, rest = _address(words, standard=True)
        return address + _options("ip", rest)
    protocol = PROTOCOLS.get(words[0], words[0].lower())
    source, rest = _address(words[1:])
    source_port, rest = _port(protocol, rest)
    destination, rest = _address(rest)
    destination_port, rest = _port(protocol, rest)
    return [protocol, *source, *source_port, *destination, *destination_port, *_options(protocol, rest)]


def _is_ipv4(word: str) -> bool:
    try:
        ipaddress.IPv4Address(word)
    except ValueError:
        return False
    return True


def _address(words: list[str], *, standard: bool = False) -> tuple[list[str], list[str]]:
    head = words[0].lower()
    if head == "any":
        return ["any"], words[1:]
    if head == "host":
        return ["host", _host(words[1])], words[2:]
    if ":" in head:
        return _ipv6(words[0]), words[1:]
    if not _is_ipv4(head):
        raise _NotUnderstoodError
    if standard and (len(words) == 1 or not _is_ipv4(words[1])):
        return ["host", head], words[1:]
    return _ipv4(head, words[1]), words[2:]


def _host(word: str) -> str:
    try:
        return str(ipaddress.ip_address(word))
    except ValueError:
        raise _NotUnderstoodError from None


def _ipv6(word: str) -> list[str]:
    if "/" not in word:
        raise _NotUnderstoodError
    try:
        network = ipaddress.IPv6Network(word, strict=False)
    except ValueError:
        raise _NotUnderstoodError from None
    if network.prefixlen == 128:
        return ["host", str(network.network_address)]
    return ["any"] if network.prefixlen == 0 else [str(network)]


def _ipv4(address: str, wildcard: str) -> list[str]:
    if not _is_ipv4(wildcard):
        raise _NotUnderstoodError
    free = int(ipaddress.IPv4Address(wildcard))
    if free == 0xFFFFFFFF:
        return ["any"]
    fixed = ipaddress.IPv4Address(int(ipaddress.IPv4Address(address)) & ~free & 0xFFFFFFFF)
    return ["host", str(fixed)] if free == 0 else [str(fixed), wildcard]


def _port(protocol: str, words: list[str]) -> tuple[list[str], list[str]]:
    if not words or words[0].lower() not in _OPERATORS or protocol not in ("tcp", "udp", "sctp"):
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
    """What follows the addresses: an ICMP type first, then the options, sorted; unknown words keep their
    place.
    """
    lead: list[str] = []
    if protocol == "icmp":
        while words and words[0].lower() not in _FLAGS | _VALUED:
            lead.append(words[0].lower())
            words = words[1:]
    groups: list[list[str]] = []
    while words:
        word = words[0].lower()
        if word in _VALUED:
            groups.append([word, _option_value(word, words[1])])
            words = words[2:]
        elif word in _FLAGS:
            groups.append([word])
            words = words[1:]
        else:
            raise _NotUnderstoodError
    return lead + [word for group in sorted(groups) for word in group]


def _option_value(option: str, value: str) -> str:
    if option == "dscp":
        return str(dscp(value))
    if option == "precedence":
        return str(precedence(value))
    if option == "flow-label" and _HEXADECIMAL.match(value):
        return str(int(value, 16))
    return value
