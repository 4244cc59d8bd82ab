"""What the platform would refuse of a plan, said before anybody approves it (ios-facts 1.4, 2.1-2.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from provisioning.pipeline.intent import interface_key
from provisioning.pipeline.mqc import (
    AccessList,
    Bandwidth,
    Binding,
    FairQueue,
    Percent,
    Police,
    PolicyMap,
    Priority,
    RandomDetect,
    RunningConfig,
    Shape,
    in_bps,
)
from provisioning.pipeline.platforms import Profile, Refusal, capability

_QUEUEING = (Priority, Bandwidth, Shape, RandomDetect, FairQueue)


def refusals(
    base: RunningConfig, target: RunningConfig, profile: Profile, bandwidths: Mapping[str, int]
) -> Iterator[tuple[str, Refusal]]:
    """Yield (interface key, refusal) for every place that gets a policy it has not had, or that was changed under it.

    `bandwidths` maps interfaces to the BW the router shows, in bit/s; where it is unknown no rate is judged.
    """
    for bound in sorted(target.bindings, key=lambda each: (each.interface, each.pvc or "", each.direction)):
        policy = target.policy_maps.get(bound.policy)
        if policy is None or (bound in base.bindings and base.policy_maps.get(bound.policy) == policy):
            continue
        key = interface_key(bound.interface, bound.pvc)
        seen: set[str] = set()
        for refusal in _of(bound, policy, target, profile, bandwidths.get(bound.interface)):
            if refusal.code not in seen:
                seen.add(refusal.code)
                yield key, refusal


def _of(
    bound: Binding, policy: PolicyMap, target: RunningConfig, profile: Profile, bandwidth: int | None
) -> Iterator[Refusal]:
    actions = [action for entry in policy.classes for action in entry.actions]
    state = target.interfaces.get(bound.interface)
    pvcs = () if state is None else state.pvcs
    shares = [
        Decimal(action.value)
        for action in actions
        if isinstance(action, Priority | Bandwidth) and action.kind == "percent" and action.value is not None
    ]
    yield from capability(
        profile,
        police_percent=any(isinstance(a, Police) and isinstance(a.rate, Percent) for a in actions),
        bare_priority=any(isinstance(a, Priority) and a.kind is None for a in actions),
        fair_queue=any(isinstance(a, FairQueue) for a in actions),
        queueing=any(isinstance(a, _QUEUEING) for a in actions),
        subinterface=state is not None and state.is_subinterface and bound.pvc is None,
        direction=bound.direction,
        pvc_category=next((pvc.category for pvc in pvcs if pvc.label == bound.pvc), None),
        access_list_logs=any(_logs(held) for held in _lists(policy, target)),
        queueing_percent=int(sum(shares)) if shares else None,
        names=(policy.name, *(entry.name for entry in policy.classes)),
    )
    for action in actions:
        if isinstance(action, Police):
            rate = in_bps(action.rate, bandwidth)
            if rate is not None:
                yield from capability(profile, police_bps=rate)


def _lists(policy: PolicyMap, config: RunningConfig) -> Iterator[AccessList]:
    for entry in policy.classes:
        held = config.class_maps.get(entry.name)
        for name in () if held is None else sorted(held.access_lists):
            if name in config.access_lists:
                yield config.access_lists[name]


def _logs(held: AccessList) -> bool:
    return any({"log", "log-input"} & set(entry.text.split()) for entry in held.entries)
