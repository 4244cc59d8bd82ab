"""Class-maps and policies of a scheme, before a platform spells them (`intent` makes MQC objects of them)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

CLASS_DEFAULT = "class-default"
"""IOS's class for whatever no other class took; always the last of a policy."""

REST = "rest"
"""A bandwidth that takes what the other classes and the platform leave."""

When = Literal["always", "hqf", "pre-hqf"]
"""Which routers an action is written for: those with the queueing engine of 12.4(20)T, those without, or all."""


@dataclass(frozen=True)
class MatchTemplate:
    """One condition: ``kind`` is ``dscp`` (value an int, or a tuple of alternatives), ``access_list`` (its name; the
    link's reservations are in it) or ``link_addresses`` (likewise; the link's own addresses are).
    """

    kind: Literal["dscp", "access_list", "link_addresses"]
    value: int | str | tuple[int, ...]
    negated: bool = False

    @property
    def dscps(self) -> frozenset[int]:
        """The DSCPs that satisfy the condition; all of them for an access list."""
        if isinstance(self.value, str):
            return frozenset(range(64))
        values = frozenset({self.value} if isinstance(self.value, int) else self.value)
        return frozenset(range(64)) - values if self.negated else values


@dataclass(frozen=True)
class ClassMapTemplate:
    """A class-map; ``emit`` names the option that must be on for it to be written at all."""

    name: str
    mode: Literal["match-all", "match-any"]
    matches: tuple[MatchTemplate, ...]
    emit: str | None = None

    @property
    def access_list(self) -> str | None:
        """The access list that reservations are written into; None for a class by DSCP alone. Such a class-map exists
        once per access link.
        """
        return next((str(match.value) for match in self.matches if match.kind == "access_list"), None)

    @property
    def link_list(self) -> str | None:
        """The access list that the link's own addresses are written into, or None. Such a class-map, too, exists once
        per access link.
        """
        return next((str(match.value) for match in self.matches if match.kind == "link_addresses"), None)

    @property
    def dscps(self) -> frozenset[int]:
        """The DSCPs of the packets it takes, as far as conditions on the DSCP say."""
        sets = [match.dscps for match in self.matches]
        if self.mode == "match-any":
            return frozenset().union(*sets)
        return frozenset(range(64)).intersection(*sets)


@dataclass(frozen=True)
class PoliceTemplate:
    """A policer at ``percent`` of the interface's BW, or at ``rate_bps`` where percent is None; actions are IOS words
    such as ``transmit``, ``drop`` and ``set-dscp-transmit 12``. Bursts are bytes, None for the router's default.
    """

    percent: Decimal | None
    conform: str
    exceed: str
    rate_bps: int | None = None
    burst_bytes: int | None = None
    excess_burst_bytes: int | None = None


@dataclass(frozen=True)
class StrictPriorityTemplate:
    """The strict priority queue; ``percent`` is used where a platform wants a rate (ios-facts 2.3).

    ``policed``: where ``priority`` takes no rate, a policer of that percentage stands beside it, for without one the
    other classes are guaranteed nothing (ios-facts 2.2).
    """

    percent: Decimal
    policed: bool = False


@dataclass(frozen=True)
class BandwidthTemplate:
    """A minimum guarantee: ``percent`` of the link, ``remaining`` per cent of what priority leaves, or the rest."""

    kind: Literal["percent", "remaining", "rest"]
    value: Decimal | None = None


@dataclass(frozen=True)
class WredProfile:
    """One WRED profile in packets: no drop below ``minimum``, 1 in ``denominator`` at ``maximum``, all above."""

    dscp: int
    minimum: int
    maximum: int
    denominator: int


@dataclass(frozen=True)
class WredTemplate:
    """WRED by DSCP; without profiles the router's own thresholds. ``weight`` is the exponent n of the average's 2^-n."""

    profiles: tuple[WredProfile, ...] = ()
    weight: int | None = None


@dataclass(frozen=True)
class ShapeTemplate:
    """``shape average``: at ``rate_bps``, or at the base of the interface it is for where that is None."""

    rate_bps: int | None = None


@dataclass(frozen=True)
class QueueLimitTemplate:
    """``queue-limit`` in packets. Before HQF it cannot stand beside WRED, which then has the interface's queue."""

    packets: int
    when: When = "always"


@dataclass(frozen=True)
class ClassTemplate:
    """One class of a policy and what happens to it; ``services`` are the service classes whose traffic it
    carries. ``per_flow``: there is one such class for each reservation, with a policer of its own (@IRS: a token bucket
    per flow).
    """

    class_name: str
    services: tuple[str, ...] = ()
    police: PoliceTemplate | None = None
    set_dscp: int | None = None
    strict_priority: StrictPriorityTemplate | None = None
    bandwidth: BandwidthTemplate | None = None
    shape: ShapeTemplate | None = None
    random_detect: WredTemplate | None = None
    queue_limit: QueueLimitTemplate | None = None
    child: str | None = None
    per_flow: bool = False

    @property
    def queues(self) -> bool:
        """Whether anything of it can only stand in an output policy."""
        parts = (self.strict_priority, self.bandwidth, self.random_detect, self.queue_limit)
        return any(part is not None for part in parts)


@dataclass(frozen=True)
class PolicyTemplate:
    """A policy-map: classes in the order IOS tries them, class-default last."""

    name: str
    classes: tuple[ClassTemplate, ...]

    @property
    def per_interface(self) -> bool:
        """Whether a number in it is the interface's own, so that every interface needs a copy."""
        return any(found.shape is not None and found.shape.rate_bps is None for found in self.classes)

    def carrying(self, service: str) -> ClassTemplate | None:
        """The class that carries a service class, or None."""
        return next((found for found in self.classes if service in found.services), None)


@dataclass(frozen=True)
class Chosen:
    """A policy's name, or another one while an option is on; what holds while it is off may be chosen by another option."""

    name: str
    option: str | None = None
    otherwise: str | Chosen | None = None
    """What holds while the option is off; None for no policy at all."""

    def resolved(self, options: Mapping[str, bool]) -> str | None:
        """The name that holds with these options."""
        if self.option is None or options[self.option]:
            return self.name
        return self.otherwise.resolved(options) if isinstance(self.otherwise, Chosen) else self.otherwise

    @property
    def all_names(self) -> tuple[str, ...]:
        """Every name it may resolve to."""
        if isinstance(self.otherwise, Chosen):
            return (self.name, *self.otherwise.all_names)
        return (self.name,) if self.otherwise is None else (self.name, self.otherwise)


@dataclass(frozen=True)
class Outputs:
    """The output policies by the kind of interface: ``core`` always, the others where the scheme has one.

    ``access_vlan`` stands on an access link that is a VLAN of its own (a subinterface), where queueing needs a shaper
    around it (ios-facts 2.3). Cards of ``except_engines`` have none: they take no policy of this kind (ios-facts 2.2),
    and a plan says that nothing is queued first there.
    """

    core: Chosen
    access: Chosen | None = None
    access_vlan: Chosen | None = None
    border: Chosen | None = None
    except_engines: tuple[str, ...] = ()

    def stand_on(self, engine: str | None) -> bool:
        """Whether a card of this engine (None: no card is known) takes the output policies of access and core links."""
        return engine is None or engine not in self.except_engines

    def members(self) -> Iterable[tuple[str, Chosen]]:
        """(kind, policy) of those there are."""
        for kind in ("core", "access", "access_vlan", "border"):
            chosen = getattr(self, kind)
            if chosen is not None:
                yield kind, chosen


@dataclass(frozen=True)
class DeclaredException:
    """A rule of ours that the scheme's document breaks, on purpose and said in every plan."""

    rule: Literal["premium-unpoliced"]
    text: str
    provenance: str


@dataclass(frozen=True)
class PlatformWarning:
    """A sentence for every request whose path crosses a router of a platform (its name begins with ``platform``)."""

    platform: str
    text: str
    provenance: str
    ipv6_only: bool = field(default=True)
