"""Quotas as they stand, and how much of each is used."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from inventory.models import AccessLink, Domain, Nren
from provisioning.models import PremiumRequest, Quota
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.timeline import Commitment, Timeline
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow, how_many, rate_text
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

    def __str__(self) -> str:
        rate = "no bound of the rate" if self.rate_bps is None else rate_text(self.rate_bps)
        return f"{rate}, {_bound(self.open_requests, 'open request')}, {_bound(self.holds, 'hold')}"


def _bound(value: int | None, noun: str) -> str:
    return f"no bound of {noun}s" if value is None else how_many(value, noun)


def limits_of(nren: Nren) -> Limits:
    """The quota of the NREN; where it says nothing, its domain's."""
    rows = Quota.objects.filter(Q(nren=nren) | Q(nren=None, domain=nren.domain_id))
    by_whom = {row.nren_id is not None: row for row in rows}
    chosen = [by_whom[own] for own in (True, False) if own in by_whom]

    def first(name: str) -> int | None:
        return next((value for row in chosen if (value := getattr(row, name)) is not None), None)

    return Limits(first("rate_bps"), first("open_requests"), first("holds"))


def undecided(now: datetime) -> Q:
    """The requests that are not decided, and can be still."""
    return Q(state__in=[str(state) for state in _OPEN]) & _not_over(now)


def open_requests(nren: Nren, *, now: datetime) -> int:
    """How many of its requests are not decided, and can be still; both ways are two, a series is one."""
    return _counted(nren, undecided(now))


def holds(nren: Nren, *, now: datetime) -> int:
    """How many of its requests are held; both ways are two, a series is one. A hold is over at its instant, not when a tick
    has seen it.
    """
    return _counted(nren, Q(state=str(RequestState.HELD), held_until__gt=now) & _not_over(now))


def held_and_granted(
    nren: Nren,
    *,
    within: TimeWindow,
    now: datetime,
    except_requests: Collection[int] = (),
    granted_to: Collection[int] | None = None,
) -> tuple[Commitment, ...]:
    """What the requests of the NREN hold or were granted at an instant of ``within``: each is charged on one of its access
    links, on its way in or, of the other way, out. ``granted_to``: only what these requests (keys) were granted.
    """
    links = AccessLink.objects.filter(nren=nren).values("name")
    rows = counting(now).filter(link__in=list(links.values_list("name", flat=True)), request__nren=nren)
    if except_requests:
        rows = rows.exclude(request_id__in=except_requests)
    if granted_to is not None:
        rows = rows.filter(request_id__in=granted_to, hold=None)
    found = overlapping(rows, within, now).values_list("request_id", "link", "rate_bps", "start", "end")
    # One within the NREN is charged on both of its links, and is one all the same; on one link it has several charges while it
    # becomes something else (services/terms).
    counted: dict[int, str] = {}
    return tuple(
        Commitment(LinkDirection(link, Direction.IN), "", rate, window_of(start, end, now), f"PIP-{request}")
        for request, link, rate, start, end in sorted(found, key=lambda row: row[:2])
        if counted.setdefault(request, link) == link
    )


@dataclass(frozen=True)
class Used:
    """What an NREN may have, and has: the most of its rates at an instant from now on (bit/s, and when), open requests, holds."""

    limits: Limits
    rate_bps: int
    rate_at: datetime | None
    open_requests: int
    holds: int


def used_of(nren: Nren, *, now: datetime) -> Used:
    """The quota of the NREN, and how much of it is used."""
    onwards = TimeWindow(now)
    peak = Timeline.of(held_and_granted(nren, within=onwards, now=now)).peak(onwards)
    at = peak.at if peak.rate_bps else None
    return Used(limits_of(nren), peak.rate_bps, at, open_requests(nren, now=now), holds(nren, now=now))


def standing_limits(domain: Domain, nren: Nren | None) -> Limits:
    """What was set for this NREN itself, or (None) for each that has none of its own."""
    row = Quota.objects.filter(domain=domain, nren=nren).first()
    return Limits(row.rate_bps, row.open_requests, row.holds) if row else Limits()


def _not_over(now: datetime) -> Q:
    return Q(end=None) | Q(end__gt=now)


def _counted(nren: Nren, those: Q) -> int:
    rows = PremiumRequest.objects.filter(those, nren=nren).order_by()
    again = rows.filter(series__isnull=False).values("series").distinct().count()
    return rows.filter(series=None).count() + again
