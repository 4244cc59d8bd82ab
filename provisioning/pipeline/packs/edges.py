"""What stands behind a pack: the edge of the backbone where its traffic enters, and what that edge does with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from provisioning.pipeline.scheme import PoliceTemplate, Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import (
    AccessLinkValue,
    Framing,
    framing_or_longest,
    layer2_bytes,
    layer3_bytes,
)
from provisioning.pipeline.units import share_of

_DOCUMENTED_MS = 4
"""The bucket of a percent policer nobody wrote one for, by the manuals; routers were seen to take 250 ms (ios-facts 1.3)."""


class Excess(StrEnum):
    """What happens at the edge to what is above the rate."""

    DROPPED = "dropped"
    LET_THROUGH = "let through"
    UNPOLICED = "unpoliced"


@dataclass(frozen=True)
class Edge:
    """The access interface and its policer. ``bucket_bytes`` counts frames: what of the policer's bucket is there for this
    request; ``written`` whether a router was told so, else it is the least that it may have taken by itself. Where nothing is
    dropped it is the request's own. ``coloured``: the class has drop precedences, and the sender's packets carry them: the edge
    gives none.
    """

    interface: str
    excess: Excess
    bucket_bytes: int
    written: bool = True
    coloured: bool = False

    @property
    def framing(self) -> Framing:
        """Of the access interface, and so of the other end of its line."""
        return framing_or_longest(self.interface)

    @property
    def shapes(self) -> bool:
        """Whether who sends too fast loses by it: then a shaper helps, else it only takes away."""
        return self.excess is not Excess.LET_THROUGH and not self.coloured

    def passes_at_once(self, sls: Sls) -> int:
        """How many bytes of layer 3 the policer surely passes at once, of as many as the request may send so."""
        header = self.framing.header_bytes
        return min(sls.bucket_bytes, layer3_bytes(self.bucket_bytes, sls.smallest_packet_bytes, header))


def edge_of(scheme: Scheme, link: AccessLinkValue, sls: Sls) -> Edge:
    """The edge that `sls` enters at on its source link.

    A policer to grants has the buckets of its grants, so each has its own; the cap of a whole link has one that the scheme
    writes or the router takes. Raises InvalidInput for a class or a case that the scheme does not have.
    """
    service = scheme.service_class(sls.service_class)
    entry = scheme.case_policy(link.case).carrying(service.name)
    police = None if entry is None else entry.police
    own = layer2_bytes(
        sls.bucket_bytes, sls.smallest_packet_bytes, framing_or_longest(link.interface).header_bytes
    )
    marked = entry is not None and (entry.set_dscp is not None or _marks(entry.police))
    coloured = bool(service.lower_dscps) and not marked
    if police is None:
        return Edge(link.interface, Excess.UNPOLICED, own, coloured=coloured)
    if police.exceed != "drop":
        return Edge(link.interface, Excess.LET_THROUGH, own, coloured=coloured)
    if scheme.policer == "grants" or link.dscp_map:
        return Edge(link.interface, Excess.DROPPED, own, coloured=coloured)
    if police.burst_bytes is not None:
        return Edge(link.interface, Excess.DROPPED, police.burst_bytes, coloured=coloured)
    cap = police.rate_bps if police.percent is None else share_of(link.base_bps, police.percent)
    least = (cap or 0) * _DOCUMENTED_MS // 8000
    return Edge(link.interface, Excess.DROPPED, least, written=False, coloured=coloured)


def _marks(police: PoliceTemplate | None) -> bool:
    return police is not None and police.conform.startswith("set-")
