"""What one running-config holds of QoS, and what of it is used by things that are not QoS (ios-facts
section 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from provisioning.pipeline.mqc.access import AccessList
from provisioning.pipeline.mqc.classes import ClassMap
from provisioning.pipeline.mqc.policies import Binding, PolicyMap

_V = TypeVar("_V")


@dataclass(frozen=True, slots=True, order=True)
class Pvc:
    """An ATM PVC: ``label`` is "vpi/vci"; ``category`` its service class (``ubr`` when none is written);
    rates in kbit/s.
    """

    label: str
    category: str = "ubr"
    peak_kbit: int | None = None
    sustained_kbit: int | None = None


@dataclass(frozen=True, slots=True)
class InterfaceState:
    """What of an interface matters to QoS; its other lines are not kept. ``bandwidth_kbit`` is a
    ``bandwidth`` line typed on it, in kbit/s. ``has_address`` is any IPv4 or IPv6 address, unnumbered or
    ``ipv6 enable``.
    """

    name: str
    pvcs: tuple[Pvc, ...] = ()
    shutdown: bool = False
    description: str = ""
    bandwidth_kbit: int | None = None
    has_address: bool = False
    is_subinterface: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """A use of one of our kinds of object by something that is not MQC: ``kind`` is ``access-list``,
    ``class-map`` or ``policy-map``, ``by`` the line (with its section) that uses it.
    """

    kind: str
    name: str
    by: str


def _frozen(values: Mapping[str, _V]) -> Mapping[str, _V]:
    return MappingProxyType({name: values[name] for name in sorted(values)})


@dataclass(frozen=True)
class RunningConfig:
    """The QoS of one router. The order of objects is not part of it (ios-facts N25).

    Access lists are keyed by name; where an IPv4 and an IPv6 list share one, the IPv6 list's key is ``ipv6
    NAME``. ``whole`` says that the text was a complete running-config, so that what is absent here is
    absent on the router.
    """

    hostname: str = ""
    version: str = ""
    access_lists: Mapping[str, AccessList] = field(default_factory=dict)
    class_maps: Mapping[str, ClassMap] = field(default_factory=dict)
    policy_maps: Mapping[str, PolicyMap] = field(default_factory=dict)
    interfaces: Mapping[str, InterfaceState] = field(default_factory=dict)
    bindings: frozenset[Binding] = frozenset()
    references: frozenset[Reference] = frozenset()
    whole: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("access_lists", "class_maps", "policy_maps", "interfaces"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        object.__setattr__(self, "bindings", frozenset(self.bindings))
        object.__setattr__(self, "references", frozenset(self.references))

    def bound(self, interface: str, direction: str, pvc: str | None = None) -> str | None:
        """The policy bound there in that direction, or None."""
        for binding in self.bindings:
            if (binding.interface, binding.direction, binding.pvc) == (interface, direction, pvc):
                return binding.policy
        return None
