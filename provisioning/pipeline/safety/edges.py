"""Open edges: where EF that nobody authorised can enter the backbone (D4.4.2v2 section 2.6; architecture.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provisioning.pipeline.intent import Role, interface_key
from provisioning.pipeline.mqc import InterfaceState, RunningConfig, base_name
from provisioning.pipeline.safety.entering import ALLOWED_DSCPS, PREMIUM, UNLIMITED, entering
from provisioning.pipeline.safety.states import Marker

_NEVER_AN_EDGE = re.compile(r"(?:Loopback|Null)\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OpenEdge:
    """An interface (key as "POS1/0" or "ATM2/0.1 pvc 0/32") through which unauthorised EF can enter, and why."""

    interface: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        return {"interface": self.interface, "reason": self.reason}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OpenEdge:
        return cls(data["interface"], data["reason"])


@dataclass(frozen=True, slots=True)
class _Rules:
    """What of the scheme an edge is judged by; see `intent.Markings`."""

    premium: frozenset[int]
    allowed: frozenset[int]
    unpoliced_excepted: bool


def open_edges(
    config: RunningConfig,
    known: Mapping[str, Role],
    *,
    expected: Mapping[str, str] | None = None,
    exempt: Mapping[str, str] | None = None,
    premium: frozenset[int] = PREMIUM,
    allowed: frozenset[int] = ALLOWED_DSCPS,
    unpoliced_excepted: bool = False,
) -> tuple[OpenEdge, ...]:
    """Return the open edges of one router, in the order of their names; empty when EF can enter nowhere unasked.

    `known` maps interface keys to roles; `expected` keys to the BASE name of the input policy that belongs there;
    `exempt` keys (or interface names) to the reason why they count as no edge. An interface that is shut down,
    a loopback, and one without an address of its own whose subinterfaces carry the traffic are no edges.
    """
    excused = exempt or {}
    found: list[OpenEdge] = []
    for name, state in config.interfaces.items():
        if state.shutdown or _NEVER_AN_EDGE.match(name) or name in excused or _only_a_parent(config, state):
            continue
        for key, pvc in _places(state, known):
            role = known.get(key)
            if role is Role.CORE or key in excused:
                continue
            bound = config.bound(name, "input", pvc)
            if bound is None and pvc is not None and key not in known:
                bound = config.bound(name, "input")
            wanted = (expected or {}).get(key)
            reason = _reason(config, bound, role, wanted, _Rules(premium, allowed, unpoliced_excepted))
            if reason is not None:
                found.append(OpenEdge(key, reason))
    return tuple(sorted(found, key=lambda edge: edge.interface))


def _places(state: InterfaceState, known: Mapping[str, Role]) -> list[tuple[str, str | None]]:
    """Where traffic enters: the interface itself, or each PVC of it where it has any."""
    if state.name in known or not state.pvcs:
        return [(state.name, None)]
    return [(interface_key(state.name, pvc.label), pvc.label) for pvc in state.pvcs]


def _only_a_parent(config: RunningConfig, state: InterfaceState) -> bool:
    return (
        not state.has_address
        and not state.pvcs
        and not any(binding.interface == state.name for binding in config.bindings)
        and any(other.startswith(f"{state.name}.") for other in config.interfaces)
    )


def _reason(
    config: RunningConfig,
    bound: str | None,
    role: Role | None,
    wanted: str | None,
    rules: _Rules,
) -> str | None:
    unknown = "is not in the inventory and " if role is None else ""
    if bound is None:
        return f"{unknown}has no input policy"
    policy = config.policy_maps.get(bound)
    if policy is None:
        return f"{unknown}has {bound} bound, which does not exist"
    found = entering(config, policy, rules.premium, rules.allowed)
    marker = found.marker
    if found.ef_rate == UNLIMITED and not (rules.unpoliced_excepted and marker is Marker.ACL):
        return f"{unknown}lets EF in without a policer ({bound})"
    if not found.remarks_rest:
        return f"{unknown}leaves markings that are not authorised ({bound})"
    if marker is not Marker.ROUTER and role is None:
        return f"is not in the inventory and lets EF in ({bound})"
    if marker is not Marker.ROUTER and role is Role.PEERING and wanted is None:
        return f"is a peering and lets EF in ({bound})"
    if wanted is not None and bound != wanted and base_name(bound)[0] != wanted:
        return f"has {bound} instead of {wanted}"
    return None
