"""What is charged to the links, as the commitments that admission reckons with."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q, Sum

from provisioning.models import LedgerEntry
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow

LinkKey = tuple[str, str, str]
"""Link id, direction, pool."""


def commitments(
    *, now: datetime, links: Collection[str] | None = None, except_requests: Collection[int] = ()
) -> tuple[Commitment, ...]:
    """Every charge that counts at ``now``, on ``links`` (their ids; None: on all), without those of
    ``except_requests``.

    A reservation whose window is over and which was not yet seen gone counts on without an end: it may still
    be on the routers (architecture.md, "capacity stays charged until the reservation is seen gone"). A hold
    counts until it lapses.
    """
    rows = LedgerEntry.objects.filter(released_at=None).filter(Q(hold=None) | Q(lapses_at__gt=now))
    if links is not None:
        rows = rows.filter(link__in=links)
    if except_requests:
        rows = rows.exclude(reservation__request_id__in=except_requests).exclude(hold_id__in=except_requests)
    return tuple(
        Commitment(
            link_direction=LinkDirection(row.link, Direction(row.direction)),
            pool=row.pool,
            rate_bps=row.rate_bps,
            window=_counted(row, now),
            sls_id=f"PIP-{row.hold_id if row.reservation is None else row.reservation.request_id}",
        )
        for row in rows.select_related("reservation").order_by("pk")
    )


def _counted(row: LedgerEntry, now: datetime) -> TimeWindow:
    overdue = row.end is not None and row.end <= now
    return TimeWindow(row.start, None if overdue else row.end)


def charged_now(*, now: datetime, links: Collection[str] | None = None) -> dict[LinkKey, int]:
    """What is charged at ``now`` by (link id, direction, pool), bit/s, summed in the database; only where there is something.

    Whatever counts and has begun counts at ``now``: what ended and was not seen gone has no end (see `commitments`).
    """
    return _summed(now, links, Q(start__lte=now))


def charged_in_all(*, now: datetime) -> dict[LinkKey, int]:
    """The sum of all that counts at ``now`` or later by (link id, direction, pool), bit/s: no instant has more than this."""
    return _summed(now, None, Q())


def _summed(now: datetime, links: Collection[str] | None, when: Q) -> dict[LinkKey, int]:
    rows = LedgerEntry.objects.filter(when, Q(hold=None) | Q(lapses_at__gt=now), released_at=None)
    if links is not None:
        rows = rows.filter(link__in=links)
    found = rows.order_by().values_list("link", "direction", "pool").annotate(Sum("rate_bps"))
    return {(link, direction, pool): rate_bps for link, direction, pool, rate_bps in found}


def committed_now(*, now: datetime, links: Collection[str]) -> dict[str, list[dict[str, str | int]]]:
    """What is charged at ``now`` by link id: rows of pool, direction and the sum of rates in bit/s, sorted."""
    found = charged_now(now=now, links=links)
    rows: dict[str, list[dict[str, str | int]]] = {}
    for link, pool, direction in sorted((link, pool, direction) for link, direction, pool in found):
        rate_bps = found[link, direction, pool]
        rows.setdefault(link, []).append({"pool": pool, "direction": direction, "rate_bps": rate_bps})
    return rows
