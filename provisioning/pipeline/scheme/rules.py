"""What a scheme says beside its shares: who may receive, how deep a bucket may be, what may fail, how busy a router may get."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Word = Literal["admit", "warn", "refuse"]

_UNSAID = "the scheme does not say"


@dataclass(frozen=True)
class Receivers:
    """What becomes of a request to an access link that does not take part in its class.

    Such a link's input policy carries nothing of the class, or a neighbour's agreement maps none of its DSCPs. ``warn``
    where a scheme does not say: never without a word.
    """

    without_the_class: Word = "warn"
    provenance: str = _UNSAID
    is_choice: bool = True


@dataclass(frozen=True)
class TooShallow:
    """What becomes of a bucket that does not hold the largest packet with the layer 2 header it enters with."""

    then: Word = "refuse"
    provenance: str = "a policer that counts the frame passes no such packet"
    is_choice: bool = True


@dataclass(frozen=True)
class BucketDelay:
    """How long a full bucket of a real-time class may keep the slowest link of its path busy, ms; None: no limit."""

    warn_above_ms: int | None = 50
    refuse_above_ms: int | None = None
    provenance: str = _UNSAID
    is_choice: bool = True


@dataclass(frozen=True)
class Buckets:
    """How deep the bucket of a request may be."""

    too_shallow: TooShallow = TooShallow()
    delay: BucketDelay = BucketDelay()


@dataclass(frozen=True)
class Policers:
    """What becomes of a request that a policer which is a cap cannot keep: with the header of each packet, and what else it
    counts, more than it lets through (`topology.framing`). ``admit`` where a scheme does not say: what was decided before it
    could say so follows from its text as it did.
    """

    cannot_keep: Word = "admit"
    provenance: str = _UNSAID
    is_choice: bool = True


@dataclass(frozen=True)
class SingleFailures:
    """Which single failures are counted, and what becomes of a request that one of them leaves without its capacity.

    ``admit``: it is admitted, and named as unprotected. ``refuse``: only what stays within every share after any single
    failure is admitted.
    """

    count: Literal["links", "links-and-routers", "none"] = "links"
    unprotected: Literal["admit", "refuse"] = "admit"
    provenance: str = _UNSAID
    is_choice: bool = True


LEAST_TOLD_PERCENT = Decimal("0.1")
"""Fewer packets dropped are called none (`pipeline.usage.verdicts.LOST_SHARE`), so nobody would be told of them."""


@dataclass(frozen=True)
class Telling:
    """In which steps an NREN asks for rates, and in which it is told what others hold on links that are not its own, bit/s.

    The second is a multiple of the first. ``drops_percent``: from which share of its reserved traffic dropped, at two looks in a
    row, a sender is told, None where the installation's setting says; ``quiet_looks``: after how many looks without a drop
    that is over.
    """

    rates_in_bps: int = 1000
    others_in_bps: int = 100_000
    drops_percent: Decimal | None = None
    quiet_looks: int = 3
    provenance: str = _UNSAID
    is_choice: bool = True


@dataclass(frozen=True)
class RouterHealth:
    """How busy a router's processor may be after a push, in per cent, that was not as busy before it (pipeline.health)."""

    cpu_percent: int = 90
    provenance: str = _UNSAID
    is_choice: bool = True
