"""The network as it changes, as pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min

from provisioning.models import CapacityChange, PremiumRequest, Reservation, TopologyVersion
from provisioning.selectors.capacity import as_value
from provisioning.selectors.drift import drifting
from provisioning.selectors.ledger import leaving

MOST = 200
"""Rows of one kind on a page."""


@dataclass(frozen=True)
class MovingRow:
    """A request that is charged on two paths, since when, and how routers differ from both."""

    request: PremiumRequest
    since: datetime
    drift: str


@dataclass(frozen=True)
class PlannedRow:
    """A change of capacity in words."""

    row: CapacityChange
    text: str


@dataclass(frozen=True)
class NetworkChanges:
    """What the page of the network shows; ``more`` are moving requests that it has no room for."""

    moving: tuple[MovingRow, ...]
    more: int
    drifting: tuple[Reservation, ...]
    planned: tuple[PlannedRow, ...]
    versions: tuple[TopologyVersion, ...]


def network_changes() -> NetworkChanges:
    """Return what moves, what routers do otherwise, what is planned and the last versions."""
    rows = leaving()
    since = dict(rows.values_list("request").annotate(Min("moving_since")).order_by("request")[:MOST])
    count = rows.values("request").distinct().count()
    asked = PremiumRequest.objects.filter(pk__in=since).select_related(
        "nren", "receiving_nren", "reservation"
    )
    planned = CapacityChange.objects.filter(taken_back_at=None).order_by("start", "pk")[:MOST]
    return NetworkChanges(
        tuple(MovingRow(each, since[each.pk], _drift(each)) for each in asked.order_by("pk")),
        max(0, count - len(since)),
        tuple(drifting()[:MOST]),
        tuple(PlannedRow(row, str(as_value(row))) for row in planned),
        tuple(TopologyVersion.objects.order_by("-pk")[:10]),
    )


def links_left_by(request: PremiumRequest) -> list[str]:
    """The links of the path that a request leaves."""
    rows = leaving().filter(request=request).order_by("pk")
    return list(dict.fromkeys(rows.values_list("link", flat=True)))


def _drift(request: PremiumRequest) -> str:
    reservation = getattr(request, "reservation", None)
    return "" if reservation is None else reservation.drift
