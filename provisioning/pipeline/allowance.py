"""What a pool may take of a link over time: its share, which planned work and dates make less or more of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from provisioning.pipeline.scheme import Pool, Share
from provisioning.pipeline.timeline import Segment, Timeline
from provisioning.pipeline.topology import LinkValue, Network, edges, in_force, still
from provisioning.pipeline.units import TimeWindow

EVER = datetime.min.replace(tzinfo=UTC)
"""Before everything."""


@dataclass(frozen=True)
class Allowance:
    """``standing`` bit/s until the first of ``steps``, (from when on, bit/s), then as they say."""

    standing: int
    steps: tuple[tuple[datetime, int], ...] = ()

    @property
    def top(self) -> int:
        """The most it ever is."""
        return max(self.standing, *(bps for _, bps in self.steps), self.standing)

    @property
    def values(self) -> frozenset[int]:
        """Everything it ever is."""
        return frozenset({self.standing, *(bps for _, bps in self.steps)})

    def at(self, instant: datetime) -> int:
        """What it is at an instant, bit/s."""
        return next((bps for start, bps in reversed(self.steps) if start <= instant), self.standing)

    def lowest(self, window: TimeWindow) -> int:
        """The least it is in a window, bit/s."""
        return min(each.rate_bps for each in self.segments(window))

    def segments(self, window: TimeWindow) -> Iterator[Segment]:
        """The stretches of a window in which it stays the same."""
        start, bps = window.start, self.at(window.start)
        for at, following in self.steps:
            if at > start and (window.end is None or at < window.end):
                yield Segment(start, at, bps)
                start, bps = at, following
        yield Segment(start, window.end, bps)

    def beside(self, committed: Timeline) -> Timeline:
        """What is committed and what is withheld of `top`, in sum: free is what `top` has more."""
        if not self.steps:
            return committed
        return committed.with_levels(
            ((EVER, self.top - self.standing), *((at, self.top - bps) for at, bps in self.steps))
        )


def allowance(network: Network, pool: Pool, link: LinkValue, since: datetime | None = None) -> Allowance:
    """What the pool may take of the link; what is over at `since` (None: nothing is) says nothing."""
    standing = pool.share_bps(link.kind, link.base_bps)
    if not network.planned:
        return Allowance(standing)
    carried = still(network.capacities_of.get(link.id, ()), since)
    shares = still(network.shares_of.get((pool.name, link.kind), ()), since)
    steps: list[tuple[datetime, int]] = []
    last = standing
    for at in edges((*carried, *shares)):
        newest, bounded = in_force(carried, at)
        usable = min(
            [link.usable_bps if newest is None else newest.usable_bps, *(each.usable_bps for each in bounded)]
        )
        base = min(link.bw_bps, usable)
        share = pool.share(link.kind)
        lasting, limits = in_force(shares, at)
        bps = (
            0
            if share is None
            else min(
                (share if lasting is None else _percent(share, lasting.percent)).of(base),
                *(_percent(share, each.percent).of(base) for each in limits),
                base,
            )
        )
        if bps != last:
            steps.append((at, bps))
            last = bps
    return Allowance(standing, tuple(steps))


def allowance_of(network: Network, pool: Pool | None, link: str, since: datetime | None = None) -> Allowance:
    """The same by the link's id; nothing for a link, or a pool, that there is no more."""
    found = network.link(link)
    return Allowance(0) if found is None or pool is None else allowance(network, pool, found, since)


def _percent(share: Share, percent: object) -> Share:
    return replace(share, percent=percent, rate_bps=None, payload=None)  # type: ignore[arg-type]
