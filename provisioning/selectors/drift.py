"""Reservations whose traffic routers send otherwise than it is charged, as last seen."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import QuerySet

from provisioning.models import Reservation
from provisioning.pipeline.units import how_many


def drifting() -> QuerySet[Reservation]:
    """Those that are live and were seen to differ, by request."""
    rows = Reservation.objects.filter(released_at=None).exclude(drift="")
    return rows.select_related("request__nren").order_by("request")


def drifting_between(a: str, z: str) -> list[Reservation]:
    """Those that differ on the hop between two routers, one way or the other."""
    ends = {a.lower(), z.lower()}
    return [row for row in drifting() if any(set(hop) == ends for hop in row.drift_hops)]


def age(at: datetime, now: datetime) -> str:
    """How old evidence is, roughly: "5 minutes old"."""
    old = max(now - at, timedelta())
    if old < timedelta(hours=2):
        return f"{how_many(int(old.total_seconds() // 60), 'minute')} old"
    if old < timedelta(days=2):
        return f"{how_many(int(old.total_seconds() // 3600), 'hour')} old"
    return f"{how_many(old.days, 'day')} old"
