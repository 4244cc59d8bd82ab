"""Reading one access-list entry, IPv6 or IPv4, into its canonical form (ios-facts N31-N35)."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network

from lab.cursor import Cursor
from lab.errors import IncompleteCommand
from lab.names import PORT_NAMES, PRECEDENCE_NUMBERS
from lab.store import Ace

_V6_NUMBERS = {6: "tcp", 17: "udp", 58: "icmp", 50: "esp", 51: "ahp", 108: "pcp", 132: "sctp"}
_V4_NUMBERS = {6: "tcp", 17: "udp", 1: "icmp", 50: "esp", 51: "ahp", 47: "gre"}
_OPERATORS = ("eq", "neq", "lt", "gt", "range")


def read_ace(cursor: Cursor, family: str) -> Ace:
    """``permit|deny PROTOCOL SOURCE [PORT] DESTINATION [PORT] [options]``; family "ipv6" or "ip"."""
    action = cursor.keyword("permit", "deny")
    protocol = _protocol(cursor, family)
    address = _address6 if family == "ipv6" else _address4
    source = address(cursor)
    source_port = _port(cursor, protocol)
    destination = address(cursor)
    destination_port = _port(cursor, protocol)
    ace = Ace(action, protocol, source, source_port, destination, destination_port)
    return _options(cursor, family, ace)


def _protocol(cursor: Cursor, family: str) -> str:
    names = _V6_NUMBERS if family == "ipv6" else _V4_NUMBERS
    if cursor.next_is_number:
        number = cursor.number(0, 255)
        return names.get(number, str(number))
    return cursor.keyword(family, *names.values())


def _address6(cursor: Cursor) -> str:
    if cursor.peek().lower() == "any":
        cursor.word()
        return "any"
    if cursor.peek().lower() == "host":
        cursor.word()
        return _host6(cursor)
    text = cursor.peek()
    if not text:
        raise IncompleteCommand
    if "/" not in text:
        if any(word.startswith(text.lower()) for word in ("any", "host")):
            return _abbreviated(cursor, _host6)
        raise cursor.invalid()
    try:
        network = IPv6Network(text, strict=False)
    except ValueError:
        raise cursor.invalid() from None
    cursor.word()
    if network.prefixlen == 128:
        return f"host {str(network.network_address).upper()}"
    if network.prefixlen == 0:
        return "any"
    return f"{str(network.network_address).upper()}/{network.prefixlen}"


def _abbreviated(cursor: Cursor, host: object) -> str:
    word = cursor.keyword("any", "host")
    assert callable(host)
    return "any" if word == "any" else str(host(cursor))


def _host6(cursor: Cursor) -> str:
    if not cursor.more:
        raise IncompleteCommand
    try:
        address = IPv6Address(cursor.peek())
    except AddressValueError:
        raise cursor.invalid() from None
    cursor.word()
    return f"host {str(address).upper()}"


def _host4(cursor: Cursor) -> str:
    return f"host {_dotted(cursor)}"


def _dotted(cursor: Cursor) -> IPv4Address:
    if not cursor.more:
        raise IncompleteCommand
    try:
        address = IPv4Address(cursor.peek())
    except AddressValueError:
        raise cursor.invalid() from None
    cursor.word()
    return address


def _address4(cursor: Cursor) -> str:
    if cursor.peek()[:1].isalpha():
        return _abbreviated(cursor, _host4)
    address = _dotted(cursor)
    wildcard = _dotted(cursor)
    if int(wildcard) == 0xFFFFFFFF:
        return "any"
    if int(wildcard) == 0:
        return f"host {address}"
    return f"{IPv4Address(int(address) & ~int(wildcard) & 0xFFFFFFFF)} {wildcard}"


def _port(cursor: Cursor, protocol: str) -> str:
    if protocol not in PORT_NAMES:
        return ""
    operator = cursor.maybe(*_OPERATORS)
    if operator is None:
        return ""
    ports = [_port_value(cursor, protocol) for _ in range(2 if operator == "range" else 1)]
    return " ".join((operator, *ports))


def _port_value(cursor: Cursor, protocol: str) -> str:
    names = PORT_NAMES[protocol]
    if cursor.next_is_number:
        number = cursor.number(0, 65535)
        return names.get(number, str(number))  # ios-facts N31: port numbers print by name
    return cursor.keyword(*(name for name in names.values() if not name.isdigit()))


def _options(cursor: Cursor, family: str, ace: Ace) -> Ace:
    words = ["log", "log-input", "fragments", "dscp"]
    words += (
        ["flow-label", "routing", "undetermined-transport"] if family == "ipv6" else ["precedence", "tos"]
    )
    if ace.protocol == "tcp":
        words += ["established", "syn", "ack", "fin", "rst"]
    if ace.protocol == "icmp":
        words += ["echo-request", "echo-reply", "nd-na", "nd-ns", "router-advertisement", "echo"]
    options: list[str] = []
    while cursor.more:
        word = cursor.keyword(*words)
        words.remove(word)
        if word == "dscp":
            ace = replace(ace, dscp=cursor.dscp())
        elif word == "flow-label":
            ace = replace(ace, flow_label=cursor.number(0, 1048575))
        elif word == "precedence":
            value = cursor.precedence()
            names = {number: name for name, number in PRECEDENCE_NUMBERS.items()}
            options.append(f"precedence {names[value]}")
        elif word == "tos":
            options.append(f"tos {cursor.number(0, 15)}")
        else:
            options.append(word)
    return replace(ace, options=tuple(sorted(options)))


def standard_address(cursor: Cursor) -> str:
    """The source of a standard IPv4 list: ``any``, ``host X``, ``X`` or ``X WILDCARD``."""
    if cursor.peek()[:1].isalpha():
        return _abbreviated(cursor, lambda inner: str(_dotted(inner)))
    address = _dotted(cursor)
    if not cursor.peek()[:1].isdigit():
        return str(address)
    wildcard = _dotted(cursor)
    return f"{IPv4Address(int(address) & ~int(wildcard) & 0xFFFFFFFF)} {wildcard}"
