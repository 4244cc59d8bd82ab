"""What the platform would refuse of a plan, or probably, said before anybody approves it (ios-facts 1.4, 2.1-2.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from provisioning.pipeline.intent import interface_key
from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    AccessList,
    Action,
    Bandwidth,
    Binding,
    Bps,
    BurstMs,
    ChildPolicy,
    ClassMap,
    FairQueue,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    Priority,
    QueueLimit,
    RandomDetect,
    RunningConfig,
    SetField,
    Shape,
    default_burst_bytes,
    in_bps,
)
from provisioning.pipeline.platforms import (
    LARGEST_BURST,
    ClassFacts,
    Finding,
    PolicerFacts,
    PolicyFacts,
    Profile,
    judge,
)

_DEEPEST = 3


def findings(
    base: RunningConfig,
    target: RunningConfig,
    profile: Profile,
    bandwidths: Mapping[str, int],
    engines: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, Finding]]:
    """Yield (interface key, finding) for every place that gets a policy it has not had, or that was changed under it.

    `bandwidths` maps interfaces to the BW the router shows, in bit/s; where it is unknown no rate is judged. `engines`
    maps interfaces of a 12000 to the engine of their line card ("3", "4+").
    """
    for bound in sorted(target.bindings, key=lambda each: (each.interface, each.pvc or "", each.direction)):
        policy = target.policy_maps.get(bound.policy)
        if policy is None or (bound in base.bindings and base.policy_maps.get(bound.policy) == policy):
            continue
        key = interface_key(bound.interface, bound.pvc)
        engine = (engines or {}).get(bound.interface)
        facts = policy_facts(bound, policy, target, bandwidths.get(bound.interface), engine)
        for finding in judge(profile, facts):
            yield key, finding


def policy_facts(
    bound: Binding, policy: PolicyMap, config: RunningConfig, bandwidth: int | None, engine: str | None = None
) -> PolicyFacts:
    """What is in a policy and where it is bound, as plain values for the rules of `platforms`."""
    state = config.interfaces.get(bound.interface)
    pvcs = () if state is None else state.pvcs
    return PolicyFacts(
        name=policy.name,
        classes=tuple(_class(entry, config, bandwidth, _DEEPEST) for entry in policy.classes),
        direction=bound.direction,
        subinterface=state is not None and state.is_subinterface and bound.pvc is None,
        pvc_category=next((pvc.category for pvc in pvcs if pvc.label == bound.pvc), None),
        engine=engine,
        base_bps=bandwidth,
    )


def _class(entry: PolicyClass, config: RunningConfig, bandwidth: int | None, depth: int) -> ClassFacts:
    held = config.class_maps.get(entry.name)
    values: dict[str, Any] = {}
    percents: list[Decimal] = []
    numbers: list[tuple[str, int]] = []
    base = bandwidth
    for action in sorted(entry.actions, key=lambda each: type(each).__name__):
        values.update(_action(action, bandwidth))
        numbers += _numbers(action)
        if isinstance(action, Priority | Bandwidth) and action.kind is not None and "percent" in action.kind:
            percents.append(Decimal(action.value or 0))
        if isinstance(action, Shape):
            base = in_bps(action.rate, bandwidth)
    for action in entry.actions:
        if isinstance(action, Police) and not any(isinstance(each, Shape) for each in entry.actions):
            base = in_bps(action.rate, bandwidth)
    child = config.policy_maps.get(entry.child) if entry.child is not None else None
    if child is not None and depth:
        inside = tuple(_class(each, config, base, depth - 1) for each in child.classes)
        values["child"] = PolicyFacts(name=child.name, classes=inside, direction="output", base_bps=base)
    return ClassFacts(
        name=entry.name,
        is_default=entry.name == CLASS_DEFAULT,
        match_lines=0 if held is None else len(held.matches),
        values=0 if held is None else max((len(match.values) for match in held.matches), default=0),
        negated=held is not None and any(match.negated for match in held.matches),
        logs=any(_logs(found) for found in _lists(held, config)),
        sets=tuple(field.field for field in entry.set_fields),
        percents=tuple(percents),
        numbers=tuple(numbers),
        **values,
    )


def _action(action: Action, bandwidth: int | None) -> Mapping[str, Any]:
    """The fields of ClassFacts that one action fills."""
    match action:
        case Police():
            return {"policer": _policer(action, bandwidth)}
        case Priority():
            level = action.value if action.kind == "level" else action.level
            return {
                "priority": action.kind or "bare",
                "priority_level": None if level is None else int(level),
            }
        case Bandwidth():
            return {"bandwidth": action.kind}
        case Shape():
            share = action.rate.value if isinstance(action.rate, Percent) else None
            return {
                "shape": action.kind,
                "shape_bps": in_bps(action.rate, bandwidth),
                "shape_percent": share,
            }
        case FairQueue():
            return {"fair_queue": True, "queues": action.queues}
        case RandomDetect():
            units = frozenset(threshold.unit for threshold in action.thresholds)
            return {
                "wred": action.mode,
                "wred_units": units,
                "wred_weight": action.weight,
                "thresholds_cross": any(each.minimum > each.maximum for each in action.thresholds),
            }
        case QueueLimit():
            return {"queue_limit": action.unit}
        case SetField() | ChildPolicy():
            return {}
    return {}


_THREE_BITS = ("cos", "prec", "discard-class", "mpls")


def _numbers(action: Action) -> Iterator[tuple[str, int]]:
    """Numbers of an action that have a range and no field of their own: (row of `limits`, value)."""
    match action:
        case Shape():
            for code, bucket in (("shape-burst", action.burst), ("shape-excess", action.excess_burst)):
                if bucket is not None:
                    yield "shape-burst-ms" if isinstance(bucket, BurstMs) else code, bucket.value
        case Priority():
            if action.burst is not None:
                yield "priority-burst", action.burst
            if action.kind == "kbps" and action.value is not None:
                yield "priority-kbps", int(action.value)
        case Bandwidth():
            if action.kind in ("kbps", "remaining ratio"):
                yield "bandwidth-kbps" if action.kind == "kbps" else "bandwidth-ratio", int(action.value)
        case QueueLimit():
            yield "queue-limit", action.value
        case RandomDetect():
            for threshold in action.thresholds:
                yield from (("wred-threshold", each) for each in (threshold.minimum, threshold.maximum))
                yield "wred-denominator", threshold.denominator
        case SetField():
            if isinstance(action.value, int):
                yield from _mark(action.field, action.value)
        case Police():
            if isinstance(action.peak_rate, Bps):
                peak = "police-peak" if action.keyword == "cir" else "police-peak-rate"
                yield peak, action.peak_rate.value
            for text in (*action.conform, *action.exceed, *(action.violate or ())):
                word, _, value = text.partition(" ")
                if value.isdecimal():
                    yield from _mark(word.removeprefix("set-"), int(value))


def _mark(field: str, value: int) -> Iterator[tuple[str, int]]:
    if field.startswith("qos"):
        yield "mark-qos-group", value
    elif field.startswith(_THREE_BITS):
        yield "mark-3-bits", value


def _policer(police: Police, bandwidth: int | None) -> PolicerFacts:
    rates = (police.rate, police.peak_rate)
    bursts = [each for each in (police.burst, police.excess_burst) if each is not None]
    return PolicerFacts(
        bps=in_bps(police.rate, bandwidth),
        percents=tuple(rate.value for rate in rates if isinstance(rate, Percent)),
        keyword=police.keyword,
        bursts=tuple((each.value, "ms" if isinstance(each, BurstMs) else "bytes") for each in bursts),
        two_rates=police.peak_rate is not None,
        mixed_rates=police.peak_rate is not None and type(police.rate) is not type(police.peak_rate),
        peak_below=type(police.rate) is type(police.peak_rate) and police.peak_rate < police.rate,  # type: ignore[operator]
        second_bucket_alone=police.burst is None
        and police.excess_burst is not None
        and police.peak_rate is None
        and not (isinstance(police.rate, Bps) and default_burst_bytes(police.rate.value) <= LARGEST_BURST),
        conform=police.conform,
        exceed=police.exceed,
        violate=police.violate or (),
    )


def _lists(held: ClassMap | None, config: RunningConfig) -> Iterator[AccessList]:
    for name in () if held is None else sorted(held.access_lists):
        if name in config.access_lists:
            yield config.access_lists[name]


def _logs(held: AccessList) -> bool:
    return any({"log", "log-input"} & set(entry.text.split()) for entry in held.entries)
