"""What is reserved between each two NRENs: now, and at the peak to come."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.db.models import BigIntegerField, Count, Q, Sum, Value
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse

from inventory.models import Nren
from provisioning.models import PremiumRequest
from provisioning.models.ticks import Ticks
from provisioning.pipeline.failures import Span, highest_everywhere
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import OPEN_TICKS, ticks_of

MOST = 24
"""NRENs on either side of the matrix: those with the most at the peak to come."""


@dataclass(frozen=True)
class Cell:
    """What one NREN has reserved towards another (key None: anywhere), bit/s, and how many reservations that are."""

    now_bps: int
    peak_bps: int
    count: int
    url: str


@dataclass(frozen=True)
class Matrix:
    """Rows are senders: (name, key, a cell for each column or None); columns receivers. ``more`` pairs are not on it."""

    columns: tuple[tuple[str, int | None], ...]
    rows: tuple[tuple[str, int, tuple[Cell | None, ...]], ...]
    more: int


def matrix_of(now: datetime) -> Matrix:
    """Return the matrix of what is granted and not over; all of it is read, once."""
    granted = PremiumRequest.objects.order_by().filter(
        state__in=[RequestState.ADMITTED.value, RequestState.ACTIVE.value], reservation__isnull=False
    )
    begins = Ticks(Greatest("start", now))
    ends = Coalesce(Ticks("end"), Value(OPEN_TICKS), output_field=BigIntegerField())
    rows = granted.filter(Q(end=None) | Q(end__gt=now)).values_list("nren", "receiving_nren", begins, ends)
    places: dict[tuple[int, int | None], int] = {}
    spans, current, counts = [], Counter[int](), Counter[int]()
    at = ticks_of(now)
    # What has one window is added up by the database; and no row goes through the mapper's conversions: these are numbers.
    statement, words = rows.annotate(Sum("reservation__granted_bps"), Count("pk")).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(statement, words)
        for sender, receiver, start, end, bps, count in cursor.fetchall():
            place = places.setdefault((sender, receiver), len(places))
            counts[place] += count
            if start <= at:
                current[place] += int(bps)
            spans.append(Span(start, end, int(bps), 0, "", (place,)))
    peaks = highest_everywhere(spans, len(places))
    most: Counter[int | None] = Counter()
    for (sender, receiver), place in places.items():
        most[sender] += peaks[place]
        if receiver is not None:
            most[receiver] += peaks[place]
    chosen = {key for key, _ in sorted(most.items(), key=lambda each: (-each[1], each[0] or 0))[:MOST]}
    names = dict(Nren.objects.filter(pk__in=chosen).order_by("name").values_list("pk", "name"))
    senders = [key for key in names if any(sender == key for sender, _ in places)]
    receivers: list[int | None] = [key for key in names if any(receiver == key for _, receiver in places)]
    if any(receiver is None for _, receiver in places):
        receivers.append(None)

    def cell(sender: int, receiver: int | None) -> Cell | None:
        place = places.get((sender, receiver))
        if place is None:
            return None
        return Cell(current[place], peaks[place], counts[place], _url(sender, receiver))

    shown = tuple(
        (names[sender], sender, tuple(cell(sender, receiver) for receiver in receivers)) for sender in senders
    )
    drawn = sum(each is not None for _, _, cells in shown for each in cells)
    columns = tuple(("anywhere" if key is None else names[key], key) for key in receivers)
    return Matrix(columns, shown, len(places) - drawn)


def _url(sender: int, receiver: int | None) -> str:
    asked: dict[str, Any] = {"nren": sender, "active": "today/"}
    if receiver is not None:
        asked["to"] = receiver
    return f"{reverse('web:requests')}?{urlencode(asked)}"
