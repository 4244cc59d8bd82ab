"""What a difference of two texts says nothing of: `equal` is said of what INTENDED names, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from provisioning.pipeline.diff.store import ACCESS_LIST, CLASS_MAP, POLICY_MAP, store_of
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.units import how_many

INTERFACE: Final = "interface"
_SHOWN: Final = 6
_WORDS: Final = {ACCESS_LIST: "access list", CLASS_MAP: "class-map", POLICY_MAP: "policy-map"}


@dataclass(frozen=True, slots=True)
class NotCompared:
    """Objects of one kind that RUNNING holds and INTENDED does not name, or (``kind`` interface) interfaces with a policy
    that it does not list.
    """

    kind: str
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        shown = ", ".join(self.names[:_SHOWN])
        more = f" and {len(self.names) - _SHOWN} more" if len(self.names) > _SHOWN else ""
        if self.kind == INTERFACE:
            many = how_many(len(self.names), "interface")
            return f"not compared: service-policies of {many} that INTENDED does not list ({shown}{more})"
        many = how_many(len(self.names), _WORDS[self.kind])
        return f"not compared: {many} that INTENDED does not name ({shown}{more})"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "names": list(self.names), "text": self.text}


def not_compared(running: RunningConfig, intended: RunningConfig) -> tuple[NotCompared, ...]:
    """What of `running` the difference to `intended` leaves alone, where that is not all there shall be."""
    return tuple(_left(running, intended))


def _left(running: RunningConfig, intended: RunningConfig) -> Iterator[NotCompared]:
    # By name and family: of two lists of one name INTENDED may name one.
    named = {
        (kind, thing.name, getattr(thing, "family", 0)) for (kind, _), thing in store_of(intended).items()
    }
    for kind in (ACCESS_LIST, CLASS_MAP, POLICY_MAP):
        names = {
            thing.name
            for (each, _), thing in store_of(running).items()
            if each == kind and (kind, thing.name, getattr(thing, "family", 0)) not in named
        }
        if names:
            yield NotCompared(kind, tuple(sorted(names)))
    bound = {each.interface for each in running.bindings} - intended.interfaces.keys()
    if bound:
        yield NotCompared(INTERFACE, tuple(sorted(bound)))
