"""Whether what a request was granted still fits the network as it is now, and where not; and whether its path is moving."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.pipeline.admission import Overcommitment, Reason, overcommitments, reach
from provisioning.selectors import topology
from provisioning.selectors.ledger import commitments, window_of
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of


@dataclass(frozen=True)
class Fit:
    """``over`` are the stretches in which it does not fit, by link; ``moving_since`` when its path began to move;
    ``no_path`` why the network has no path for it any more, empty where it has one; ``leaves`` and ``takes`` the links that
    only the path it leaves has, and those of its path of now, in order, as far as it is charged on them.
    """

    over: tuple[Overcommitment, ...]
    moving_since: datetime | None
    no_path: str = ""
    leaves: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether it fits everywhere at every instant from now on."""
        return not self.over and not self.no_path

    def on(self, links: Collection[str] | None) -> tuple[Overcommitment, ...]:
        """What is over on these links (None: on all)."""
        return tuple(each for each in self.over if links is None or each.link in links)

    @property
    def start(self) -> datetime | None:
        """From when on it does not fit; None when it fits."""
        return min((each.start for each in self.over), default=None)

    @property
    def end(self) -> datetime | None:
        """Until when it does not fit; None for an open end, and when it fits."""
        ends = [each.end for each in self.over]
        return None if None in ends else max((end for end in ends if end is not None), default=None)

    def to_json(self, links: Collection[str] | None) -> dict[str, Any]:
        """For a reader who may see numbers of these links alone (None: of all): rates in bit/s, instants in ISO 8601."""
        return {
            "fits": self.fits,
            "start": _out(self.start),
            "to": _out(self.end),
            "moving_since": _out(self.moving_since),
            "no_path": bool(self.no_path),
            "links": [
                {
                    "link": each.link,
                    "direction": each.direction.value,
                    "start": _out(each.start),
                    "to": _out(each.end),
                    "granted_bps": each.granted_bps,
                    "share_bps": each.share_bps,
                    "shortfall_bps": each.excess_bps,
                }
                for each in self.on(links)
            ],
        }


def fit_of(request: PremiumRequest, *, now: datetime) -> Fit | None:
    """How a request that holds capacity fits now; None for one that holds none.

    Raises InvalidInput when the domain's scheme cannot be read.
    """
    rows = LedgerEntry.objects.filter(request=request, released_at=None)
    held = list(rows.order_by("pk").values_list("link", "moving_since"))
    if not held:
        return None
    since = min((since for _, since in held if since is not None), default=None)
    known = topology.current(request.nren.domain)
    scheme = scheme_of(known.domain)
    start = max(now, request.start)
    window = window_of(start, request.end, start)
    # A link that was taken away has no share to exceed: the path that led over it moves, or there is none.
    there = {link for link, _ in held if known.network.link(link) is not None}
    beside = commitments(now=now, links=there, within=window)
    over = (
        each
        for each in overcommitments(known.network, scheme, beside, window.start)
        if request.reference in each.sls_ids and (window.end is None or each.start < window.end)
    )
    found = reach(known.network, scheme, sls_of(request))
    stays = {link for link, moves in held if moves is None}
    leaves = dict.fromkeys(link for link, moves in held if moves is not None and link not in stays)
    hops = () if isinstance(found, Reason) else found.hops
    takes = dict.fromkeys(hop.link for hop in hops if hop.link in stays)
    why = found.text if isinstance(found, Reason) else ""
    return Fit(tuple(over), since, why, tuple(leaves), tuple(takes))


def _out(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat()
