"""What holds capacity, and what a single failure does to it. Rates are bit/s at layer 3, instants UTC, windows half-open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from provisioning.pipeline.topology import Ends, Failure, LinkDirection
from provisioning.pipeline.units import TimeWindow, instant_text, rate_text


class Piece(NamedTuple):
    """A charge on one link direction: a rate during a window."""

    load: LinkDirection
    rate_bps: int
    window: TimeWindow


Row = tuple[int, int, int, int, str, str, str]
"""A charge as it is read by the hundred thousand: start and end in microseconds since 1970 (`units.OPEN_TICKS`: no end), rate in
bit/s, key of the request, link, direction, pool."""


@dataclass(frozen=True)
class Held:
    """Everything one request holds in a pool, and between which routers its traffic goes."""

    id: str
    ends: Ends
    pool: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Overload:
    """A stretch in which a link carries more than its share after a failure, because traffic came there for it.

    ``load_bps`` is the most in that time; ``ids`` are all that are on the link in it, sorted: none of them is told from the
    others in a queue. ``arrived`` are those among them that came for the failure.
    """

    failure: Failure
    load: LinkDirection
    pool: str
    share_bps: int
    load_bps: int
    start: datetime
    end: datetime | None
    ids: tuple[str, ...]
    arrived: tuple[str, ...]

    @property
    def excess_bps(self) -> int:
        """By how much the share is exceeded."""
        return self.load_bps - self.share_bps

    def __str__(self) -> str:
        until = "open end" if self.end is None else instant_text(self.end)
        return (
            f"after {self.failure} fails, {self.load} carries up to {rate_text(self.load_bps)} on a share of "
            f"{rate_text(self.share_bps)}: {rate_text(self.excess_bps)} too much from {instant_text(self.start)} to {until}"
        )


@dataclass(frozen=True)
class Cut:
    """A request that a failure leaves without any path, for as long as it is charged on what fails."""

    failure: Failure
    id: str
    start: datetime
    end: datetime | None

    def __str__(self) -> str:
        until = "open end" if self.end is None else instant_text(self.end)
        return f"after {self.failure} fails, {self.id} has no path from {instant_text(self.start)} to {until}"


@dataclass(frozen=True)
class Shift:
    """A link direction whose load a failure changes: the most there at any instant before and after it, and the least that
    its share is.
    """

    load: LinkDirection
    pool: str
    share_bps: int
    before_bps: int
    after_bps: int


@dataclass(frozen=True)
class Effect:
    """What one failure does. ``rerouted`` take another way, ``ended`` begin or end on the router that failed, sorted."""

    failure: Failure
    overloads: tuple[Overload, ...] = ()
    cuts: tuple[Cut, ...] = ()
    rerouted: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    shifts: tuple[Shift, ...] = ()

    @property
    def unprotected(self) -> frozenset[str]:
        """Whoever does not keep what was promised."""
        return frozenset(cut.id for cut in self.cuts).union(*(each.ids for each in self.overloads))


@dataclass(frozen=True)
class Exposure:
    """Why one request is unprotected: the failure, from when until when, and, unless it is cut off then, the link, the amount by
    which the share there is exceeded, and the share.
    """

    failure: Failure
    start: datetime
    end: datetime | None
    load: LinkDirection | None = None
    share_bps: int | None = None
    load_bps: int | None = None

    @property
    def cut_off(self) -> bool:
        """Whether no path is left."""
        return self.load is None

    @property
    def excess_bps(self) -> int | None:
        """By how much the share is exceeded; None when no path is left."""
        return None if self.share_bps is None or self.load_bps is None else self.load_bps - self.share_bps
