"""What is charged to the links, as the commitments that admission reckons with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from functools import reduce
from operator import or_

from django.db import connection
from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.expressions import RawSQL

from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.models.spans import LENGTHS, OPEN
from provisioning.pipeline.admission import Policer
from provisioning.pipeline.sls import reckoned_packet_bytes
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow

LinkKey = tuple[str, str, str]
"""Link id, direction, pool."""


def commitments(
    *,
    now: datetime,
    links: Collection[str] | None = None,
    except_requests: Collection[int] = (),
    within: TimeWindow | None = None,
    seen_by: Collection[int] | None = None,
    policers: Collection[Policer] = (),
) -> tuple[Commitment, ...]:
    """Every charge that counts at ``now``, on ``links`` (their ids; None: on all), without those of
    ``except_requests``; with ``within`` those alone that count at an instant of it, at ``now`` or later, with
    ``seen_by`` those of requests that these NRENs (their keys) asked for or receive. What ``policers`` count of them follows.

    What counts, and how long, is said by `counting` and `window_of`.
    """
    rows = counting(now)
    if links is not None:
        rows = rows.filter(link__in=links)
    if except_requests:
        rows = rows.exclude(request_id__in=except_requests)
    if seen_by is not None:
        rows = rows.filter(Q(request__nren__in=seen_by) | Q(request__receiving_nren__in=seen_by))
    fields = ("link", "direction", "pool", "rate_bps", "start", "end", "request_id")
    more = _PACKETS if policers else ()
    read = list((rows if within is None else overlapping(rows, within, now)).values_list(*fields, *more))
    found = [
        Commitment(
            link_direction=LinkDirection(link, Direction(direction)),
            pool=pool,
            rate_bps=rate_bps,
            window=window_of(start, end, now),
            sls_id=f"PIP-{request}",
        )
        for link, direction, pool, rate_bps, start, end, request, *_ in read
    ]
    framed = [
        replace(one, pool=each.pool, rate_bps=each.framed_bps(one.rate_bps, _packet(*row[-3:])))
        for each in policers
        for one, row in zip(found, read, strict=True)
        if one.link_direction == each.load and row[-4] in each.services
    ]
    return (*found, *framed)


_PACKETS = (
    "request__service_class",
    "request__min_packet_bytes",
    "request__max_packet_bytes",
    "request__source_prefixes",
)


def _packet(smallest: int | None, largest: int, prefixes: Collection[str]) -> int:
    only_ipv6 = bool(prefixes) and all(":" in prefix for prefix in prefixes)
    return reckoned_packet_bytes(smallest, largest, only_ipv6=only_ipv6)


def counting(now: datetime) -> QuerySet[LedgerEntry]:
    """The charges that count at ``now`` or later, in no order: what was not released, and of holds what has not lapsed."""
    return LedgerEntry.objects.order_by().filter(Q(hold=None) | Q(lapses_at__gt=now), released_at=None)


def leaving() -> QuerySet[LedgerEntry]:
    """The charges on paths that are being left, in no order: each counts until its move is over. They are of reservations that
    move elsewhere, or of holds.
    """
    return LedgerEntry.objects.order_by().filter(
        moving_since__isnull=False,
        released_at=None,
        request__in=RawSQL(_MAY_LEAVE, ()),  # noqa: S611 - nothing of it is given
    )


def that_move() -> QuerySet[PremiumRequest]:
    """The requests that have such charges, in no order: each is looked at by itself, so that a page of them reads no others."""
    charged = LedgerEntry.objects.filter(
        request=OuterRef("pk"), moving_since__isnull=False, released_at=None
    ).order_by()
    since = charged.values("request").annotate(first=Min("moving_since")).values("first")
    return (
        PremiumRequest.objects.order_by()
        .filter(Exists(charged), pk__in=RawSQL(_MAY_LEAVE, ()))  # noqa: S611 - nothing of it is given
        .annotate(since=Subquery(since))
    )


_MAY_LEAVE = """
    SELECT request_id FROM provisioning_reservation WHERE moving_to IS NOT NULL
    UNION ALL SELECT hold_id FROM provisioning_ledgerentry WHERE hold_id IS NOT NULL AND released_at IS NULL
"""


def window_of(start: datetime, end: datetime | None, now: datetime) -> TimeWindow:
    """While a charge counts. One whose window is over and which was not yet seen gone counts on without an end: it may still
    be on the routers (architecture.md, "capacity stays charged until the reservation is seen gone").
    """
    return TimeWindow(start, None if end is None or end <= now else end)


def overlapping(rows: QuerySet[LedgerEntry], within: TimeWindow, now: datetime) -> QuerySet[LedgerEntry]:
    """Those of ``rows`` that count somewhere in ``within``: a range of one index for each length (models/spans.py), and
    what is over and was not seen gone.
    """
    since = max(within.start, now)
    if within.end is not None:
        rows = rows.filter(start__lt=within.end)
    parts = [Q(end__lte=now), Q(span=OPEN) & (Q(end=None) | Q(end__gt=since))]
    parts += [Q(span=span, start__gt=since - length, end__gt=since) for span, length in enumerate(LENGTHS)]
    if (
        connection.vendor == "sqlite"
    ):  # it takes one index for all that OR joins: the one that has the link alone
        return rows.filter(parts[0]).union(*(rows.filter(part) for part in parts[1:]), all=True)
    return rows.filter(reduce(or_, parts))


def charged_now(*, now: datetime, links: Collection[str] | None = None) -> dict[LinkKey, int]:
    """What is charged at ``now`` by (link id, direction, pool), bit/s, summed in the database; only where there is something.

    Whatever counts and has begun counts at ``now``: what ended and was not seen gone has no end (see `commitments`).
    """
    return _summed(now, links, Q(start__lte=now))


def charged_in_all(*, now: datetime, links: Collection[str] | None = None) -> dict[LinkKey, int]:
    """The sum of all that counts at ``now`` or later by (link id, direction, pool), bit/s: no instant has more than this."""
    return _summed(now, links, Q())


def _summed(now: datetime, links: Collection[str] | None, when: Q) -> dict[LinkKey, int]:
    rows = counting(now).filter(when)
    if links is not None:
        rows = rows.filter(link__in=links)
    found = rows.values_list("link", "direction", "pool").annotate(Sum("rate_bps"))
    return {(link, direction, pool): rate_bps for link, direction, pool, rate_bps in found}


def committed_now(*, now: datetime, links: Collection[str]) -> dict[str, list[dict[str, str | int]]]:
    """What is charged at ``now`` by link id: rows of pool, direction and the sum of rates in bit/s, sorted."""
    found = charged_now(now=now, links=links)
    rows: dict[str, list[dict[str, str | int]]] = {}
    for link, pool, direction in sorted((link, pool, direction) for link, direction, pool in found):
        rate_bps = found[link, direction, pool]
        rows.setdefault(link, []).append({"pool": pool, "direction": direction, "rate_bps": rate_bps})
    return rows
