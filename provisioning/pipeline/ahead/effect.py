"""The effect of a plan as the safety interpreter tells it: which interface ends how, who is let in and who is cut off."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.diff import Gap
from provisioning.pipeline.safety import InterfaceQos

_PARTLY = " (in part)"


@dataclass(frozen=True, slots=True, order=True)
class InterfaceEffect:
    """What a plan leaves of one interface, the names of policies aside.

    `marker`, `ef_rate`, `remarks_rest` and `ef_queue` are the state in the end (`InterfaceQos`), `exempted` who keeps
    another mark then. `let_in` are the entries that the plan newly authorises, `cut_off` those it does not any more.
    """

    key: str
    role: str
    marker: str
    ef_rate: str
    remarks_rest: bool
    ef_queue: bool
    exempted: tuple[str, ...]
    let_in: frozenset[str]
    cut_off: frozenset[str]

    @property
    def end(self) -> tuple[object, ...]:
        """The state in the end, without who came and went."""
        return (self.role, self.marker, self.ef_rate, self.remarks_rest, self.ef_queue, self.exempted)

    def to_json(self) -> dict[str, Any]:
        return {
            "interface": self.key,
            "role": self.role,
            "marker": self.marker,
            "ef_rate": self.ef_rate,
            "remarks_rest": self.remarks_rest,
            "ef_queue": self.ef_queue,
            "exempted": list(self.exempted),
            "let_in": sorted(self.let_in),
            "cut_off": sorted(self.cut_off),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> InterfaceEffect:
        return cls(
            data["interface"],
            data["role"],
            data["marker"],
            data["ef_rate"],
            data["remarks_rest"],
            data["ef_queue"],
            tuple(data["exempted"]),
            frozenset(data["let_in"]),
            frozenset(data["cut_off"]),
        )


@dataclass(frozen=True, slots=True)
class Effect:
    """What plans of one router do: by interface, the gaps they open (there and on the way back), what is doubtful of them."""

    interfaces: Mapping[str, InterfaceEffect]
    gaps: frozenset[str]
    doubts: frozenset[str]

    def digest(self) -> str:
        """sha256 (hex)."""
        said = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(said.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        return {
            "interfaces": [self.interfaces[key].to_json() for key in sorted(self.interfaces)],
            "gaps": sorted(self.gaps),
            "doubts": sorted(self.doubts),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Effect:
        found = (InterfaceEffect.from_json(each) for each in data["interfaces"])
        return cls({each.key: each for each in found}, frozenset(data["gaps"]), frozenset(data["doubts"]))


def effect_of(plans: Sequence[ChangePlan]) -> Effect:
    """The effect of the plans of one router together, in the order of their phases."""
    first: dict[str, InterfaceQos] = {}
    last: dict[str, InterfaceQos] = {}
    touched: set[str] = set()
    for plan in plans:
        for number, state in enumerate(plan.proof):
            for each in state.states:
                first.setdefault(each.key, each)
                last[each.key] = each
                if number:
                    touched.add(each.key)
    return Effect(
        {key: _effect(first[key], last[key]) for key in sorted(touched)},
        frozenset(_gap(gap) for plan in plans for gap in (*plan.gaps, *plan.gaps_back)),
        frozenset(doubt.text for plan in plans for doubt in plan.doubts),
    )


def _effect(first: InterfaceQos, last: InterfaceQos) -> InterfaceEffect:
    before, after = (frozenset(_entries(state)) for state in (first, last))
    return InterfaceEffect(
        key=last.key,
        role=last.role.value,
        marker="" if last.marker is None else last.marker.value,
        ef_rate=last.ef_rate,
        remarks_rest=last.remarks_rest,
        ef_queue=last.ef_queue,
        exempted=tuple(sorted(last.exempted)),
        let_in=after - before,
        cut_off=before - after,
    )


def _entries(state: InterfaceQos) -> Iterable[str]:
    partly = set(state.partial)
    return (f"{entry}{_PARTLY}" if entry in partly else entry for entry in state.authorised)


def _gap(gap: Gap) -> str:
    """Where a policy is missing for a moment and what is missing then; the names of the policies do not matter."""
    place = gap.interface if gap.pvc is None else f"{gap.interface} pvc {gap.pvc}"
    lacks = [
        word
        for word, lacking in (("nothing is marked", gap.unmarked), ("nothing is policed", gap.unpoliced))
        if lacking
    ]
    return f"{place} {gap.direction}: {', '.join(lacks) or 'no policy'} during the swap"
