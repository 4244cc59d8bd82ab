"""May this policy-map be on this interface? What a platform refuses at attach time (ios-facts 1.4, 2.2, 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lab.names import parent_of, slot_of
from lab.store import Configuration, Interface, Point, Police, PolicyClass, PolicyMap, RandomDetect, Share
from lab.trains import Train

MINIMUM_BPS = 8000
CAPABLE_ENGINES = ("3", "5", "5+")


@dataclass(frozen=True)
class Judgement:
    """Why a policy does not go on: ``slot`` is set when a line card says so, after the prompt (ios-facts 2.2)."""

    text: str
    slot: int | None = None


def judge(
    train: Train, engines: Mapping[int, str], config: Configuration, point: Point, policy: PolicyMap
) -> Judgement | None:
    """None when the platform takes the policy there, else the refusal."""
    interface = config.interfaces[point[0]]
    if train.is_12000:
        reason = _line_card(train, engines, config, interface, point[2], policy)
        if reason:
            return reason
    else:
        text = _software(config, interface, point, policy)
        if text:
            return Judgement(text)
    text = _rates(train, config, point, policy) or _shares(train, config, point, policy)
    return Judgement(text) if text else None


def _line_card(
    train: Train,
    engines: Mapping[int, str],
    config: Configuration,
    interface: Interface,
    direction: str,
    policy: PolicyMap,
) -> Judgement | None:
    """What the engines of the 12000 refuse; the answer comes from the card."""
    slot = slot_of(parent_of(interface.name))
    if slot is None:
        return Judgement(f"service-policy is not supported on interface {interface.name}")
    engine = engines.get(slot, "3")
    capable = engine in CAPABLE_ENGINES or (engine == "6" and train.engine6 == "accepted")
    reason = "" if capable else f"not supported on Engine {engine}"
    for entry in policy.classes:
        reason = reason or _on_engine3(entry, direction)
        for match in config.class_maps[entry.name].matches if entry.name in config.class_maps else ():
            if match.negated and train.match_not == "refused":
                reason = reason or f"match not in class {entry.name} is not supported"
    queues = [entry for entry in policy.classes if entry.queueing and "priority" not in entry.actions]
    if len(queues) > 7 or sum("priority" in entry.actions for entry in policy.classes) > 1:
        reason = reason or "more queues than the line card has"
    if not reason:
        return None
    where = f"policy-map {policy.name} on {interface.name} {direction}"
    return Judgement(f"%QM-4-POLICY_REJECTED: {where}: {reason}", slot)


def _on_engine3(entry: PolicyClass, direction: str) -> str:
    """ios-facts 2.2, E3: priority without argument; WRED and queue-limit tied to others."""
    actions = entry.actions
    if direction == "input":
        for word in ("priority", "bandwidth", "fair-queue"):
            if word in actions:
                return f"{word} in class {entry.name} is not supported in input direction"
        if {"random-detect", "queue-limit"} & set(actions) and "shape" not in actions:
            return f"random-detect and queue-limit in class {entry.name} need shape in input direction"
        return ""
    priority = actions.get("priority")
    if isinstance(priority, Share) and priority.unit != "strict":
        return f"priority in class {entry.name} takes no argument"
    if "random-detect" in actions and "bandwidth" not in actions and entry.name != "class-default":
        return f"random-detect in class {entry.name} needs bandwidth"
    return ""


def _software(config: Configuration, interface: Interface, point: Point, policy: PolicyMap) -> str:
    """What a 7200 or IOS-XE router refuses (ios-facts 2.3)."""
    queueing = [entry for entry in policy.classes if entry.queueing]
    _name, pvc, direction = point
    if queueing and direction == "input":
        kind = "GTS" if queueing[0].queueing == ["shape"] else "CBWFQ"
        return f"{kind} : Can be enabled as an output feature only"
    plain = not all("shape" in entry.actions for entry in queueing)
    if queueing and interface.is_subinterface and pvc is None and plain:
        return "CBWFQ : Not supported on subinterfaces"
    for entry in policy.classes:
        child = config.policy_maps.get(str(entry.actions.get("service-policy", "")))
        if child and any(item.queueing for item in child.classes) and "shape" not in entry.actions:
            return "CBWFQ : Hierarchy supported only if shaping is configured in this class"
    if pvc is not None and config.bandwidth_kbit(point[0], pvc) is None:
        policers = [entry.actions.get("police") for entry in policy.classes]
        percent = any(isinstance(police, Police) and police.percent for police in policers)
        if queueing or percent:
            return f"CBWFQ: Not supported on UBR VC {pvc} of {interface.name}"
    return ""


def _rates(train: Train, config: Configuration, point: Point, policy: PolicyMap) -> str:
    """ios-facts 1.4: a percent that comes out below 8000 bit/s cannot be attached."""
    base = config.bandwidth_kbit(point[0], point[1])
    if base is None:
        return ""
    for entry in policy.classes:
        police = entry.actions.get("police")
        if isinstance(police, Police) and police.percent:
            bps = base * 1000 * police.rate // 100
            ceiling = 100_000_000_000 if train.release.is_xe else 2_000_000_000
            if not MINIMUM_BPS <= bps <= ceiling:
                what = f"police percent {police.rate} in class {entry.name}"
                return f"Invalid rate {bps} bps ({what}), the range is {MINIMUM_BPS}-{ceiling} bps"
    return ""


def _shares(train: Train, config: Configuration, point: Point, policy: PolicyMap) -> str:
    """The sum of bandwidth and priority against the reservable part (ios-facts 2.3, S15)."""
    if point[2] != "output":
        return ""
    base = config.bandwidth_kbit(point[0], point[1])
    if base is None:
        return ""
    part = config.interfaces[point[0]].max_reserved or train.max_reserved
    left_percent, left_kbit = float(part), base * part / 100
    for entry in policy.classes:
        for word in ("priority", "bandwidth"):
            share = entry.actions.get(word)
            if not isinstance(share, Share):
                continue
            if share.unit == "percent":
                if share.value > left_percent:
                    return (
                        f"I/f {point[0]} class {entry.name} requested bandwidth {share.value}%, "
                        f"available only {int(left_percent)}%"
                    )
                left_percent -= share.value
                left_kbit -= base * share.value / 100
            elif share.unit == "kbps":
                if share.value > left_kbit:
                    return (
                        f"I/f {point[0]} class {entry.name} requested bandwidth {share.value} (kbps), "
                        f"available only {int(left_kbit)} (kbps)"
                    )
                left_kbit -= share.value
                left_percent -= share.value * 100 / base
    return ""


def local_refusal(policy: PolicyMap) -> str:
    """What no interface is needed for: contradictions inside a class or between the classes."""
    units = set()
    for entry in policy.classes:
        actions = entry.actions
        if "priority" in actions and "bandwidth" in actions:
            return f"Must remove priority from class {entry.name} before configuring bandwidth"
        if "priority" in actions and entry.name == "class-default":
            return "priority cannot be configured in class-default"
        wred = actions.get("random-detect")
        if isinstance(wred, RandomDetect) and "priority" in actions:
            return f"random-detect is not allowed in class {entry.name} with priority"
        share = actions.get("bandwidth")
        if isinstance(share, Share):
            units.add(share.unit)
    if len(units) > 1:
        return "All classes with bandwidth should have consistent units"
    return ""
