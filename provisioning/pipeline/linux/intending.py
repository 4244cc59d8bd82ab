"""RouterIntent -> what a Linux router must hold (D4.4.2v2 Appendix A; the policies of `pipeline.intent`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from provisioning.errors import InvalidInput
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.linux import names
from provisioning.pipeline.linux.queueing import queue
from provisioning.pipeline.linux.selecting import BOTH, selectors
from provisioning.pipeline.linux.values import Filter, LinuxState, Policer, Queue, Rule, Selector
from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    AccessList,
    Binding,
    BurstBytes,
    BurstMs,
    ClassMap,
    Police,
    PolicyClass,
    PolicyMap,
    SetField,
    default_burst_bytes,
    in_bps,
)
from provisioning.pipeline.platforms.linux import RANGES, RATE_STEP_BPS

_SEGMENTS_BYTES = 65_536
"""The most that GRO puts together (linux/netdevice.h, GSO_LEGACY_MAX_SIZE)."""
_MARKS = {"dscp": BOTH, "ip dscp": (4,)}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What must be held; ``notes`` say what the kernel lacks and what happens instead."""

    state: LinuxState
    notes: tuple[str, ...] = ()


@dataclass
class _Making:
    policers: dict[str, Policer] = field(default_factory=dict)
    filters: dict[str, tuple[Filter, ...]] = field(default_factory=dict)
    inward: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    outward: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    queues: dict[str, Queue] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def intended(intent: RouterIntent, bandwidths: Mapping[str, int]) -> Wanted:
    """What nftables and tc must hold for `intent`; `bandwidths` are bit/s by interface, where percentages or queues need them.

    Raises InvalidInput naming policy, class or interface for what a Linux router cannot do.
    """
    lists = {each.name: each for each in intent.access_lists}
    classes = {each.name: each for each in intent.class_maps}
    policies = {each.name: each for each in intent.policy_maps}
    made = _Making()
    bound: set[tuple[str, str]] = set()
    for binding in sorted(intent.bindings, key=lambda each: (each.interface, each.direction, each.pvc or "")):
        place = binding.interface, binding.direction
        if binding.pvc is not None:
            raise InvalidInput(f"{binding.interface} has no PVCs on Linux", field="interface")
        if place in bound:
            raise InvalidInput(
                f"{binding.interface} has two policies for {binding.direction}", field="interface"
            )
        bound.add(place)
        names.interface(binding.interface)
        policy = policies.get(binding.policy)
        if policy is None:
            raise InvalidInput(
                f"{binding.interface}: there is no policy-map {binding.policy}", field="policy-map"
            )
        if policy.other_lines:
            raise InvalidInput(
                f"{policy.name}: {sorted(policy.other_lines)[0]} is not understood", field="policy-map"
            )
        told = [(entry, _packets(policy, entry, classes, lists)) for entry in policy.classes]
        bps = bandwidths.get(binding.interface)
        if binding.direction == "input":
            _inward(made, binding, policy, told, bps)
        else:
            _outward(made, binding, policy, told, bps)
    if any(each.burst_bytes < _SEGMENTS_BYTES for each in made.policers.values()):
        made.notes.append(
            "segments that a network card has put together count as one packet, and a bucket smaller than that drops most of "
            "them: turn it off where policed traffic enters (ethtool -K INTERFACE gro off)"
        )
    state = LinuxState(made.policers, made.filters, made.inward, made.outward, made.queues)
    return Wanted(state, tuple(dict.fromkeys(made.notes)))


def _packets(
    policy: PolicyMap,
    entry: PolicyClass,
    classes: Mapping[str, ClassMap],
    lists: Mapping[str, AccessList],
) -> tuple[Selector, ...]:
    if entry.name == CLASS_DEFAULT:
        return tuple(map(Selector, BOTH))
    if entry.name not in classes:
        raise InvalidInput(f"{policy.name}: there is no class-map {entry.name}", field="class-map")
    return selectors(classes[entry.name], lists)


Told = list[tuple[PolicyClass, tuple[Selector, ...]]]


def _inward(made: _Making, binding: Binding, policy: PolicyMap, told: Told, bps: int | None) -> None:
    where = binding.interface
    rules: list[Rule] = []
    filters: list[Filter] = []
    passing: list[tuple[str, Selector]] = []
    for entry, packets in told:
        place = f"class {entry.name} of {policy.name} on {where}"
        others = [action for action in entry.actions if not isinstance(action, Police | SetField)]
        if others:
            raise InvalidInput(
                f"{place}: {type(others[0]).__name__} is not done on input", field="policy-map"
            )
        rules += _rules(entry, packets, names.counter("in", where, entry.name), place)
        policer = None if entry.police is None else _policer(entry.police, where, entry.name, place, bps)
        if policer is None or not packets:
            passing += [(entry.name, each) for each in packets]
            continue
        caught = [name for name, earlier in passing for each in packets if earlier.meets(each)]
        if caught:
            raise InvalidInput(
                f"{place}: packets of class {caught[0]} before it are not policed and could be its own",
                field="policy-map",
            )
        made.policers[policer.device] = policer
        filters += [Filter(each, policer.device) for each in packets]
    made.inward[where], made.filters[where] = tuple(rules), tuple(filters)


def _outward(made: _Making, binding: Binding, policy: PolicyMap, told: Told, bps: int | None) -> None:
    where = binding.interface
    if bps is None:
        raise InvalidInput(
            f"{where}: its bandwidth is needed for the queues of {policy.name}", field="bandwidth"
        )
    made.queues[where], minors, notes = queue(policy, where, bps)
    made.notes += notes
    rules: list[Rule] = []
    for entry, packets in told:
        place = f"class {entry.name} of {policy.name} on {where}"
        rules += _rules(entry, packets, names.counter("out", where, entry.name), place, minors[entry.name])
    if policy.find(CLASS_DEFAULT) is None:
        spare = names.counter("out", where, CLASS_DEFAULT)
        rules += [Rule(Selector(family), spare, minor=minors[CLASS_DEFAULT]) for family in BOTH]
    made.outward[where] = tuple(rules)


def _rules(
    entry: PolicyClass, packets: tuple[Selector, ...], counter: str, place: str, minor: int | None = None
) -> list[Rule]:
    marks: dict[int, int] = {}
    for mark in entry.set_fields:
        if mark.field not in _MARKS or not isinstance(mark.value, int):
            raise InvalidInput(f"{place}: `set {mark.field} {mark.value}` is not done", field="policy-map")
        marks |= dict.fromkeys(_MARKS[mark.field], mark.value)
    return [Rule(each, counter, marks.get(each.family), minor) for each in packets]


def _policer(police: Police, where: str, class_name: str, place: str, bps: int | None) -> Policer | None:
    """The policer; None where nothing is dropped. Raises InvalidInput for anything but transmit and drop."""
    colours = (police.conform, police.exceed, *([] if police.violate is None else [police.violate]))
    if police.conform != ("transmit",) or not set(colours) <= {("transmit",), ("drop",)}:
        raise InvalidInput(
            f"{place}: a policer here transmits what conforms, and transmits or drops the rest",
            field="police",
        )
    if police.exceed == ("transmit",) and police.violate in (None, ("transmit",)):
        return None
    if police.peak_rate is not None or police.excess_burst is not None or police.violate == ("transmit",):
        raise InvalidInput(f"{place}: a policer here has one rate and one bucket", field="police")
    rate = in_bps(police.rate, bps)
    if rate is None:
        raise InvalidInput(f"{place}: the bandwidth of {where} is needed for a percentage", field="bandwidth")
    burst = police.burst
    if isinstance(burst, BurstMs):
        size = rate * burst.value // 8000
    else:
        size = burst.value if isinstance(burst, BurstBytes) else default_burst_bytes(rate)
    found = Policer(
        names.device(where, class_name),
        -(-rate // RATE_STEP_BPS) * RATE_STEP_BPS,
        max(size, RANGES["police-burst"].least),
    )
    for code, value in (("police-rate", found.rate_bps), ("police-burst", found.burst_bytes)):
        if not RANGES[code].holds(value):
            row = RANGES[code]
            raise InvalidInput(
                f"{place}: {value} {row.unit}: the range is {row.least}-{row.most}", field="police"
            )
    return found
