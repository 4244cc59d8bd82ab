"""A percentage and a rate that come to the same today: said, and never taken for one another (ios-facts 1.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from provisioning.pipeline.diff.store import place_of, place_order
from provisioning.pipeline.intent import RouterIntent, interface_key
from provisioning.pipeline.mqc import (
    Action,
    Bandwidth,
    Bps,
    Percent,
    Police,
    PolicyClass,
    Priority,
    RunningConfig,
    Shape,
    base_name,
    in_bps,
)
from provisioning.pipeline.units import rate_text


@dataclass(frozen=True, slots=True)
class EqualToday:
    """One class on one interface where one side is in per cent, the other a rate, and both are equal at this BW.

    `held` and `wanted` are what the router shows and what is intended, as IOS spells the rate; `bps` is what both
    come to while the BW of the interface is `bw_bps`.
    """

    interface: str
    direction: str
    policy: str
    class_name: str
    held: str
    wanted: str
    bps: int
    bw_bps: int

    @property
    def text(self) -> str:
        """The sentence that stands beside the difference."""
        return (
            f"{self.interface} {self.direction}: class {self.class_name} of {self.policy} has `{self.held}`, intended is "
            f"`{self.wanted}`: equal today, {rate_text(self.bps)} either way at BW {rate_text(self.bw_bps)}; a percentage "
            "follows the BW and a rate does not, so it is a difference all the same"
        )

    def to_json(self) -> dict[str, Any]:
        return {**{name: getattr(self, name) for name in self.__slots__}, "text": self.text}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EqualToday:
        return cls(**{name: data[name] for name in cls.__slots__})


def equal_today(
    running: RunningConfig, result: RunningConfig, bandwidths: Mapping[str, int] | None = None
) -> tuple[EqualToday, ...]:
    """What is equal today between what is bound in `running` and what is bound at the same place in `result`.

    `bandwidths` maps interfaces to the BW the router shows, in bit/s; where it is silent the `bandwidth` line of the
    running-config counts, and where there is none nothing is claimed.
    """
    after = {place_of(bound): bound.policy for bound in result.bindings}
    found: list[EqualToday] = []
    for bound in sorted(running.bindings, key=lambda each: place_order(place_of(each))):
        held = running.policy_maps.get(bound.policy)
        wanted = result.policy_maps.get(after.get(place_of(bound), ""))
        bw_bps = _bandwidth(running, bound.interface, bandwidths)
        if held is None or wanted is None or bw_bps is None or held == wanted:
            continue
        for entry in held.classes:
            other = wanted.find(entry.name) or _same_base(wanted.classes, entry.name)
            if other is None:
                continue
            for left, right, bps in _pairs(entry, other, bw_bps):
                key = interface_key(bound.interface, bound.pvc)
                found.append(
                    EqualToday(key, bound.direction, held.name, entry.name, left, right, bps, bw_bps)
                )
    return tuple(found)


def as_intended(running: RunningConfig, intended: RouterIntent) -> RunningConfig:
    """What is bound where, were the intent in force: to compare with even where something is in the way of it."""
    bound = {place_of(binding): binding for binding in (*running.bindings, *intended.bindings)}
    policies = {**running.policy_maps, **{policy.name: policy for policy in intended.policy_maps}}
    return replace(running, policy_maps=policies, bindings=frozenset(bound.values()))


def _bandwidth(config: RunningConfig, interface: str, known: Mapping[str, int] | None) -> int | None:
    shown = (known or {}).get(interface)
    state = config.interfaces.get(interface)
    if shown is not None or state is None or state.bandwidth_kbit is None:
        return shown
    return state.bandwidth_kbit * 1000


def _same_base(classes: tuple[PolicyClass, ...], name: str) -> PolicyClass | None:
    """A class made anew under the next version of its name (BASE-2)."""
    base = base_name(name)[0]
    return next((entry for entry in classes if base_name(entry.name)[0] == base), None)


def _pairs(held: PolicyClass, wanted: PolicyClass, bw_bps: int) -> Iterator[tuple[str, str, int]]:
    """Rates of one kind of action, in per cent on exactly one side, and equal: (held, wanted, bit/s)."""
    rates = {type(action).__name__: _rate(action) for action in wanted.actions}
    for action in sorted(held.actions, key=lambda each: type(each).__name__):
        left, right = _rate(action), rates.get(type(action).__name__)
        if left is None or right is None or isinstance(left[1], Percent) == isinstance(right[1], Percent):
            continue
        values = {in_bps(left[1], bw_bps), in_bps(right[1], bw_bps)}
        bps = values.pop()
        if not values and bps is not None:
            yield left[0], right[0], bps


def _rate(action: Action) -> tuple[str, Percent | Bps] | None:
    """The rate of an action as IOS spells it, and its value; None for what has none that follows the BW."""
    if isinstance(action, Police):
        return f"police cir {_spelled(action.rate)}", action.rate
    if isinstance(action, Shape):
        return f"shape {action.kind} {_spelled(action.rate)}", action.rate
    if isinstance(action, Priority | Bandwidth) and action.kind in ("percent", "kbps"):
        word = "priority" if isinstance(action, Priority) else "bandwidth"
        assert action.value is not None
        if action.kind == "percent":
            share = Percent(action.value)  # type: ignore[arg-type]
            return f"{word} {_spelled(share)}", share
        return f"{word} {action.value}", Bps(int(action.value) * 1000)
    return None


def _spelled(rate: Percent | Bps) -> str:
    return f"percent {rate.value.normalize():f}" if isinstance(rate, Percent) else str(rate.value)
