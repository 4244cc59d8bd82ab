"""Lines of a class-map (ios-facts N1-N10; IOS command references `match`)."""

from __future__ import annotations

import re
from typing import Final

from provisioning.pipeline.ios.access_lists import EXTENDED_NUMBERS, STANDARD_NUMBERS
from provisioning.pipeline.ios.grammar.ranges import Ranges
from provisioning.pipeline.ios.grammar.tokens import Tokens

_KINDS: Final = frozenset(
    {
        "any",
        "dscp",
        "precedence",
        "ip",
        "access-group",
        "class-map",
        "protocol",
        "input-interface",
        "cos",
        "mpls",
    }
    | {"qos-group", "discard-class", "vlan", "fr-de", "fr-dlci", "atm", "packet", "source-address"}
    | {"destination-address", "security-group"}
)
_MAC: Final = re.compile(r"[0-9a-fA-F]{1,4}(?:\.[0-9a-fA-F]{1,4}){2}\Z")
_PROTOCOL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_NBAR: Final = frozenset(
    {
        "http",
        "citrix",
        "rtp",
        "fasttrack",
        "gnutella",
        "custom",
        "attribute",
        "dns",
        "sip",
        "ssl",
        "edonkey",
        "kazaa2",
    }
)
"""Protocols behind which a network-based recognition goes on with words of its own (12.4 command reference)."""
_INTERFACE: Final = re.compile(r"[A-Za-z][A-Za-z-]*(?:[0-9]+(?:/[0-9]+)*(?:[.:][0-9]+)*)?\Z")
_NUMBER: Final = re.compile(r"[0-9]+(?:/[0-9]+)*(?:[.:][0-9]+)*\Z")


def check_class_line(tokens: Tokens, ranges: Ranges) -> str | None:
    """One line under `class-map`; the class-map that it refers to, if it does."""
    word = tokens.keyword({"match", "description", "exit"}, "`match` or `description`")
    if word == "exit":
        tokens.end()
        return None
    if word == "description":
        _described(tokens)
        return None
    tokens.maybe("not")
    kind = tokens.keyword(_KINDS, "what is compared")
    named = tokens.name("a class-map") if kind == "class-map" else None
    if named is None:
        _rest(tokens, kind, ranges)
    tokens.end()
    return named


def check_class_header(tokens: Tokens) -> None:
    """`class-map [match-all | match-any | match-none] NAME`."""
    tokens.keyword({"class-map"})
    mode = tokens.maybe("match-all", "match-any", "match-none")
    if mode is None and len(tokens.words) > 2:
        tokens.keyword({"match-all", "match-any", "match-none"})
    name = tokens.name("a class-map")
    if name == "class-default":
        tokens.refuse("`class-default` is every policy's last class and no class-map", at=tokens.at - 1)
    tokens.end()


def _described(tokens: Tokens) -> None:
    if not tokens.more:
        tokens.missing("the description")
    tokens.skip()


def _rest(tokens: Tokens, kind: str, ranges: Ranges) -> None:
    match kind:
        case "dscp":
            _values(tokens, tokens.dscp, ranges.of("match-values")[1])
        case "precedence":
            _values(tokens, tokens.precedence, 4)
        case "ip":
            _of_ip(tokens, ranges)
        case "access-group":
            _access_group(tokens)
        case "protocol":
            _protocol(tokens)
        case "input-interface":
            _input_interface(tokens)
        case "cos" | "vlan":
            tokens.maybe("inner")
            least, most, longest = (0, 7, 4) if kind == "cos" else (1, 4095, 8)
            _values(tokens, lambda: tokens.number(least, most, f"a {kind}"), longest)
        case "mpls":
            tokens.keyword({"experimental"})
            tokens.maybe("topmost", "imposition")
            _values(tokens, lambda: ranges.take(tokens, "mark-3-bits"), 8)
        case "qos-group":
            ranges.take(tokens, "mark-qos-group")
        case "discard-class":
            ranges.take(tokens, "mark-3-bits")
        case "fr-dlci":
            _values(tokens, lambda: tokens.number(16, 1007, "a DLCI"), 2)
        case "atm":
            if tokens.keyword({"clp", "oam"}) == "clp" and tokens.next_is_number:
                tokens.number(0, 1, "a cell loss priority")
        case "packet":
            _packet_length(tokens)
        case "source-address" | "destination-address":
            tokens.keyword({"mac"})
            word = tokens.take("a MAC address")
            if not _MAC.match(word):
                tokens.refuse(f"`{word}` is no MAC address", at=tokens.at - 1)
        case "security-group":
            tokens.keyword({"source", "destination"})
            tokens.keyword({"tag"})
            tokens.number(1, 65533, "a security group tag")


def _values(tokens: Tokens, take: object, most: int) -> None:
    """One value or more, at most so many."""
    assert callable(take)
    take()
    count = 1
    while tokens.more:
        count += 1
        if count > most:
            tokens.refuse(f"`{tokens.words[tokens.at]}`: one match line has at most {most} values")
        take()


def _of_ip(tokens: Tokens, ranges: Ranges) -> None:
    field = tokens.keyword({"dscp", "precedence", "rtp"})
    if field == "dscp":
        _values(tokens, tokens.dscp, ranges.of("match-values")[1])
    elif field == "precedence":
        _values(tokens, tokens.precedence, 4)
    else:
        tokens.number(2000, 65535, "the lowest port")
        tokens.number(0, 16383, "how many ports")


def _access_group(tokens: Tokens) -> None:
    if tokens.maybe("name"):
        tokens.name("an access list")
        return
    if not tokens.next_is_number:
        tokens.keyword({"name"}, "`name` or the number of an access list")
    value = tokens.number(1, 2699, "the number of an access list")
    if value not in STANDARD_NUMBERS | EXTENDED_NUMBERS:
        tokens.refuse(f"`{value}` is no number of an IP access list: 1-199, 1300-2699", at=tokens.at - 1)


def _protocol(tokens: Tokens) -> None:
    name = tokens.take("a protocol")
    if not _PROTOCOL.match(name):
        tokens.refuse(f"`{name}` is no protocol", at=tokens.at - 1)
    if name.lower() in _NBAR:
        tokens.skip()


def _input_interface(tokens: Tokens) -> None:
    word = tokens.take("an interface")
    if not _INTERFACE.match(word):
        tokens.refuse(f"`{word}` is no interface", at=tokens.at - 1)
    if not word[-1].isdigit():
        number = tokens.take("the number of the interface")
        if not _NUMBER.match(number):
            tokens.refuse(f"`{number}` is no number of an interface", at=tokens.at - 1)


def _packet_length(tokens: Tokens) -> None:
    tokens.keyword({"length"})
    bounds = [tokens.keyword({"min", "max"})]
    tokens.number(1, 2000, "a length in bytes")
    if tokens.more:
        tokens.keyword({"min", "max"} - set(bounds))
        tokens.number(1, 2000, "a length in bytes")
