"""Which policy is bound where in the end: what the intent names, what is not ours to move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from provisioning.pipeline.diff.lines import Conflict, ConflictKind
from provisioning.pipeline.diff.store import POLICY_MAP, Key, Place, place_of, place_order
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import Binding, RunningConfig


@dataclass
class Places:
    """The places of one router while its plan is resolved.

    `chosen` says which exact name carries each wanted BASE, `bound_at` what is bound where now, `is_ours` whether a
    policy is ours by a row.
    """

    running: RunningConfig
    intended: RouterIntent
    chosen: Mapping[Key, str]
    bound_at: Mapping[Place, Binding]
    is_ours: Callable[[str], bool]
    conflicts: list[Conflict] = field(default_factory=list)

    def settled(self) -> frozenset[Binding]:
        """All bindings there shall be; what is in the way is left as it is, and said in `conflicts`."""
        bindings = set(self.running.bindings)
        for wanted in sorted(self._unsettled(), key=lambda bound: place_order(place_of(bound))):
            place = place_of(wanted)
            policy = self.chosen.get((POLICY_MAP, wanted.policy), wanted.policy)
            bound = self.bound_at.get(place)
            if self._missing(wanted):
                continue
            if bound is not None and not self._may_unbind(bound):
                self.conflicts.append(
                    Conflict(
                        ConflictKind.FOREIGN_BINDING,
                        "service-policy",
                        bound.interface,
                        f"service-policy {wanted.direction} {policy}",
                        f"service-policy {bound.direction} {bound.policy}",
                        f"{bound.interface} has {bound.policy} bound {bound.direction}, which is not ours",
                    )
                )
                continue
            if bound is not None:
                bindings.discard(bound)
            bindings.add(Binding(wanted.interface, wanted.pvc, wanted.direction, policy))
        unnamed = self.running.bindings - self.intended.bindings
        named_places = {place_of(wanted) for wanted in self.intended.bindings} if unnamed else set()
        for bound in unnamed:
            if place_of(bound) in named_places:
                continue
            if bound.interface in self.intended.managed and self._may_unbind(bound):
                bindings.discard(bound)
        return frozenset(bindings)

    def _unsettled(self) -> Iterator[Binding]:
        """The wanted bindings that are not there yet."""
        renamed = any(kind == POLICY_MAP and base != name for (kind, base), name in self.chosen.items())
        there = frozenset[Binding]() if renamed else self.running.bindings
        for wanted in self.intended.bindings - there:
            bound = self.bound_at.get(place_of(wanted))
            if bound is None or bound.policy != self.chosen.get((POLICY_MAP, wanted.policy), wanted.policy):
                yield wanted

    def _may_unbind(self, bound: Binding) -> bool:
        return self.is_ours(bound.policy) or bound.policy in self._own_policy_names()

    def _own_policy_names(self) -> frozenset[str]:
        return frozenset(name for (kind, _), name in self.chosen.items() if kind == POLICY_MAP)

    def _missing(self, wanted: Binding) -> bool:
        missing = missing_place(self.running, wanted)
        if missing is not None:
            self.conflicts.append(missing)
        return missing is not None


def missing_place(running: RunningConfig, wanted: Binding) -> Conflict | None:
    """That the router has no such interface or PVC, or None."""
    state = running.interfaces.get(wanted.interface)
    pvcs = () if state is None else tuple(pvc.label for pvc in state.pvcs)
    if state is not None and (wanted.pvc is None or wanted.pvc in pvcs):
        return None
    place = wanted.interface if state is None else f"{wanted.interface} pvc {wanted.pvc}"
    return Conflict(
        ConflictKind.MISSING_INTERFACE,
        "interface",
        place,
        f"service-policy {wanted.direction} {wanted.policy}",
        "",
        f"the router has no {place}",
    )
