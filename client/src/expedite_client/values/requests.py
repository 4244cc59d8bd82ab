"""What a request is, why, and what it may become."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class LinkOfPath(TypedDict):
    """A link in one direction."""

    link: str
    direction: str


class Path(TypedDict):
    """The way through the backbone: the links in order, the routers, and the links of every other shortest path."""

    hops: list[LinkOfPath]
    routers: list[str]
    alternates: list[LinkOfPath]


class Charge(TypedDict):
    """What would be charged, or is, on one link direction for the whole of the window."""

    link: str
    direction: str
    pool: str
    rate_bps: int


class LinkEvidence(TypedDict):
    """One link direction as admission sees it; what is not yours to see is null."""

    link: str
    direction: str
    pool: str
    base_bps: int
    share_percent: str | None
    share_bps: int
    share_provenance: NotRequired[str]
    share_is_choice: NotRequired[bool]
    served: NotRequired[str]
    committed_peak_bps: int | None
    peak_at: str | None
    asked_bps: int
    headroom_bps: int | None
    fits: bool


class Reason(TypedDict):
    """One reason to refuse."""

    code: str
    text: str
    link: str | None
    direction: str | None
    interval_start: str | None
    interval_end: str | None
    asked_bps: int | None
    share_bps: int | None
    committed_bps: int | None
    shortfall_bps: int | None


class CounterOffer(TypedDict):
    """What would have fitted, and can be asked for: it begins no sooner than now, at a rate that a policer can be given."""

    kind: NotRequired[str]
    rate_bps: int
    start: str
    end: str | None
    text: str


class Exposure(TypedDict):
    """A single failure that leaves it without what was promised; no link: no path is left."""

    kind: str
    name: str
    start: str
    end: str | None
    link: str | None
    direction: str | None
    share_bps: int | None
    load_bps: int | None


class Failures(TypedDict):
    """What single failures would do to it, where the scheme decides by that; for those who see everything."""

    count: str
    judged: int
    exposures: list[Exposure]


class Evidence(TypedDict):
    """Whether it fits, and why: as it stood at the decision, or as it stands now while undecided."""

    verdict: str
    path: NotRequired[Path]
    charges: NotRequired[list[Charge]]
    evidence: list[LinkEvidence]
    reasons: NotRequired[list[Reason]]
    counter_offers: NotRequired[list[CounterOffer]]
    topology: NotRequired[int]
    warnings: NotRequired[list[str]]
    failures: NotRequired[Failures]
    record: NotRequired[str]
    consent: NotRequired[str]


class Modification(TypedDict):
    """What a request is, or was, to become, and how far that is."""

    id: int
    reference: str
    state: str
    consent: str
    rate_bps: int
    start: str
    end: str | None
    source_prefixes: list[str]
    destination_prefixes: list[str]
    before: Any
    reason: str
    proposed_at: str
    decided_at: str | None
    decision_reason: str
    in_force_at: str | None


class RequestSummary(TypedDict):
    """A request, as source NREN, receiving NREN, NOC and auditors see it."""

    id: int
    reference: str
    state: str
    stage: str
    final: bool
    role: str
    nren: str
    receiving_nren: str | None
    source_link: str
    destination_link: str | None
    twin: int | None
    series: int | None
    service_class: str
    rate_bps: int
    bucket_bytes: int
    max_packet_bytes: int
    min_packet_bytes: int | None
    start: str
    end: str | None
    source_prefixes: list[str]
    destination_prefixes: list[str]
    flow_label: int | None
    contact: str
    reason: str
    warnings: list[str]
    consent: str
    consent_at: str | None
    submitted_at: str
    held_until: str | None
    decided_at: str | None
    decision_reason: str
    waits_for: str | None


class ApprovedAhead(TypedDict):
    """Whether its lines were approved before they are due: they go out then if they are still the same."""

    on: bool
    off: bool


class FitOnLink(TypedDict):
    """A stretch in which more is granted on a link than its share; rates in bit/s."""

    link: str
    direction: str
    start: str
    to: str | None
    granted_bps: int
    share_bps: int
    shortfall_bps: int


class Fit(TypedDict):
    """Whether what was granted fits the network of now; an NREN reads the numbers of its own links alone."""

    fits: bool
    start: str | None
    to: str | None
    moving_since: str | None
    no_path: bool
    links: list[FitOnLink]


class Protection(TypedDict):
    """Whether any single failure leaves it without what was promised; an NREN reads whether and when, not where and how much."""

    protected: bool
    count: str
    version: int
    at: str
    current: bool
    start: str | None
    to: str | None
    no_path: bool
    failures: int | None
    worst: str | None
    excess_bps: int | None


class RequestDetail(RequestSummary):
    """A request with the evidence."""

    never_provided: str | None
    evidence: Evidence | None
    approved_ahead: ApprovedAhead
    fit: Fit | None
    protection: Protection | None
    modifications: list[Modification]


class Range(TypedDict):
    """How far a request could change at this moment, each alone, by what others hold; nothing is kept aside."""

    least_bps: int
    most_bps: int
    latest_end: str | None
    earliest_start: str | None


Pack = TypedDict(
    "Pack",
    {"request": int, "filename": str, "text": str, "undo": list[str], "notes": list[str], "for": str},
)
"""A pack: text to run on the NREN's own router, and how to undo it."""


class Side(TypedDict):
    """What puts it on, or takes it off. `why_not`: why it cannot be foreseen; then there are no lines."""

    puts_on: bool
    at: str | None
    beside: list[int]
    together: list[int]
    why_not: str
    commands: list[str]
    rollback: list[str]
    gaps: list[str]
    alternatives: Any
    doubts: list[str]
    effect: Any


class LinesGiven(TypedDict):
    """One approval that was given ahead."""

    puts_on: bool
    by: str
    at: str
    gaps_confirmed: bool
    override: str


class Lines(TypedDict):
    """The lines of a request as foreseen now; a plan sends them only where they are the same when they are due."""

    request: int
    waits_for: str | None
    router: str
    seen_at: str | None
    fingerprint: str
    sides: list[Side]
    approved: list[LinesGiven]


class ModificationSummary(Modification):
    """What a request is, or was, to become, by itself."""

    request: int
    nren: str
    twin: int | None


class ModificationDetail(ModificationSummary):
    """A modification with its evidence: of this moment while it is proposed, else as it stood at the decision."""

    evidence: Evidence | None
