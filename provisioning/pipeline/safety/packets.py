"""What a policy does to a packet, class by class, first match wins: the meaning behind every safety statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    AccessList,
    ClassMap,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    RunningConfig,
)


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet as a policy sees it: IP version, DSCP, and the one access list (if any) that permits it."""

    family: int
    dscp: int
    access_list: str | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """What leaves: its DSCP, and the policer that limits it (None: nothing does), with the class it took."""

    dscp: int
    policer: str | None
    class_name: str


def fates(config: RunningConfig, policy: PolicyMap | None, packet: Packet) -> frozenset[Fate]:
    """All that may become of the packet; several where a condition cannot be decided from the configuration.

    Without a policy it passes as it is. A class that refers to something undefined may or may not take it: what
    IOS does then is not known (ios-facts 2.7), so both are assumed.
    """
    if policy is None:
        return frozenset({Fate(packet.dscp, None, "")})
    return frozenset(_through(config, policy, packet, depth=0))


def _through(config: RunningConfig, policy: PolicyMap, packet: Packet, depth: int) -> Iterator[Fate]:
    for entry in policy.classes:
        taken = True if entry.name == CLASS_DEFAULT else _takes(config, entry.name, packet, depth)
        if taken is False:
            continue
        yield from _treated(config, entry, packet, depth)
        if taken is True:
            return
    yield Fate(packet.dscp, None, CLASS_DEFAULT)


def _treated(config: RunningConfig, entry: PolicyClass, packet: Packet, depth: int) -> Iterator[Fate]:
    """The fates of a packet its class has taken; a child policy sees it first, then the class's own actions."""
    inner: set[Fate] = {Fate(packet.dscp, None, entry.name)}
    child = None if entry.child is None else config.policy_maps.get(entry.child)
    if child is not None and depth < 4:
        inner = set(_through(config, child, packet, depth + 1))
    for fate in inner:
        dscp, policer = fate.dscp, fate.policer
        for mark in entry.set_fields:
            if mark.field == "dscp" or (mark.field == "ip dscp" and packet.family == 4):
                dscp = int(mark.value) if isinstance(mark.value, int) else dscp
        if entry.police is not None:
            yield from _policed(entry.police, Fate(dscp, policer, entry.name))
        else:
            yield Fate(dscp, policer, entry.name)


def _policed(police: Police, fate: Fate) -> Iterator[Fate]:
    conform = _dscp_after(police.conform, fate.dscp)
    exceed = _dscp_after(police.exceed, fate.dscp)
    if conform is not None:
        # It limits what leaves with this DSCP unless what exceeds leaves with the same one.
        limited = exceed is None or exceed != conform
        yield Fate(conform, rate_words(police) if limited else fate.policer, fate.class_name)
    if exceed is not None and exceed != conform:
        yield Fate(exceed, fate.policer, fate.class_name)


def _dscp_after(actions: tuple[str, ...], dscp: int) -> int | None:
    """The DSCP a policer's action leaves; None when it drops."""
    if "drop" in actions:
        return None
    for action in actions:
        if action.startswith("set-dscp-transmit "):
            return int(action.split(" ")[1])
        if action.startswith("set-prec-transmit "):
            return int(action.split(" ")[1]) * 8
    return dscp


def rate_words(police: Police) -> str:
    """The rate as people say it: "percent 5" or "2000000 bps"."""
    return f"percent {police.rate}" if isinstance(police.rate, Percent) else f"{police.rate.value} bps"


def representatives(config: RunningConfig, policy: PolicyMap | None, also: frozenset[int]) -> tuple[int, ...]:
    """DSCPs that stand for all 64: each in `also`, each that a class of the policy names, and one nothing names.

    All that nothing names and that are not in `also` meet the same fate, so one of them speaks for the rest.
    """
    named = set(also)
    for name in deciding_classes(config, policy):
        held = config.class_maps.get(name)
        for match in () if held is None else held.matches:
            if match.kind in ("dscp", "ip dscp"):
                named.update(value for value in match.values if isinstance(value, int))
            elif match.kind in ("precedence", "ip precedence"):
                tops = [value for value in match.values if isinstance(value, int)]
                named.update(top * 8 + low for top in tops for low in range(8))
    rest = next((dscp for dscp in range(64) if dscp not in named), None)
    return tuple(sorted(named if rest is None else {*named, rest}))


def nested_classes(held: ClassMap) -> frozenset[str]:
    """Names of the class-maps a class-map refers to."""
    nested = (match for match in held.matches if match.kind == "class-map")
    return frozenset(str(value) for match in nested for value in match.values)


def deciding_classes(config: RunningConfig, policy: PolicyMap | None, depth: int = 0) -> frozenset[str]:
    """Names of all class-maps that decide in a policy: its own, nested ones, those of its children."""
    if policy is None or depth > 4:
        return frozenset()
    names: set[str] = set()
    todo = [entry.name for entry in policy.classes]
    while todo:
        name = todo.pop()
        if name not in names:
            names.add(name)
            held = config.class_maps.get(name)
            todo += () if held is None else nested_classes(held)
    for child in policy.children:
        names |= deciding_classes(config, config.policy_maps.get(child), depth + 1)
    return frozenset(names)


def _takes(config: RunningConfig, name: str, packet: Packet, depth: int) -> bool | None:
    """Whether the class takes the packet; None when that cannot be decided."""
    held = config.class_maps.get(name)
    if held is None or not held.matches or depth > 4:
        return None
    answers = [_matches(config, match, packet, depth) for match in held.matches]
    if held.mode == "match-none":
        return _not(_any(answers))
    return _any(answers) if held.mode == "match-any" else _all(answers)


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _any(answers: list[bool | None]) -> bool | None:
    if True in answers:
        return True
    return None if None in answers else False


def _all(answers: list[bool | None]) -> bool | None:
    if False in answers:
        return False
    return None if None in answers else True


def _matches(config: RunningConfig, match: Match, packet: Packet, depth: int) -> bool | None:
    answer = _positive(config, match, packet, depth)
    return _not(answer) if match.negated else answer


def _positive(config: RunningConfig, match: Match, packet: Packet, depth: int) -> bool | None:
    match match.kind:
        case "any":
            return True
        case "dscp":
            return packet.dscp in match.values
        case "ip dscp":
            return packet.family == 4 and packet.dscp in match.values
        case "precedence":
            return packet.dscp >> 3 in match.values
        case "ip precedence":
            return packet.family == 4 and packet.dscp >> 3 in match.values
        case "access-group":
            return _any([_permitted(config, str(value), packet) for value in match.values])
        case "class-map":
            return _any([_takes(config, str(value), packet, depth + 1) for value in match.values])
        case _:
            return None


def _permitted(config: RunningConfig, name: str, packet: Packet) -> bool | None:
    held = lists_of(config, name)
    actions = {entry.action for each in held for entry in each.entries}
    if "permit" not in actions:
        # What denies everything takes nothing; what IOS does with an empty list is not known.
        return False if "deny" in actions else None
    return packet.access_list == name and any(each.family == packet.family for each in held)


def lists_of(config: RunningConfig, name: str) -> tuple[AccessList, ...]:
    """The access lists a name means: of IPv4, of IPv6, or of both; empty when there is none."""
    keys = (name, f"ipv6 {name}")
    return tuple(config.access_lists[key] for key in keys if key in config.access_lists)
