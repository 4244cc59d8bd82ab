"""Capacities that change with time, as admission reckons with them."""

from __future__ import annotations

from decimal import Decimal

from django.db.models import QuerySet

from inventory.models import Domain
from provisioning.models import CapacityChange
from provisioning.pipeline.topology import LinkCapacity, Planned, PoolShare
from provisioning.pipeline.units import TimeWindow


def planned(domain: Domain) -> tuple[Planned, ...]:
    """Everything that was said and not taken back, in one order. Like links, it is part of a version of the topology."""
    return tuple(sorted((as_value(row) for row in standing(domain).order_by()), key=str))


def standing(domain: Domain) -> QuerySet[CapacityChange]:
    """The rows that count, in order of time."""
    return CapacityChange.objects.filter(domain=domain, taken_back_at=None).order_by("start", "pk")


def as_value(row: CapacityChange) -> Planned:
    """A row as the pipeline's value."""
    window = TimeWindow(row.start, row.end)
    if row.link:
        return LinkCapacity(row.link, row.usable_bps or 0, window)
    return PoolShare(row.pool, row.kind, row.percent or Decimal(0), window)  # type: ignore[arg-type]
