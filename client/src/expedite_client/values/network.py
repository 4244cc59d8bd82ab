"""Networks, their links and routers, and what each network may have."""

from __future__ import annotations

from typing import Any, TypedDict


class Nren(TypedDict):
    """An NREN and the prefixes that are its own."""

    id: int
    name: str
    country: str
    prefixes: list[str]


class Limits(TypedDict):
    """Bounds; null is none."""

    rate_bps: int | None
    open_requests: int | None
    holds: int | None


class Used(TypedDict):
    """What an NREN has: the most of its rates at an instant from now on, and when that is; a series counts once."""

    rate_bps: int
    rate_at: str | None
    open_requests: int
    holds: int


class Quota(TypedDict):
    """What an NREN may have, and has. Where it has no bound of its own it has that of all."""

    limits: Limits
    own: Limits
    used: Used


class Committed(TypedDict):
    """What is charged to a link at this moment, bit/s by direction."""

    pool: str
    direction: str
    rate_bps: int


class AccessLink(TypedDict):
    """An access link; `committed` only for its own NREN and for those who see everything."""

    id: int
    name: str
    nren: str
    router: str
    interface: str
    pvc: str
    line_rate_bps: int
    bw_bps: int
    usable_bps: int
    case: str
    standing: bool
    standing_consent: bool
    source_filter: str
    agreement: str
    dscp_map: dict[str, int]
    committed: list[Committed] | None


class Management(TypedDict):
    """How a router is reached; never its credentials."""

    host: str
    port: int
    ssh_profile: str
    host_key: str


class Router(TypedDict):
    """A router, for those who see everything."""

    id: int
    name: str
    pop: str
    country: str
    platform: str
    ios: str
    serial: str
    roles: list[str]
    driver: str
    engines: dict[str, str]
    management: Management
    sync: str
    said_otherwise: dict[str, str] | None


class Interface(TypedDict):
    """An interface with its three rates in bit/s; `exempt_reason`, where there is one, is why it needs no policy."""

    id: int
    router: str
    name: str
    description: str
    pvc: str
    line_rate_bps: int
    bw_bps: int
    usable_bps: int
    exempt_reason: str


class LineCard(TypedDict):
    """A line card and its forwarding engine."""

    id: int
    router: str
    slot: int
    engine: str


class Peering(TypedDict):
    """An interface towards a network without an agreement."""

    id: int
    name: str
    peer: str
    router: str
    interface: str
    prefix: str | None


class OpenEdge(TypedDict):
    """An interface by which premium packets could enter unpoliced, and why."""

    router: str
    interface: str
    reason: str


class Standing(TypedDict):
    """What one reading showed. `detail` names what differs, object by object, or why it could not be read."""

    router: str
    state: str
    checked_at: str | None
    detail: Any
    open_edges: list[OpenEdge]
    core_live: bool
    unsaved: Any


class PolicerBurst(TypedDict):
    """The policer at the edge."""

    rate_bps: int
    bucket_bytes: int
    bucket_ms: int
    line: str


class ShaperBurst(TypedDict):
    """The shaper in front of it."""

    rate_bps: int
    burst_bits: int
    burst_bytes: int
    least_bits: int
    most_bits: int
    queue_packets: int
    line: str


class BurstFinding(TypedDict):
    """One number: its formula, the formula worked, where it stands and why it is so."""

    about: str
    formula: str
    worked: str
    source: str
    provenance: str
    reason: str


class PlatformBurst(TypedDict):
    """What the platform does when no burst is typed, and what it takes."""

    platform: str
    ios: str
    default_documented_bytes: int
    default_observed_bytes: int | None
    default_is_certain: bool
    default_evidence: str
    least_police_bytes: int
    most_police_bytes: int
    least_shape_ms: int | None


class BurstAdvice(TypedDict):
    """The advice. Rates are bit/s."""

    traffic: str
    rate_bps: int
    max_packet_bytes: int
    policer: PolicerBurst
    shaper: ShaperBurst
    findings: list[BurstFinding]
    warnings: list[str]
    platform: PlatformBurst | None


class Difference(TypedDict):
    """One object, or one place of a policy, of a router that was seen to be other than intended; empty where it is absent."""

    id: int
    router: str
    object: str
    expected: str
    found: str
    first_seen_at: str
    last_seen_at: str
    gone_at: str | None
    ignored_until: str | None
    ignored_by: str | None
    ignored_reason: str
