"""A second reader of access lists rendered for IOS-XE, written from Cisco's own model of the configuration.

Cisco-IOS-XE-acl.yang, revision 2021-07-01 (IOS-XE 17.6.1): the groupings ``ipv4-ext-acl-grouping`` and
``ipv6-acl-grouping`` with their enumerations and ranges. It knows nothing of our parser or renderer.
"""

from __future__ import annotations

import ipaddress
import re

from tests.pipeline.rendering.xe_model import DSCPS, NotInModelError, Words, number

PROTOCOLS = {
    4: {
        "ahp",
        "eigrp",
        "esp",
        "gre",
        "icmp",
        "igmp",
        "ip",
        "ipinip",
        "nos",
        "ospf",
        "pcp",
        "pim",
        "tcp",
        "udp",
    },
    6: {"ahp", "esp", "hbh", "icmp", "ipv6", "pcp", "sctp", "tcp", "udp"},
}
SEQUENCES = {4: 2147483647, 6: 4294967294}
TCP_FLAGS = {"ack", "established", "fin", "psh", "rst", "syn", "urg"}
FLAGS = {
    4: {"fragments", "log", "log-input"},
    6: {"auth", "dest-option", "fragments", "hbh", "log", "log-input", "mobility", "routing"},
}
OPTIONS: dict[int, dict[str, int | None]] = {
    4: {"dscp": 63, "precedence": 7, "tos": 15, "option": 255, "time-range": None},
    6: {"dscp": 63, "flow-label": 1048575, "routing-type": 255, "mobility-type": 255, "time-range": None},
}


def access_problems(text: str) -> list[str]:
    """One line per entry of an access list that the model does not take."""
    found: list[str] = []
    family = 0
    for raw in text.splitlines():
        if raw.startswith(("ip access-list extended ", "ipv6 access-list ")):
            family = 6 if raw.startswith("ipv6") else 4
        elif raw and not raw.startswith(" "):
            family = 0
        elif family and raw.strip():
            try:
                _entry(raw.split(), family)
            except (NotInModelError, IndexError, ValueError) as wrong:
                found.append(f"{raw.strip()}: {wrong}")
    return found


def _entry(words: Words, family: int) -> None:
    if words[0] == "sequence" and family == 6:
        del words[0]
        number(words, 1, SEQUENCES[6])
    elif words[0].isdigit():
        number(words, 1, SEQUENCES[family])
    if words[0] == "remark":
        if not 1 <= len(" ".join(words[1:])) <= 100:
            raise NotInModelError("a remark has 1..100 characters")
        return
    if words.pop(0) not in ("permit", "deny"):
        raise NotInModelError("neither permit nor deny")
    protocol = words[0]
    if protocol in PROTOCOLS[family]:
        del words[0]
    else:
        number(words, 0, 255)
    for _ in range(2):
        _address(words, family)
        _ports(words)
    if protocol == "icmp" and words and words[0] not in FLAGS[family] | set(OPTIONS[family]):
        _icmp(words)
    _options(words, family, TCP_FLAGS if protocol == "tcp" else set())


def _address(words: Words, family: int) -> None:
    first = words.pop(0)
    if first == "any":
        return
    if first == "host":
        _of_family(ipaddress.ip_address(words.pop(0)), family)
    elif "/" in first:
        if not re.fullmatch(r"[0-9A-Fa-f:.]+/[0-9]{1,3}", first):
            raise NotInModelError("no prefix")
        _of_family(ipaddress.ip_network(first, strict=False), family)
        if family == 4:
            raise NotInModelError("an IPv4 list has wildcards")
    else:
        _of_family(ipaddress.ip_address(first), family)
        _of_family(ipaddress.ip_address(words.pop(0)), family)


def _of_family(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address | ipaddress.IPv4Network | ipaddress.IPv6Network,
    family: int,
) -> None:
    if address.version != family:
        raise NotInModelError(f"{address} is of the other family")


def _ports(words: Words) -> None:
    if not words or words[0] not in ("eq", "gt", "lt", "neq", "range"):
        return
    operator = words.pop(0)
    number(words, 0, 65535)
    if operator == "range":
        number(words, 0, 65535)
    more = 9 if operator in ("eq", "neq") else 0
    while more and words and words[0].isdigit():
        number(words, 0, 65535)
        more -= 1


def _icmp(words: Words) -> None:
    if not words[0].isdigit():
        if not re.fullmatch(r"[a-z-]+", words.pop(0)):
            raise NotInModelError("no name of a message")
        return
    number(words, 0, 255)
    if words and words[0].isdigit():
        number(words, 0, 255)


def _options(words: Words, family: int, flags: set[str]) -> None:
    seen: set[str] = set()
    while words:
        option = words.pop(0)
        if option in seen:
            raise NotInModelError(f"{option} twice")
        seen.add(option)
        if option in FLAGS[family] | flags:
            continue
        if option not in OPTIONS[family]:
            raise NotInModelError(f"{option} is no option")
        most = OPTIONS[family][option]
        if most is None or (option == "dscp" and words[0] in DSCPS):
            words.pop(0)
        else:
            number(words, 0, most)
