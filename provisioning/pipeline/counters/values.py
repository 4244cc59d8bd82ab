"""What a router counted, per interface, policy and class. None where the router did not print it."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Colour:
    """One colour of a policer: what fell under it, what is done with it, and its present rate in bit/s."""

    packets: int | None = None
    bytes: int | None = None
    actions: tuple[str, ...] = ()
    rate_bps: int | None = None


@dataclass(frozen=True, slots=True)
class PoliceCounters:
    """A policer as it works: its rate in bit/s (and in percent where so configured), its buckets, its
    colours. A policer of packets has its rates and buckets in ``*_pps`` and ``*_packets``.
    """

    cir_bps: int | None = None
    cir_percent: Decimal | None = None
    bc_bytes: int | None = None
    be_bytes: int | None = None
    bc_ms: int | None = None
    be_ms: int | None = None
    pir_bps: int | None = None
    pir_percent: Decimal | None = None
    cir_pps: int | None = None
    bc_packets: int | None = None
    pir_pps: int | None = None
    be_packets: int | None = None
    conformed_pps: int | None = None
    exceeded_pps: int | None = None
    violated_pps: int | None = None
    conformed: Colour = field(default_factory=Colour)
    exceeded: Colour = field(default_factory=Colour)
    violated: Colour | None = None


@dataclass(frozen=True, slots=True)
class Marking:
    """One field the class marks; ``packets`` is None where marker statistics are disabled (ios-facts 2.4)."""

    field: str
    value: str
    packets: int | None = None


@dataclass(frozen=True, slots=True)
class WredRow:
    """One line of a WRED table: packets and bytes sent, dropped at random, dropped at the tail."""

    value: str
    transmitted: tuple[int, int]
    random_drop: tuple[int, int]
    tail_drop: tuple[int, int]
    minimum: int | None = None
    maximum: int | None = None
    denominator: int | None = None


@dataclass(frozen=True, slots=True)
class QueueCounters:
    """The queue of a class, or of all priority classes: depth and drops in packets, ``dropped_bytes`` beside them;
    ``delayed_*`` is what a shaper held back.
    """

    limit: int | None = None
    limit_unit: str = "packets"
    depth: int | None = None
    total_drops: int | None = None
    no_buffer_drops: int | None = None
    output_packets: int | None = None
    output_bytes: int | None = None
    priority: str | None = None
    priority_exceed_drops: int | None = None
    bandwidth: str | None = None
    shape_bps: int | None = None
    dropped_bytes: int | None = None
    delayed_packets: int | None = None
    delayed_bytes: int | None = None
    wred: tuple[WredRow, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchCounters:
    """One match line of a class, and what fell under it where the router counts matches apart (ios-facts 4.1): by that the
    packets of IPv4 and IPv6 are told apart (D4.4.2v2 section 2.4.1 asks for it).
    """

    match: str
    packets: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ClassCounters:
    """One class: what matched it, its rates in bit/s over ``interval_s``, and what was done with it. ``matches`` are the lines
    of ``matched`` without their counts.
    """

    name: str
    mode: str
    packets: int | None = None
    bytes: int | None = None
    interval_s: int | None = None
    offered_bps: int | None = None
    drop_bps: int | None = None
    matches: tuple[str, ...] = ()
    matched: tuple[MatchCounters, ...] = ()
    police: PoliceCounters | None = None
    marked: tuple[Marking, ...] = ()
    queue: QueueCounters | None = None
    children: tuple[ChildPolicyCounters, ...] = ()
    other_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildPolicyCounters:
    """A policy bound inside a class; ``priority_queues`` are the queues its priority classes share."""

    policy: str
    classes: tuple[ClassCounters, ...] = ()
    priority_queues: tuple[QueueCounters, ...] = ()


@dataclass(frozen=True, slots=True)
class InterfacePolicyCounters:
    """One policy on one interface (or ATM PVC "vpi/vci") in one direction."""

    interface: str
    pvc: str | None
    direction: str
    policy: str
    classes: tuple[ClassCounters, ...] = ()
    priority_queues: tuple[QueueCounters, ...] = ()
