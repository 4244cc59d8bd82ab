"""Quotas as they stand, and how much of each is used."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from inventory.models import AccessLink, Nren
from provisioning.models import PremiumRequest, Quota
from provisioning.pipeline.change import RequestState
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.ledger import counting, overlapping, window_of

_OPEN = (RequestState.SUBMITTED, RequestState.HELD)


@dataclass(frozen=True)
class Limits:
    """What an NREN may have: rate in bit/s at any instant, open requests, holds at once; None is no bound."""

    rate_bps: int | None = None
    open_requests: int | None = None
    holds: int | None = None

    @property
    def any(self) -> bool:
        """Whether there is a bound at all."""
        return (self.rate_bps, self.open_requests, self.holds) != (None, None, None)


def limits_of(nren: Nren) -> Limits:
    """The quota of the NREN; where it says nothing, its domain's."""
    rows = Quota.objects.filter(Q(nren=nren) | Q(nren=None, domain=nren.domain_id))
    by_whom = {row.nren_id is not None: row for row in rows}
    chosen = [by_whom[own] for own in (True, False) if own in by_whom]

    def first(name: str) -> int | None:
        return next((value for row in chosen if (value := getattr(row, name)) is not None), None)

    return Limits(first("rate_bps"), first("open_requests"), first("holds"))


def open_requests(nren: Nren) -> int:
    """How many of its requests are not decided; both ways are two, a series is one."""
    return _counted(nren, _OPEN)


def holds(nren: Nren) -> int:
    """How many of its requests are held; both ways are two, a series is one."""
    return _counted(nren, (RequestState.HELD,))


def held_and_granted(
    nren: Nren, *, within: TimeWindow, now: datetime, except_requests: Collection[int] = ()
) -> tuple[Commitment, ...]:
    """What the requests of the NREN hold or were granted at an instant of ``within``: each is charged on one of its access
    links, on its way in or, of the other way, out.
    """
    links = AccessLink.objects.filter(nren=nren).values("name")
    rows = counting(now).filter(link__in=list(links.values_list("name", flat=True)), request__nren=nren)
    if except_requests:
        rows = rows.exclude(request_id__in=except_requests)
    found = overlapping(rows, within, now).values_list("request_id", "link", "rate_bps", "start", "end")
    # One within the NREN is charged on both of its links: it is one all the same.
    each = {request: (link, rate, start, end) for request, link, rate, start, end in found}
    return tuple(
        Commitment(LinkDirection(link, Direction.IN), "", rate, window_of(start, end, now), f"PIP-{request}")
        for request, (link, rate, start, end) in each.items()
    )


def _counted(nren: Nren, states: Collection[RequestState]) -> int:
    rows = PremiumRequest.objects.filter(nren=nren, state__in=[str(state) for state in states]).order_by()
    again = rows.filter(series__isnull=False).values("series").distinct().count()
    return rows.filter(series=None).count() + again
