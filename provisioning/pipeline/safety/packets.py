"""What a policy does to a packet, class by class, first match wins: the meaning behind every safety statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    AccessList,
    ClassMap,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    Rate,
)
from provisioning.pipeline.mqc.referring import ACCESS_LIST, CLASS_MAP, POLICY_MAP, Key
from provisioning.pipeline.safety.holdings import Held

_STEPS: Final = {"dscp": 1, "precedence": 8}
"""What one more of a mark is as a DSCP."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet as a policy sees it: IP version, DSCP, and the names of the access lists (if any) that permit it."""

    family: int
    dscp: int
    lists: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Fate:
    """What leaves: its DSCP, and the policer that limits it (None: nothing does), with the class it took."""

    dscp: int
    policer: str | None
    class_name: str


def fates(config: Held, policy: PolicyMap | None, packet: Packet) -> frozenset[Fate]:
    """All that may become of the packet; several where a condition cannot be decided from the configuration.

    Without a policy it passes as it is. A class that refers to something undefined may or may not take it: what
    IOS does then is not known (ios-facts 2.7), so both are assumed.
    """
    if policy is None:
        return frozenset({Fate(packet.dscp, None, "")})
    return frozenset(_through(config, policy, packet, depth=0))


def _through(config: Held, policy: PolicyMap, packet: Packet, depth: int) -> Iterator[Fate]:
    for entry in policy.classes:
        taken = True if entry.name == CLASS_DEFAULT else _takes(config, entry.name, packet, depth)
        if taken is False:
            continue
        yield from _treated(config, entry, packet, depth)
        if taken is True:
            return
    yield Fate(packet.dscp, None, CLASS_DEFAULT)


def _treated(config: Held, entry: PolicyClass, packet: Packet, depth: int) -> Iterator[Fate]:
    """The fates of a packet its class has taken; a child policy sees it first, then the class's own actions."""
    inner: set[Fate] = {Fate(packet.dscp, None, entry.name)}
    child = None if entry.child is None else config.policy_maps.get(entry.child)
    if child is not None and depth < 4:
        inner = set(_through(config, child, packet, depth + 1))
    for fate in inner:
        dscp, policer = fate.dscp, fate.policer
        for mark in entry.set_fields:
            field = mark.field.removeprefix("ip ") if packet.family == 4 else mark.field
            if field in _STEPS and isinstance(mark.value, int):
                dscp = mark.value * _STEPS[field]
        if entry.police is not None:
            yield from _policed(entry.police, Fate(dscp, policer, entry.name))
        else:
            yield Fate(dscp, policer, entry.name)


def _policed(police: Police, fate: Fate) -> Iterator[Fate]:
    """What leaves of each colour. A mark is limited by the rate of the last colour that leaves with it: not at all when
    that is the last there is.
    """
    rates = [police.rate] if police.violate is None else [police.rate, police.peak_rate or police.rate]
    colours = [police.conform, police.exceed, *([] if police.violate is None else [police.violate])]
    after = [_dscp_after(actions, fate.dscp) for actions in colours]
    for dscp in sorted({each for each in after if each is not None}):
        last = max(place for place, each in enumerate(after) if each == dscp)
        yield Fate(dscp, rate_words(rates[last]) if last < len(rates) else fate.policer, fate.class_name)


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


def rate_words(rate: Rate) -> str:
    """The rate as people say it: "percent 5" or "2000000 bps"."""
    return f"percent {rate}" if isinstance(rate, Percent) else f"{rate.value} bps"


def representatives(config: Held, policy: PolicyMap | None, also: frozenset[int]) -> tuple[int, ...]:
    """DSCPs that stand for all 64: each in `also`, each that a class of the policy names, and one nothing names.

    All that nothing names and that are not in `also` meet the same fate, so one of them speaks for the rest.
    """
    rest = unnamed(config, policy, also)
    named = _named(config, policy, also)
    return tuple(sorted(named if rest is None else {*named, rest}))


def unnamed(config: Held, policy: PolicyMap | None, also: frozenset[int]) -> int | None:
    """The DSCP that stands for all that no class of the policy names and that are not in `also`; None where there is none."""
    named = _named(config, policy, also)
    return next((dscp for dscp in range(64) if dscp not in named), None)


def _named(config: Held, policy: PolicyMap | None, also: frozenset[int]) -> set[int]:
    named = set(also)
    for name in deciding_classes(config, policy):
        held = config.class_maps.get(name)
        for match in () if held is None else held.matches:
            if match.kind in ("dscp", "ip dscp"):
                named.update(value for value in match.values if isinstance(value, int))
            elif match.kind in ("precedence", "ip precedence"):
                tops = [value for value in match.values if isinstance(value, int)]
                named.update(top * 8 + low for top in tops for low in range(8))
    return named


def packets_on_lists(
    config: Held, policy: PolicyMap | None, on: frozenset[str] = frozenset(), depth: int = 0
) -> Iterator[frozenset[str]]:
    """The sets of access lists a packet has to be on to be told from others: each list by itself, all that one class asks
    for together, and in a policy inside a class those of both.
    """
    for entry in () if policy is None or depth > 4 else policy.classes:
        names = lists_within(config, entry.name)
        sets = [on | each for each in ({frozenset((name,)) for name in names} | {names} if names else ())]
        yield from sets
        child = None if entry.child is None else config.policy_maps.get(entry.child)
        for each in sets or [on]:
            yield from packets_on_lists(config, child, each, depth + 1)


def lists_within(config: Held, name: str, depth: int = 0) -> frozenset[str]:
    """Names of the access lists of a class-map and of those within it."""
    held = config.class_maps.get(name)
    if held is None or depth > 4:
        return frozenset()
    inner = (lists_within(config, each, depth + 1) for each in nested_classes(held))
    return held.access_lists.union(*inner)


def nested_classes(held: ClassMap) -> frozenset[str]:
    """Names of the class-maps a class-map refers to."""
    nested = (match for match in held.matches if match.kind == "class-map")
    return frozenset(str(value) for match in nested for value in match.values)


def deciding_classes(config: Held, policy: PolicyMap | None, depth: int = 0) -> frozenset[str]:
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


def deciding(config: Held, policy: str, depth: int = 0) -> Iterator[Key]:
    """(kind, name) of everything that decides what a policy of that name does to a packet, whether it exists or not."""
    yield POLICY_MAP, policy
    held = config.policy_maps.get(policy)
    if held is None or depth > 4:
        return
    for name in deciding_classes(config, held):
        yield CLASS_MAP, name
        found = config.class_maps.get(name)
        for listed in () if found is None else found.access_lists:
            yield ACCESS_LIST, listed
            yield ACCESS_LIST, f"ipv6 {listed}"
    for child in held.children:
        yield from deciding(config, child, depth + 1)


def _takes(config: Held, name: str, packet: Packet, depth: int) -> bool | None:
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


def _matches(config: Held, match: Match, packet: Packet, depth: int) -> bool | None:
    answer = _positive(config, match, packet, depth)
    return _not(answer) if match.negated else answer


def _positive(config: Held, match: Match, packet: Packet, depth: int) -> bool | None:
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


def _permitted(config: Held, name: str, packet: Packet) -> bool | None:
    held = lists_of(config, name)
    actions = {entry.action for each in held for entry in each.entries}
    if "permit" not in actions:
        # What denies everything takes nothing; what IOS does with an empty list is not known.
        return False if "deny" in actions else None
    return name in packet.lists and any(each.family == packet.family for each in held)


def lists_of(config: Held, name: str) -> tuple[AccessList, ...]:
    """The access lists a name means: of IPv4, of IPv6, or of both; empty when there is none."""
    keys = (name, f"ipv6 {name}")
    return tuple(config.access_lists[key] for key in keys if key in config.access_lists)
