"""Promises that no longer fit: a link whose share has become smaller than what is granted on it.

Admission never grants past a share, but a share can shrink under what was granted: an import lowers BW or usable
capacity, or a router is read and shows a lower BW (architecture.md: the base is min of both). Nothing is taken away for
it; a person has to know (D4.4.2v2 section 2.4.1: the maximum on each access link).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from provisioning.pipeline.allowance import allowance_of
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.timeline import Commitment, Timeline
from provisioning.pipeline.topology import Direction, LinkDirection, Network
from provisioning.pipeline.units import TimeWindow, instant_text, rate_text


@dataclass(frozen=True)
class Overcommitment:
    """A stretch of time in which more is granted on a link direction than its share, bit/s at layer 3.

    `share_bps` is 0 for a link or a pool that there is no more. `sls_ids` are all that are on in that time, sorted.
    """

    link: str
    direction: Direction
    pool: str
    share_bps: int
    granted_bps: int
    start: datetime
    end: datetime | None
    sls_ids: tuple[str, ...]

    @property
    def excess_bps(self) -> int:
        """By how much the grants exceed the share."""
        return self.granted_bps - self.share_bps

    def __str__(self) -> str:
        until = "open end" if self.end is None else instant_text(self.end)
        return (
            f"{self.link} {self.direction}: {', '.join(self.sls_ids)} hold up to {rate_text(self.granted_bps)}, the share is "
            f"now {rate_text(self.share_bps)}: {rate_text(self.excess_bps)} too much "
            f"from {instant_text(self.start)} to {until}"
        )


def overcommitments(
    network: Network, scheme: Scheme, commitments: Iterable[Commitment], since: datetime
) -> tuple[Overcommitment, ...]:
    """Every stretch from `since` on in which `commitments` exceed a share, by link, direction, pool and time."""
    charged: defaultdict[tuple[LinkDirection, str], list[Commitment]] = defaultdict(list)
    for each in commitments:
        charged[each.link_direction, each.pool].append(each)
    window = TimeWindow(since)
    found: list[Overcommitment] = []
    for (load, pool), held in charged.items():
        timeline = Timeline.of(held)
        allowed = allowance_of(network, scheme.pools.get(pool), load.link, since)
        for share_bps, over in (
            (part.rate_bps, over)
            for part in allowed.segments(window)
            for over in timeline.above(part.rate_bps, TimeWindow(part.start, part.end))
        ):
            stretch = TimeWindow(over.start, over.end)
            names = {each.sls_id for each in held if each.window.overlaps(stretch)}
            found.append(
                Overcommitment(
                    load.link,
                    load.direction,
                    pool,
                    share_bps,
                    over.rate_bps,
                    over.start,
                    over.end,
                    tuple(sorted(names, key=lambda name: (len(name), name))),  # PIP-9 before PIP-10
                )
            )
    return tuple(sorted(found, key=lambda each: (each.link, each.direction.value, each.pool, each.start)))
