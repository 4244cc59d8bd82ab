"""What the safety interpreter says of an interface after a line: values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from provisioning.pipeline.intent import Role, interface_key


class Marker(StrEnum):
    """Who decides that a packet is EF when it enters (D4.4.2v2 section 2.6, the three occasions)."""

    ROUTER = "router"  # everything to 0
    NREN = "nren"  # the neighbour's own marking is believed
    ACL = "acl"  # the access list decides
    NOBODY = "nobody"  # no policy: whatever arrives passes as it is


REST: Final = "rest"
"""In `InterfaceQos.kept`: every mark that no class names."""


@dataclass(frozen=True, slots=True)
class InterfaceQos:
    """The state of one interface (or PVC) at one moment.

    `ef_rate` is "percent 5", "2000000 bps", "unlimited" (EF passes and nothing polices it) or "none" (no EF
    passes); `ef_queue` says whether a priority queue is attached outbound; `authorised` are the permit entries that
    make EF, `partial` those of them that need not let in all they name: their lists also deny, or the classes of these
    lists ask more of a packet or stand behind another one; `exempted` the permit entries by which packets leave with a mark
    that is neither EF nor 0 and that others of their mark do not leave with (the neighbour's routing packets); `lists`, for
    the check alone, the lists of `partial` entries, each with the entries that no deny of its own takes from; `kept` the marks
    that leave and may not, each with its rate as in `ef_rate`: a DSCP that the policy names, or REST for all others. On a core
    interface `marker` is None and `ef_rate` "-": nothing is marked or policed there.
    """

    interface: str
    pvc: str | None
    role: Role
    policy_in: str | None
    policy_out: str | None
    marker: Marker | None
    ef_rate: str
    remarks_rest: bool
    ef_queue: bool
    authorised: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    exempted: tuple[str, ...] = ()
    lists: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), compare=False)
    kept: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """The interface as a person writes it: "POS1/0" or "ATM2/0.1 pvc 0/32"."""
        return interface_key(self.interface, self.pvc)

    def to_json(self) -> dict[str, Any]:
        return {
            "interface": self.interface,
            "pvc": self.pvc,
            "role": self.role.value,
            "policy_in": self.policy_in,
            "policy_out": self.policy_out,
            "marker": None if self.marker is None else self.marker.value,
            "ef_rate": self.ef_rate,
            "remarks_rest": self.remarks_rest,
            "ef_queue": self.ef_queue,
            "authorised": list(self.authorised),
            "partial": list(self.partial),
            "exempted": list(self.exempted),
            **({"kept": dict(self.kept)} if self.kept else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> InterfaceQos:
        return cls(
            interface=data["interface"],
            pvc=data["pvc"],
            role=Role(data["role"]),
            policy_in=data["policy_in"],
            policy_out=data["policy_out"],
            marker=None if data["marker"] is None else Marker(data["marker"]),
            ef_rate=data["ef_rate"],
            remarks_rest=data["remarks_rest"],
            ef_queue=data["ef_queue"],
            authorised=tuple(data["authorised"]),
            partial=tuple(data.get("partial", ())),  # plans kept from before do not say it
            exempted=tuple(data.get("exempted", ())),
            kept=tuple(data.get("kept", {}).items()),
        )


@dataclass(frozen=True, slots=True)
class LineState:
    """After `line`: the state of every managed interface that changed with it, and what is wrong, in words.

    `line` None is the state before the first line; it lists every managed interface.
    """

    line: str | None
    states: tuple[InterfaceQos, ...]
    violations: tuple[str, ...] = ()
    gap: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "line": self.line,
            "states": [state.to_json() for state in self.states],
            "violations": list(self.violations),
            "gap": self.gap,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LineState:
        return cls(
            data["line"],
            tuple(InterfaceQos.from_json(state) for state in data["states"]),
            tuple(data["violations"]),
            data["gap"],
        )
