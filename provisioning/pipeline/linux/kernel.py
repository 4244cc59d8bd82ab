"""How nftables and tc spell what a Linux router holds, and how their JSON is read back. One spelling, both ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.linux.values import (
    DEFAULT_MINOR,
    LINK_MINOR,
    MAJOR,
    TABLE,
    LinuxState,
    Rule,
    Selector,
)

DEFAULT: Final = f"{DEFAULT_MINOR:x}"
LINK: Final = f"{LINK_MINOR:x}"
QUANTUM: Final = 1522
"""Bytes that a class sends in its turn: a frame."""
HOOKS: Final[Mapping[str, tuple[str, str]]] = {
    "in": ("prerouting", "iifname"),
    "out": ("postrouting", "oifname"),
}
PRIORITY: Final = -150
"""`mangle`: before routing looks at the packet inwards, before the queue outwards."""
_WORD: Final = {6: "ip6", 4: "ip"}
_OF_WORD: Final = {"ip6": 6, "ip": 4, "ipv6": 6, "ipv4": 4}
_DSCP: Final[Mapping[str, int]] = (
    {f"cs{number}": number * 8 for number in range(8)}
    | {f"af{high}{low}": high * 8 + low * 2 for high in range(1, 5) for low in range(1, 4)}
    | {"ef": 46, "be": 0, "lephb": 1, "va": 44}
)
_ADDRESS_AT: Final = {6: {"source": 8, "destination": 24}, 4: {"source": 12, "destination": 16}}
_DSCP_AT: Final = {6: (22, 0x0FC00000), 4: (18, 0x00FC0000)}
"""How far the DSCP is from the right of the first word of the header, and the bits it has there."""
_LABEL: Final = 0xFFFFF


def protocol(selector: Selector) -> str:
    """What tc calls the family."""
    return "ipv6" if selector.family == 6 else "ip"


def _wanted_words(selector: Selector) -> dict[int, tuple[int, int]]:
    """Value and mask by offset in the header of IP, as u32 compares them: words of 32 bits."""
    found: dict[int, tuple[int, int]] = {}
    shift, bits = _DSCP_AT[selector.family]
    if selector.dscp is not None:
        found[0] = (selector.dscp << shift, bits)
    if selector.flow_label is not None:
        value, known = found.get(0, (0, 0))
        found[0] = (value | selector.flow_label, known | _LABEL)
    for name, begin in _ADDRESS_AT[selector.family].items():
        text = getattr(selector, name)
        if text is None:
            continue
        prefix = ip_network(text)
        whole = prefix.max_prefixlen // 8
        address, mask = (
            each.to_bytes(whole, "big") for each in (int(prefix.network_address), int(prefix.netmask))
        )
        for at in range(0, whole, 4):
            if (bits := int.from_bytes(mask[at : at + 4], "big")) != 0:
                found[begin + at] = (int.from_bytes(address[at : at + 4], "big"), bits)
    return found


def keys(selector: Selector) -> str:
    """The match of a u32 filter; one that takes all has a mask of nothing."""
    words = _wanted_words(selector) or {0: (0, 0)}
    return " ".join(f"match u32 {value:#x} {mask:#x} at {at}" for at, (value, mask) in sorted(words.items()))


def selector_of(family: int, read: Iterable[tuple[int, int, int]]) -> Selector:
    """The selector of (offset, value, mask) of a u32 filter. Raises ParseFailure for a match that none of ours has."""
    words = {at: (value, mask) for at, value, mask in read if mask}
    shift, bits = _DSCP_AT[family]
    value, mask = words.get(0, (0, 0))
    values: dict[str, Any] = {}
    if mask & bits == bits:
        values["dscp"] = (value & bits) >> shift
    if family == 6 and mask & _LABEL == _LABEL:
        values["flow_label"] = value & _LABEL
    size = 16 if family == 6 else 4
    for name, begin in _ADDRESS_AT[family].items():
        parts = [words.get(at, (0, 0)) for at in range(begin, begin + size, 4)]
        netmask = int.from_bytes(b"".join(mask.to_bytes(4, "big") for _, mask in parts), "big")
        if netmask:
            number = int.from_bytes(b"".join(value.to_bytes(4, "big") for value, _ in parts), "big")
            address = IPv6Address(number) if family == 6 else IPv4Address(number)
            values[name] = f"{address}/{netmask.bit_count()}"
    found = Selector(family, **values)
    if _wanted_words(found) != words:
        raise ParseFailure(f"a u32 filter of ours matches {sorted(words.items())}, which none should")
    return found


def transaction(
    before: LinuxState, inward: Mapping[str, tuple[Rule, ...]], outward: Mapping[str, tuple[Rule, ...]]
) -> str:
    """The lines for `nft -f`, which does all of them or none. Counters of what stays go on."""
    if not inward and not outward:
        return f"add table inet {TABLE}\ndelete table inet {TABLE}"
    lines = [f"add table inet {TABLE}"]
    after = LinuxState(inward=inward, outward=outward)
    lines += [f"add counter inet {TABLE} {name}" for name in after.counters if name not in before.counters]
    gone: list[str] = []
    for base, old, new in (("in", before.inward, after.inward), ("out", before.outward, after.outward)):
        hook, key = HOOKS[base]
        lines.append(
            f"add chain inet {TABLE} {base} {{ type filter hook {hook} priority {PRIORITY} ; policy accept ; }}"
        )
        for name, rules in new.items():
            if old.get(name) == rules:
                continue
            lines += [f"add chain inet {TABLE} {base}/{name}", f"flush chain inet {TABLE} {base}/{name}"]
            lines += [f"add rule inet {TABLE} {base}/{name} {spelled(rule)}" for rule in rules]
        if list(old) != list(new) or not (before.inward or before.outward):
            lines.append(f"flush chain inet {TABLE} {base}")
            lines += [f'add rule inet {TABLE} {base} {key} "{name}" jump {base}/{name}' for name in new]
        for name in old:
            if name not in new:
                gone += [
                    f"flush chain inet {TABLE} {base}/{name}",
                    f"delete chain inet {TABLE} {base}/{name}",
                ]
    lines += gone
    lines += [f"delete counter inet {TABLE} {name}" for name in before.counters if name not in after.counters]
    return "\n".join(lines)


def spelled(rule: Rule) -> str:
    """A rule of a chain: what it matches, what it counts as, what it marks. The first that matches ends the chain."""
    packets, word = rule.selector, _WORD[rule.selector.family]
    parts = [
        *([] if packets.source is None else [f"{word} saddr {packets.source}"]),
        *([] if packets.destination is None else [f"{word} daddr {packets.destination}"]),
        *([] if packets.flow_label is None else [f"ip6 flowlabel {packets.flow_label}"]),
        *([] if packets.dscp is None else [f"{word} dscp {packets.dscp}"]),
    ] or [f"meta nfproto ipv{rule.selector.family}"]
    parts.append(f"counter name {rule.counter}")
    if rule.dscp is not None:
        parts.append(f"{word} dscp set {rule.dscp}")
    if rule.minor is not None:
        parts.append(f"meta priority set {MAJOR}:{rule.minor:x}")
    return " ".join([*parts, "return"])


def rule_of(expressions: Sequence[Mapping[str, Any]]) -> Rule:
    """The rule of nftables' JSON. Raises ParseFailure for one that is none of ours."""
    values: dict[str, Any] = {}
    family = counter = dscp = minor = None
    ends = False
    for each in expressions:
        match each:
            case {"match": {"op": "==", "left": {"meta": {"key": "nfproto"}}, "right": str(word)}}:
                family = _OF_WORD.get(word)
            case {
                "match": {
                    "op": "==",
                    "left": {"payload": {"protocol": str(word), "field": str(name)}},
                    "right": right,
                }
            }:
                family = _OF_WORD.get(word)
                values |= _value(name, right, each)
            case {"counter": str(name)}:
                counter = name
            case {"mangle": {"key": {"payload": {"field": "dscp"}}, "value": value}}:
                dscp = _dscp(value, each)
            case {"mangle": {"key": {"meta": {"key": "priority"}}, "value": str(value)}} if value.startswith(
                f"{MAJOR}:"
            ):
                minor = int(value.partition(":")[2], 16)
            case {"return": _}:
                ends = True
            case _:
                raise ParseFailure(f"a rule of table {TABLE} that none of ours is: {each}")
    if family is None or counter is None or not ends:
        raise ParseFailure(f"a rule of table {TABLE} that none of ours is: {list(expressions)}")
    return Rule(Selector(family, **values), counter, dscp, minor)


def _value(name: str, right: Any, each: Any) -> dict[str, Any]:
    match name, right:
        case "dscp", _:
            return {"dscp": _dscp(right, each)}
        case "flowlabel", int():
            return {"flow_label": right}
        case (("saddr" | "daddr"), {"prefix": {"addr": str(address), "len": int(length)}}):
            return {"source" if name == "saddr" else "destination": f"{address}/{length}"}
        case (("saddr" | "daddr"), str()):
            return {
                "source" if name == "saddr" else "destination": f"{right}/{ip_address(right).max_prefixlen}"
            }
    raise ParseFailure(f"a match of table {TABLE} that none of ours is: {each}")


def _dscp(value: Any, each: Any) -> int:
    found = _DSCP.get(value) if isinstance(value, str) else value
    if not isinstance(found, int):
        raise ParseFailure(f"a DSCP that is not known: {each}")
    return found
