"""What admission answers with. Rates are bit/s at layer 3, instants UTC, windows half-open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

from provisioning.pipeline.failures import Exposure
from provisioning.pipeline.topology import Direction, LinkDirection, Path
from provisioning.pipeline.units import rate_text, share_of


@dataclass(frozen=True)
class Charge:
    """What an admitted request takes on one link direction, for the whole of its window."""

    link_direction: LinkDirection
    pool: str
    rate_bps: int


@dataclass(frozen=True)
class LinkEvidence:
    """One link direction as admission saw it.

    ``base_bps`` is min(BW, usable); ``share_bps`` the floored share of it; ``committed_peak_bps`` the most
    that others hold within the window, first reached at ``peak_at`` (where the share changes with time: both are of the instant
    with the least headroom); ``headroom_bps`` what is free for this
    request (share minus committed peak, below 0 when a share has shrunk). ``share_percent`` is None for a
    fixed rate. ``share_is_choice`` when no
    document states the share. ``served`` says what the traffic meets there: the policy that queues it, or that nothing does.
    """

    link: str
    direction: Direction
    pool: str
    base_bps: int
    share_percent: Decimal | None
    share_bps: int
    committed_peak_bps: int
    peak_at: datetime
    asked_bps: int
    headroom_bps: int
    share_provenance: str = ""
    share_is_choice: bool = False
    served: str = ""

    @property
    def fits(self) -> bool:
        """True when what is asked is not more than the headroom."""
        return self.asked_bps <= self.headroom_bps

    @property
    def share_text(self) -> str:
        """The share as it is stated: ``20 %``, ``a fixed rate``, or ``planned for then`` where it is another at that time."""
        if self.share_percent is None:
            return "a fixed rate"
        return "planned for then" if self.is_planned else f"{self.share_percent} %"

    @property
    def is_planned(self) -> bool:
        """True when ``share_bps`` is not the percentage of today's base: a change of capacity or share is planned."""
        if self.share_percent is None:
            return False
        return self.share_bps != share_of(self.base_bps, self.share_percent)

    @property
    def share_of_base(self) -> str:
        """The share beside its base in a sentence: "5 % of 155 Mbit/s", or "a fixed rate, on 10 Mbit/s"."""
        if self.share_percent is None:
            return f"a fixed rate, on {rate_text(self.base_bps)}"
        return f"{self.share_percent} % of {rate_text(self.base_bps)}"

    @property
    def left_bps(self) -> int:
        """What would be free after this request."""
        return self.headroom_bps - self.asked_bps


@dataclass(frozen=True)
class SeenLink:
    """One link direction as a reader sees it: of what others hold the numbers are None where they are not the reader's, and
    ``fits`` is all there is. The rest as in `LinkEvidence`.
    """

    link: str
    direction: Direction
    pool: str
    base_bps: int
    share_percent: Decimal | None
    share_bps: int
    share_text: str
    share_of_base: str
    is_planned: bool
    share_provenance: str
    share_is_choice: bool
    served: str
    asked_bps: int
    fits: bool
    committed_peak_bps: int | None
    peak_at: datetime | None
    headroom_bps: int | None

    @classmethod
    def of(cls, found: LinkEvidence, *, full: bool) -> SeenLink:
        """The same with every number, or without those of what is held."""
        return cls(
            found.link,
            found.direction,
            found.pool,
            found.base_bps,
            found.share_percent,
            found.share_bps,
            found.share_text,
            found.share_of_base,
            found.is_planned,
            found.share_provenance,
            found.share_is_choice,
            found.served,
            found.asked_bps,
            found.fits,
            found.committed_peak_bps if full else None,
            found.peak_at if full else None,
            found.headroom_bps if full else None,
        )

    @property
    def left_bps(self) -> int | None:
        """What would be free after this request."""
        return None if self.headroom_bps is None else self.headroom_bps - self.asked_bps


@dataclass(frozen=True)
class Reason:
    """One reason to refuse; the numbers are None where the reason is not about capacity.

    Codes: ``share-exceeded``, ``non-participant``, ``line-card``, ``no-path``, ``class-without-admission``,
    ``class-unknown``, ``scheme-unreadable``, ``destination-needed``, ``destination-given``, ``ends-inside``,
    ``no-border``, ``receiver-without-class``, ``bucket``, ``unprotected``, ``policer`` (its rates are of layer 2).
    """

    code: str
    text: str
    link: str | None = None
    direction: Direction | None = None
    interval_start: datetime | None = None
    interval_end: datetime | None = None
    asked_bps: int | None = None
    share_bps: int | None = None
    committed_bps: int | None = None
    shortfall_bps: int | None = None


@dataclass(frozen=True)
class CounterOffer:
    """What would have been admitted instead: a lower rate in the same window, or at the same rate the same length later, or
    the longest window from the same start. ``kind`` is empty for what was stored before offers had one.
    """

    rate_bps: int
    start: datetime
    end: datetime | None
    text: str
    kind: Literal["lower-rate", "later-start", "shorter-window", ""] = ""


@dataclass(frozen=True)
class FailureEvidence:
    """What ``judged`` single failures (``count``: the scheme's word) would do to what is asked: why it is unprotected, nothing
    where it is safe from all of them.
    """

    count: str
    judged: int
    exposures: tuple[Exposure, ...]


@dataclass(frozen=True)
class Admitted:
    """It fits: the path, what to charge, and the evidence for every link direction in the order of the
    path. ``warnings`` are sentences about what speaks against it and refuses nothing. ``failures`` None: they do not decide.
    """

    path: Path
    charges: tuple[Charge, ...]
    evidence: tuple[LinkEvidence, ...]
    warnings: tuple[str, ...] = ()
    failures: FailureEvidence | None = None


@dataclass(frozen=True)
class Refused:
    """It does not: every reason there is, the evidence as far as there is a path, and what would fit."""

    reasons: tuple[Reason, ...]
    evidence: tuple[LinkEvidence, ...] = ()
    counter_offers: tuple[CounterOffer, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: FailureEvidence | None = None
