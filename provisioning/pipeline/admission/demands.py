"""What one rate takes of a link direction and pool, for all that is asked at once: at layer 3 once for each, and where a policer
counts frames with the headers of each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from provisioning.pipeline.timeline import Timeline
from provisioning.pipeline.topology import LinkDirection, layer2_bps

LAYER_3 = (1, 0)
"""Packet and header of what is counted as it is asked."""


@dataclass(frozen=True)
class Demand:
    """One load of one Sls: the share in bit/s and what *others* hold on it over time. ``packet`` are the bytes of the packet it
    is counted with and of the header of each.
    """

    load: LinkDirection
    pool: str
    share_bps: int
    committed: Timeline
    packet: tuple[int, int] = LAYER_3


@dataclass(frozen=True)
class Taken:
    """All demands on one link direction and pool: the share, what others hold, and the packets of each demand."""

    share_bps: int
    committed: Timeline
    packets: tuple[tuple[int, int], ...]

    def of(self, rate_bps: int) -> int:
        """What a rate takes of the share, bit/s."""
        return sum(layer2_bps(rate_bps, packet, header) for packet, header in self.packets)

    def most(self, free_bps: int) -> int:
        """The highest rate that takes no more than this, bit/s; 0 or less where there is none."""
        whole = sum(Fraction(packet + header, packet) for packet, header in self.packets)
        rate = int(free_bps // whole)
        while rate > 0 and self.of(rate) > free_bps:  # each of them is rounded up
            rate -= 1
        return rate


def taken(demands: Iterable[Demand]) -> tuple[Taken, ...]:
    """Demands by what they load."""
    found: dict[tuple[LinkDirection, str], Taken] = {}
    for each in demands:
        key = each.load, each.pool
        before = found[key].packets if key in found else ()
        found[key] = Taken(each.share_bps, each.committed, (*before, each.packet))
    return tuple(found.values())
