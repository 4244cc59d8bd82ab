"""The object store of a router: access lists, class-maps, policy-maps, interfaces with PVCs, and lines kept as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from lab.names import parent_of

Direction = Literal["input", "output"]
Point = tuple[str, str | None, str]  # interface, pvc or None, direction


@dataclass(frozen=True)
class Match:
    """One ``match`` line: ``kind`` as typed without ``not`` ("dscp", "ip dscp", "access-group name", ...)."""

    kind: str
    values: tuple[int | str, ...] = ()
    negated: bool = False


@dataclass
class ClassMap:
    """A class-map; ``mode`` is "match-all" or "match-any"."""

    name: str
    mode: str = "match-all"
    description: str | None = None
    matches: list[Match] = field(default_factory=list)


@dataclass(frozen=True)
class Police:
    """A policer as typed: ``rate`` is bit/s or percent; bursts are bytes, or ms when ``*_ms``; None = not typed."""

    spelling: str  # "", "cir", "rate" or "percent" (ios-facts N15, N19)
    percent: bool
    rate: int
    bc: int | None = None
    bc_ms: bool = False
    be: int | None = None
    be_ms: bool = False
    pir: int | None = None
    conform: tuple[str, ...] | None = None
    exceed: tuple[str, ...] | None = None
    violate: tuple[str, ...] | None = None

    @property
    def two_buckets(self) -> bool:
        """True when packets can violate: a violate action, a peak rate, or a ``be`` that was named."""
        return self.violate is not None or self.second_bucket_shown

    @property
    def second_bucket_shown(self) -> bool:
        """True when the line itself tells of the second bucket: a peak rate, or a ``be`` that is named."""
        return self.pir is not None or (self.be is not None and self.spelling != "")


@dataclass(frozen=True)
class RandomDetect:
    """WRED: ``basis`` is "precedence", "dscp" or "discard-class"; thresholds (point, minimum, maximum, mark or None, unit).

    ``weight`` is the exponential weighting constant, 9 unless typed; ``ecn`` marks instead of dropping.
    """

    basis: str
    thresholds: tuple[tuple[int, int, int, int | None, str], ...] = ()
    weight: int = 9
    ecn: bool = False


@dataclass(frozen=True)
class Share:
    """A bandwidth or priority: ``unit`` is "kbps", "percent", "remaining percent", "remaining ratio", "level" or "strict".

    ``level`` is the queue of a priority that also has a limit (``priority level 1 percent 20``).
    """

    unit: str
    value: int = 0
    burst: int | None = None
    level: int | None = None


@dataclass(frozen=True)
class Shape:
    """``shape average|peak``: ``rate`` is bit/s, or percent; bursts in bits."""

    mode: str
    rate: int
    percent: bool = False
    bc: int | None = None
    be: int | None = None


Action = Police | RandomDetect | Share | Shape | str | int


@dataclass
class PolicyClass:
    """A class in a policy-map: its actions by command word ("police", "set dscp", ...), in order of entry."""

    name: str
    actions: dict[str, Action] = field(default_factory=dict)

    @property
    def queueing(self) -> list[str]:
        """The queueing actions, which are output only (ios-facts 2.3)."""
        words = ("priority", "bandwidth", "shape", "random-detect", "fair-queue", "queue-limit")
        return [word for word in words if word in self.actions]


@dataclass
class PolicyMap:
    """A policy-map; class-default, when present, is last (ios-facts N26)."""

    name: str
    description: str | None = None
    classes: list[PolicyClass] = field(default_factory=list)

    def find(self, name: str) -> PolicyClass | None:
        """The class of that name, or None."""
        return next((item for item in self.classes if item.name == name), None)

    def add(self, name: str) -> PolicyClass:
        """A new class, before class-default (ios-facts N26)."""
        added = PolicyClass(name)
        at = len(self.classes)
        if self.classes and self.classes[-1].name == "class-default":
            at -= 1
        self.classes.insert(at, added)
        return added

    def draft(self) -> PolicyMap:
        """A copy to edit: actions are values, so nothing below them needs copying."""
        return PolicyMap(
            self.name, self.description, [PolicyClass(item.name, dict(item.actions)) for item in self.classes]
        )


@dataclass(frozen=True)
class Ace:
    """One entry of an access list, canonical; a remark has ``remark`` and nothing else."""

    action: str = ""
    protocol: str = ""
    source: str = ""
    source_port: str = ""
    destination: str = ""
    destination_port: str = ""
    dscp: int | None = None
    flow_label: int | None = None
    options: tuple[str, ...] = ()
    remark: str | None = None


@dataclass
class AccessList:
    """A named or numbered access list; ``family`` is "ipv6", "ip extended", "ip standard" or "numbered"."""

    family: str
    name: str
    entries: dict[int, Ace] = field(default_factory=dict)

    def next_sequence(self) -> int:
        """The number an entry without one gets: ten after the last."""
        return max(self.entries, default=0) + 10

    def ordered(self) -> Iterator[tuple[int, Ace]]:
        """Entries by sequence."""
        return iter(sorted(self.entries.items()))


@dataclass
class Pvc:
    """An ATM PVC; ``service`` is "ubr", "vbr-nrt" or "abr"; rates in kbit/s."""

    name: str
    service: str = "ubr"
    rates: tuple[int, ...] = ()
    policies: dict[str, str] = field(default_factory=dict)
    other: list[str] = field(default_factory=list)


@dataclass
class Interface:
    """An interface; ``hardware_kbit`` is what the card gives, ``bandwidth`` what a line set."""

    name: str
    hardware_kbit: int
    subtype: str = ""
    description: str | None = None
    bandwidth: int | None = None
    max_reserved: int | None = None
    shutdown: bool = False
    ip: str | None = None
    ipv6: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    policies: dict[str, str] = field(default_factory=dict)
    pvcs: dict[str, Pvc] = field(default_factory=dict)

    @property
    def is_subinterface(self) -> bool:
        """True for ATM2/0.1."""
        return "." in self.name

    @property
    def is_physical(self) -> bool:
        """True for a port of a card."""
        return "/" in self.name and not self.is_subinterface


@dataclass
class Block:
    """A section kept as typed: a header and its lines (``router isis 6NET``, ``line vty 0 4``)."""

    header: str
    lines: list[str] = field(default_factory=list)


@dataclass
class Configuration:
    """Everything a router is configured with."""

    hostname: str
    class_maps: dict[str, ClassMap] = field(default_factory=dict)
    policy_maps: dict[str, PolicyMap] = field(default_factory=dict)
    access_lists: dict[str, AccessList] = field(default_factory=dict)
    interfaces: dict[str, Interface] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    blocks: dict[str, Block] = field(default_factory=dict)
    banners: dict[str, str] = field(default_factory=dict)

    def bandwidth_kbit(self, interface: str, pvc: str | None = None) -> int | None:
        """The percent base in kbit/s (ios-facts 1.4): SCR of a VBR PVC, else the BW shown; None for UBR."""
        item = self.interfaces[interface]
        if pvc is not None:
            circuit = item.pvcs[pvc]
            if circuit.service == "ubr":
                return None
            return (
                circuit.rates[1] if circuit.service != "abr" and len(circuit.rates) > 1 else circuit.rates[-1]
            )
        if item.bandwidth is not None:
            return item.bandwidth
        if item.is_subinterface:
            return (
                self.bandwidth_kbit(parent_of(interface)) if parent_of(interface) in self.interfaces else None
            )
        return item.hardware_kbit

    def attachments(self) -> Iterator[tuple[Point, str]]:
        """Every (interface, pvc, direction) with the policy-map on it."""
        for interface in self.interfaces.values():
            for direction, name in sorted(interface.policies.items()):
                yield (interface.name, None, direction), name
            for pvc in interface.pvcs.values():
                for direction, name in sorted(pvc.policies.items()):
                    yield (interface.name, pvc.name, direction), name

    def policies_at(self, point: Point) -> dict[str, str]:
        """The mapping direction -> policy-map that holds the point's attachment."""
        interface = self.interfaces[point[0]]
        return interface.policies if point[1] is None else interface.pvcs[point[1]].policies

    def uses(self, policy: str) -> list[Point]:
        """Where a policy-map is attached, directly or as a child."""
        family = {policy}
        grown = True
        while grown:
            grown = False
            for name, item in self.policy_maps.items():
                children = {action.actions.get("service-policy") for action in item.classes}
                if name not in family and children & family:
                    family.add(name)
                    grown = True
        return [point for point, name in self.attachments() if name in family]
