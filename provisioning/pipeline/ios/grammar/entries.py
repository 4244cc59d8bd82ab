"""Entries of access lists (ios-facts N31-N35, 2.7; IOS command references `permit`, `deny`, `access-list`)."""

from __future__ import annotations

import ipaddress
from typing import Final

from provisioning.pipeline.ios.grammar.tokens import Tokens
from provisioning.pipeline.mqc.addresses import ipv4_number
from provisioning.pipeline.mqc.ports import PROTOCOLS, TCP_PORTS, UDP_PORTS

_OPERATORS: Final = frozenset({"eq", "neq", "gt", "lt", "range"})
_IPV4: Final = frozenset({"ip", *PROTOCOLS.values()}) - {"sctp", "pcp"} | {"sctp", "esp", "ahp", "tcp-udp"}
_IPV6: Final = frozenset({"ipv6", "tcp", "udp", "sctp", "icmp", "ahp", "esp", "pcp", "hbh"})
_PORTS: Final[dict[str, frozenset[str]]] = {
    "tcp": frozenset(TCP_PORTS),
    "udp": frozenset(UDP_PORTS),
    "sctp": frozenset(),
    "6": frozenset(TCP_PORTS),
    "17": frozenset(UDP_PORTS),
    "132": frozenset(),
}
_MOST_PORTS: Final = 10
"""Values behind `eq` and `neq` (12.3(7)T, "ACL support for noncontiguous ports")."""
_FLAGS_OF_TCP: Final = frozenset({"established", "ack", "fin", "psh", "rst", "syn", "urg"})
_OF_IPV4: Final = frozenset({"precedence", "tos", "option", "fragments", "ttl", "reflect", "time-range"})
_OF_IPV6: Final = frozenset(
    {"flow-label", "routing", "routing-type", "fragments", "reflect", "time-range", "undetermined-transport"}
    | {"auth", "hbh", "dest-option", "dest-option-type", "mobility", "mobility-type", "sequence"}
)
_ANYWHERE: Final = frozenset({"dscp", "log", "log-input"})
_TOS: Final = frozenset({"normal", "min-monetary-cost", "max-reliability", "max-throughput", "min-delay"})
_ICMP_WORDS: Final = """
    administratively-prohibited alternate-address conversion-error dod-host-prohibited dod-net-prohibited echo
    echo-reply general-parameter-problem host-isolated host-precedence-unreachable host-redirect
    host-tos-redirect host-tos-unreachable host-unknown host-unreachable information-reply information-request
    mask-reply mask-request mobile-redirect net-redirect net-tos-redirect net-tos-unreachable net-unreachable
    network-unknown no-room-for-option option-missing packet-too-big parameter-problem port-unreachable
    precedence-unreachable protocol-unreachable reassembly-timeout redirect router-advertisement
    router-solicitation source-quench source-route-failed time-exceeded timestamp-reply timestamp-request
    traceroute ttl-exceeded unreachable
"""
_ICMP: Final = frozenset(_ICMP_WORDS.split())
_ICMP6_WORDS: Final = """
    beyond-scope destination-unreachable dhaad-reply dhaad-request echo-reply echo-request header hop-limit
    mld-query mld-reduction mld-report mldv2-report mpd-advertisement mpd-solicitation nd-na nd-ns next-header
    no-admin no-route packet-too-big parameter-option parameter-problem port-unreachable reassembly-timeout
    redirect renum-command renum-result renum-seq-number router-advertisement router-renumbering
    router-solicitation time-exceeded unreachable
"""
_ICMP6: Final = frozenset(_ICMP6_WORDS.split())
_LAST: Final = {4: 2_147_483_647, 6: 4_294_967_294}
"""The largest sequence number by IP version."""
_PRECEDES: Final = frozenset({"permit", "deny", "remark", "evaluate", "dynamic"})


def check_entry(tokens: Tokens, family: int, *, standard: bool) -> None:
    """One line of a list of that IP version, from its number on, if it has one."""
    if family == 6:
        if tokens.maybe("sequence"):
            tokens.number(1, _LAST[6], "a sequence number")
    elif tokens.next_is_number:
        tokens.number(1, _LAST[4], "a sequence number")
    action = tokens.keyword({"permit", "deny", "remark"} if standard else _PRECEDES, "`permit` or `deny`")
    if action == "remark":
        if not tokens.more:
            tokens.missing("the text of the remark")
        tokens.skip()
        return
    if action == "evaluate":
        tokens.name("a reflexive list")
    elif action == "dynamic":
        tokens.name("a dynamic list")
        if tokens.maybe("timeout"):
            tokens.number(1, 9999, "a time in minutes")
        tokens.keyword({"permit", "deny"})
        _extended(tokens, family)
    elif standard:
        _standard(tokens)
    else:
        _extended(tokens, family)
    if family == 6 and tokens.maybe("sequence"):
        tokens.number(1, _LAST[6], "a sequence number")
    tokens.end()


def _standard(tokens: Tokens) -> None:
    if tokens.maybe("any"):
        pass
    elif tokens.maybe("host"):
        _ipv4(tokens, "an IPv4 address")
    elif not tokens.maybe("object-group"):
        _ipv4(tokens, "`any`, `host` or an IPv4 address")
        if tokens.more and tokens.next != "log":
            _ipv4(tokens, "a wildcard of four octets or `log`")
    else:
        tokens.name("an object group")
    if tokens.maybe("log"):
        _cookie(tokens)


def _extended(tokens: Tokens, family: int) -> None:
    protocol = _protocol(tokens, family)
    _address(tokens, family)
    _port(tokens, protocol)
    _address(tokens, family)
    _port(tokens, protocol)
    if protocol in ("icmp", "1", "58"):
        _icmp(tokens, family)
    elif protocol in ("igmp", "2") and tokens.next_is_number:
        tokens.number(0, 15, "an IGMP type")
    _options(tokens, family, protocol)


def _protocol(tokens: Tokens, family: int) -> str:
    if tokens.next_is_number:
        return str(tokens.number(0, 255, "a protocol"))
    if family == 4 and tokens.maybe("object-group"):
        return tokens.name("an object group")
    return tokens.keyword(_IPV6 if family == 6 else _IPV4, "a protocol")


def _address(tokens: Tokens, family: int) -> None:
    if tokens.maybe("any"):
        return
    if tokens.maybe("host"):
        (_ipv6_host if family == 6 else _ipv4)(tokens, f"an IPv{family} address")
    elif tokens.maybe("object-group", "addrgroup"):
        tokens.name("an object group")
    elif family == 6:
        _ipv6(tokens)
    else:
        _ipv4(tokens, "`any`, `host` or an IPv4 address")
        _ipv4(tokens, "a wildcard of four octets")


def _ipv4(tokens: Tokens, what: str) -> None:
    word = tokens.take(what)
    if ipv4_number(word) is None:
        tokens.refuse(f"`{word}` is no IPv4 address: {what} is expected", at=tokens.at - 1)


def _ipv6_host(tokens: Tokens, what: str) -> None:
    word = tokens.take(what)
    try:
        ipaddress.IPv6Address(word)
    except ValueError as wrong:
        tokens.refuse(f"`{word}` is no IPv6 address: {_why(wrong)}", at=tokens.at - 1)


def _ipv6(tokens: Tokens) -> None:
    word = tokens.take("`any`, `host` or an IPv6 prefix")
    address, slash, length = word.partition("/")
    at = tokens.at - 1
    if ":" not in word:
        tokens.refuse(f"`{word}` is not understood: `any`, `host` or an IPv6 prefix is expected", at=at)
    try:
        ipaddress.IPv6Address(address)
    except ValueError as wrong:
        tokens.refuse(f"`{word}` is no IPv6 prefix: {_why(wrong)}", at=at)
    if not slash:
        tokens.refuse(f"`{word}` has no prefix length: `host {word}` for one address", at=at)
    if not (length.isascii() and length.isdigit() and len(length) < 4 and int(length) <= 128):
        tokens.refuse(f"`{word}`: a prefix length is 0-128", at=at)


def _why(wrong: ValueError) -> str:
    reason = str(wrong)
    return reason.rpartition(" in ")[0] or reason


def _port(tokens: Tokens, protocol: str) -> None:
    names = _PORTS.get(protocol)
    if names is None or tokens.next not in _OPERATORS:
        if tokens.maybe("portgroup"):
            tokens.name("a group of ports")
        return
    operator = tokens.keyword(_OPERATORS)
    _one_port(tokens, names)
    if operator == "range":
        _one_port(tokens, names)
    more = 1
    while (
        operator in ("eq", "neq") and more < _MOST_PORTS and (tokens.next_is_number or tokens.next in names)
    ):
        _one_port(tokens, names)
        more += 1


def _one_port(tokens: Tokens, names: frozenset[str]) -> None:
    if tokens.next_is_number or not names:
        tokens.number(0, 65535, "a port")
    else:
        tokens.keyword(names, "a port")


def _icmp(tokens: Tokens, family: int) -> None:
    if tokens.next_is_number:
        tokens.number(0, 255, "an ICMP type")
        if tokens.next_is_number:
            tokens.number(0, 255, "an ICMP code")
    else:
        tokens.maybe(*(_ICMP6 if family == 6 else _ICMP))


def _options(tokens: Tokens, family: int, protocol: str) -> None:
    allowed = set(_ANYWHERE | (_OF_IPV6 if family == 6 else _OF_IPV4))
    if protocol in ("tcp", "6"):
        allowed |= _FLAGS_OF_TCP | {"match-all", "match-any"}
    while tokens.more and not (family == 6 and tokens.next == "sequence"):
        word = tokens.keyword(allowed, "an option or the end of the line")
        allowed.discard(word)
        _option(tokens, word)


def _option(tokens: Tokens, word: str) -> None:
    match word:
        case "dscp":
            tokens.dscp()
        case "precedence":
            tokens.precedence()
        case "tos":
            if tokens.next_is_number:
                tokens.number(0, 15, "a type of service")
            else:
                tokens.keyword(_TOS, "a type of service")
        case "flow-label":
            _flow_label(tokens)
        case "ttl":
            operator = tokens.keyword(_OPERATORS, "`eq`, `neq`, `gt`, `lt` or `range`")
            for _ in range(2 if operator == "range" else 1):
                tokens.number(0, 255, "a time to live")
        case "reflect":
            tokens.name("a reflexive list")
            if tokens.maybe("timeout"):
                tokens.number(1, 2_147_483, "a time in seconds")
        case "time-range":
            tokens.name("a time range")
        case "option":
            _named_or(tokens, 0, 255, "an IP option")
        case "routing-type" | "dest-option-type" | "mobility-type":
            _named_or(tokens, 0, 255, f"a {word.replace('-', ' ')}")
        case "match-all" | "match-any":
            _tcp_flags(tokens)
        case "log" | "log-input":
            _cookie(tokens)


def _flow_label(tokens: Tokens) -> None:
    if tokens.next.startswith("0x"):
        word = tokens.take("a flow label")
        try:
            value = int(word, 16)
        except ValueError:
            value = -1
        if not 0 <= value <= 0xFFFFF:
            tokens.refuse(f"`{word}`: a flow label is 0-1048575", at=tokens.at - 1)
    else:
        tokens.number(0, 1_048_575, "a flow label")


def _named_or(tokens: Tokens, least: int, most: int, what: str) -> None:
    if tokens.next_is_number:
        tokens.number(least, most, what)
    else:
        tokens.name(what)


def _tcp_flags(tokens: Tokens) -> None:
    signed = frozenset(sign + flag for sign in "+-" for flag in _FLAGS_OF_TCP - {"established"})
    tokens.keyword(signed, "a flag of TCP with its sign")
    while tokens.next[:1] in ("+", "-"):
        tokens.keyword(signed, "a flag of TCP with its sign")


def _cookie(tokens: Tokens) -> None:
    """The word that the log line will carry: it is the last of the entry."""
    known = _ANYWHERE | _OF_IPV4 | _OF_IPV6 | _FLAGS_OF_TCP | {"match-all", "match-any"}
    if tokens.more and tokens.at == len(tokens.words) - 1 and tokens.next not in known:
        tokens.name("a log cookie")
