"""Capacity that changes with time: what a link can carry, or a pool may take of links, from a date on or between two dates.

Of changes from a date on, the one that began last holds; between two dates the smallest of all holds, so that planned work never
adds to what there is. Work that is over says nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, TypeVar

from provisioning.errors import InvalidInput
from provisioning.pipeline.units import TimeWindow, instant_text, rate_text

if TYPE_CHECKING:
    from provisioning.pipeline.scheme import LinkKind  # a network is read without a scheme


@dataclass(frozen=True)
class LinkCapacity:
    """What a link can carry, bit/s, while ``window`` lasts; in force wherever shares are of min(BW, usable)."""

    link: str
    usable_bps: int
    window: TimeWindow

    def __post_init__(self) -> None:
        if self.usable_bps < 0:
            raise InvalidInput(f"a capacity is never negative: {self.usable_bps}", field="usable_bps")

    def __str__(self) -> str:
        return f"{self.link} carries {rate_text(self.usable_bps)} {_when(self.window)}"


@dataclass(frozen=True)
class PoolShare:
    """What a pool may take of every link of a kind, per cent, while ``window`` lasts."""

    pool: str
    kind: LinkKind
    percent: Decimal
    window: TimeWindow

    def __post_init__(self) -> None:
        if not 0 <= self.percent <= 100:
            raise InvalidInput(f"a share lies between 0 and 100 per cent: {self.percent}", field="percent")
        if round(self.percent, 3) != self.percent:
            raise InvalidInput("a share has three decimals at most", field="percent")
        plain = f"{self.percent:f}"
        shortest = plain.rstrip("0").rstrip(".") if "." in plain else plain
        object.__setattr__(self, "percent", Decimal(shortest or "0"))

    def __str__(self) -> str:
        return f"{self.pool} takes {self.percent} % of {self.kind} links {_when(self.window)}"


Planned = LinkCapacity | PoolShare
Change = TypeVar("Change", LinkCapacity, PoolShare)


def in_force(changes: Iterable[Change], at: datetime) -> tuple[Change | None, tuple[Change, ...]]:
    """Of `changes` of one thing: the one that holds from a date on, None where none has begun; and those between two dates that
    last at this instant.
    """
    found = [each for each in changes if each.window.contains(at)]
    lasting = [each for each in found if each.window.end is None]
    newest = max(lasting, key=lambda each: each.window.start, default=None)
    return newest, tuple(each for each in found if each.window.end is not None)


def still(changes: Sequence[Change], since: datetime | None) -> list[Change]:
    """Those that are not over at `since`."""
    return [each for each in changes if since is None or each.window.end is None or each.window.end > since]


def edges(changes: Iterable[Planned]) -> list[datetime]:
    """Every instant at which one of them begins or ends, in order."""
    instants = {each.window.start for each in changes}
    return sorted(instants | {each.window.end for each in changes if each.window.end is not None})


def _when(window: TimeWindow) -> str:
    start = f"from {instant_text(window.start)}"
    return f"{start} on" if window.end is None else f"{start} to {instant_text(window.end)}"
