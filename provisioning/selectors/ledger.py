"""What is charged to the links, as the commitments that admission reckons with."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from provisioning.models import LedgerEntry
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow


def commitments(
    *, now: datetime, links: Collection[str] | None = None, except_requests: Collection[int] = ()
) -> tuple[Commitment, ...]:
    """Every charge that counts at ``now``, on ``links`` (their ids; None: on all), without those of
    ``except_requests``.

    A reservation whose window is over and which was not yet seen gone counts on without an end: it may still
    be on the routers (architecture.md, "capacity stays charged until the reservation is seen gone"). A hold
    counts until it lapses.
    """
    rows = LedgerEntry.objects.filter(released_at=None).filter(Q(hold=None) | Q(hold__held_until__gt=now))
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


def committed_now(*, now: datetime, links: Collection[str]) -> dict[str, list[dict[str, str | int]]]:
    """What is charged at ``now`` by link id: rows of pool, direction and the sum of rates in bit/s, sorted."""
    sums: dict[tuple[str, str, str], int] = {}
    for found in commitments(now=now, links=links):
        if found.window.contains(now):
            key = (found.link_direction.link, found.pool, found.link_direction.direction.value)
            sums[key] = sums.get(key, 0) + found.rate_bps
    rows: dict[str, list[dict[str, str | int]]] = {}
    for (link, pool, direction), rate_bps in sorted(sums.items()):
        rows.setdefault(link, []).append({"pool": pool, "direction": direction, "rate_bps": rate_bps})
    return rows
