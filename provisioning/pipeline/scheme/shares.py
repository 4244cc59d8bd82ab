"""Shares: what a pool may take of one link and direction, in per cent, in bit/s, or as payload a document measured."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from provisioning.pipeline.units import rate_text, share_of

LinkKind = Literal["access", "core", "border"]
"""An NREN's link, a link between two routers of the domain, a link to another domain."""


@dataclass(frozen=True)
class PayloadRate:
    """A rate as @IRS states it: bytes of payload a second, in datagrams of one size; headers are what layer 3 adds."""

    bytes_per_second: int
    datagram_bytes: int
    header_bytes: int

    @property
    def layer3_bps(self) -> int:
        """The same at layer 3, bit/s, floored: 40,000 B/s in 1024-byte datagrams with 48 bytes of headers are 335,000."""
        whole = self.datagram_bytes + self.header_bytes
        return self.bytes_per_second * 8 * whole // self.datagram_bytes

    def __str__(self) -> str:
        return (
            f"{self.bytes_per_second:,} bytes/s of payload in datagrams of {self.datagram_bytes} bytes are "
            f"{rate_text(self.layer3_bps)} at layer 3 ({self.header_bytes} bytes of headers each)"
        )


@dataclass(frozen=True)
class Share:
    """What a pool may take: ``percent`` of min(BW, usable), or ``rate_bps`` at layer 3 whatever the link carries.

    Exactly one of the two is given; ``payload`` says what the rate was converted from. ``is_choice`` when no document
    states it.
    """

    percent: Decimal | None
    provenance: str
    is_choice: bool
    rate_bps: int | None = None
    payload: PayloadRate | None = None

    def of(self, base_bps: int) -> int:
        """The share of a link with this base, bit/s, floored; a fixed rate is never more than the link carries."""
        if self.percent is not None:
            return share_of(base_bps, self.percent)
        return min(self.rate_bps or 0, base_bps)

    @property
    def words(self) -> str:
        """How the share is stated: ``20 %``, or the fixed rate and what it was converted from."""
        if self.percent is not None:
            return f"{self.percent} %"
        return str(self.payload) if self.payload is not None else f"{rate_text(self.rate_bps or 0)}, fixed"


@dataclass(frozen=True)
class Threshold:
    """A sum on one link above which a request is admitted with a warning, bit/s at layer 3, and why."""

    rate_bps: int
    text: str
    provenance: str


@dataclass(frozen=True)
class Pool:
    """What is counted together on one link and direction. ``core`` and ``border`` None: the pool has no share of such
    links, so nothing of it can be promised on one.
    """

    name: str
    access: Share
    core: Share | None
    warn_above: Threshold | None = None
    border: Share | None = None

    def share(self, kind: LinkKind) -> Share | None:
        """What it may take of a link of this kind; None where it has no share."""
        return {"access": self.access, "core": self.core, "border": self.border}[kind]

    def share_bps(self, kind: LinkKind, base_bps: int) -> int:
        """The same of a link with this base, bit/s, floored; 0 where it has no share. Admission, the watch over shrunken
        shares, the database's own shares and the pages all ask here.
        """
        share = self.share(kind)
        return 0 if share is None else share.of(base_bps)
