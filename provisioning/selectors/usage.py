"""What was used beside what was reserved, as it was counted: of one request, and of the classes of one link."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max, QuerySet

from provisioning.models import Actor, CounterLook, PremiumRequest, Span, UsagePeriod, UsageSeries, Verb
from provisioning.pipeline.usage import NUMBERS, Count, Verdict, judge

LENGTHS: Final = {Span.POLL: timedelta(days=1), Span.HOUR: timedelta(days=14), Span.DAY: timedelta(days=400)}
"""How far back is shown unless somebody asks otherwise."""
STRETCH: Final = {Span.POLL: timedelta(0), Span.HOUR: timedelta(hours=1), Span.DAY: timedelta(days=1)}
"""How long after its moment a point lasts; that of a poll is its end."""
MOST: Final = 5000
"""Points of one answer about a request."""
CLASSES: Final = 20
"""Classes of a link that are shown, those that were counted last."""
_OF_A_FLOW: Final = re.compile(r"-PIP-\d+\Z")


@dataclass(frozen=True, slots=True)
class Point:
    """One stretch of time: from `at` on for an hour or a day, until `at` for a poll. ``by_match`` are packets by match line."""

    at: datetime
    seconds: float | None
    verdict: Verdict
    packets: int | None
    dropped_packets: int | None
    queue_drops: int | None
    by_match: dict[str, int]


@dataclass(frozen=True, slots=True)
class Usage:
    """What one class counted, oldest first.

    ``shares`` are the keys of all requests whose traffic enters by it now: of several nobody can tell who sent what. ``dropping
    since`` is since when packets are dropped at each look, up to the last one. ``read_at`` is when its
    router was counted last, ``error`` why it could not be since.
    """

    series: UsageSeries
    span: Span
    points: tuple[Point, ...]
    latest: Point | None
    dropping_since: datetime | None
    read_at: datetime | None
    error: str
    shares: tuple[int, ...] = ()

    @property
    def peak_bps(self) -> int:
        """The highest rate of any point at layer 3."""
        return max((point.verdict.sent_bps or 0 for point in self.points), default=0)


def usage_of_request(
    request: PremiumRequest,
    *,
    now: datetime,
    span: Span = Span.HOUR,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Usage | None:
    """Return what its class counted while it was on, in this window of time; None where it was never counted.

    The class is its own where the scheme gives it one, else that of all reservations of its access link and service. A bounded
    number of queries.
    """
    link = UsageSeries.objects.filter(link=request.source_link.name, direction="input").select_related(
        "router"
    )
    of_service = [row for row in link.order_by("pk") if request.service_class in row.services]
    own = [row for row in of_service if row.classes.endswith(f"-{request.reference}")]
    shared = [row for row in of_service if not _OF_A_FLOW.search(row.classes)]
    found = sorted(own or shared, key=lambda row: row.seen_at)[-1:]
    if not found:
        return None
    began, ended = _on_between(request)
    if began is None:
        return None
    earliest = max(began - STRETCH[span], _earliest(since, now, span))
    latest = min(filter(None, (ended, until, now + timedelta(days=1))))
    usage = _usages(found, span, earliest, latest, polled_since=began)[0]
    if ended is None:
        return usage
    # What the class drops since then, and who shares it now, is not of this request any more.
    return replace(usage, dropping_since=None, shares=())


def as_seen_by(actor: Actor, usage: Usage | None) -> Usage | None:
    """What a router or its session said, when it could not be read, is for who sees the backbone."""
    if usage is None or not usage.error or actor.may(Verb.SEE_BACKBONE):
        return usage
    return replace(usage, error="its router cannot be read")


def usages_of_link(
    name: str, *, now: datetime, span: Span = Span.HOUR, since: datetime | None = None
) -> list[Usage]:
    """Return what the classes of a link that carry a service counted, inwards before outwards; a bounded number of queries."""
    earliest = _earliest(since, now, span)
    seen = UsageSeries.objects.filter(link=name, seen_at__gte=earliest).exclude(services=[])
    rows = list(seen.select_related("router").order_by("-seen_at", "-pk")[:CLASSES])
    rows.sort(key=lambda row: (row.direction, row.router.name, row.classes))
    return _usages(rows, span, earliest, now + timedelta(days=1), polled_since=earliest)


def _on_between(request: PremiumRequest) -> tuple[datetime | None, datetime | None]:
    held = getattr(request, "reservation", None)
    return (None, None) if held is None else (held.put_on_at, held.taken_off_at)


def _earliest(since: datetime | None, now: datetime, span: Span) -> datetime:
    return now - LENGTHS[span] if since is None else since


def _usages(
    rows: Collection[UsageSeries], span: Span, since: datetime, until: datetime, *, polled_since: datetime
) -> list[Usage]:
    if not rows:
        return []
    keys = {row.pk: row for row in rows}
    periods = UsagePeriod.objects.filter(series__in=keys, span=span, at__gte=since, at__lte=until)
    points: dict[int, list[Point]] = {pk: [] for pk in keys}
    for period in reversed(periods.order_by("-at")[: max(MOST, 400 * len(rows))]):
        points[period.series_id].append(_point(period, keys[period.series_id]))
    latest = _latest(keys, polled_since, until)
    looks = {
        router: (read_at, error)
        for router, read_at, error in CounterLook.objects.filter(
            router__in={row.router_id for row in rows}
        ).values_list("router_id", "read_at", "error")
    }
    return [
        Usage(
            series=row,
            shares=tuple(row.requests),
            span=span,
            points=tuple(points[row.pk]),
            latest=latest.get(row.pk),
            dropping_since=row.dropping_since,
            read_at=read_at,
            error=error,
        )
        for row in rows
        for read_at, error in [looks.get(row.router_id, (None, ""))]
    ]


def _latest(keys: dict[int, UsageSeries], since: datetime, until: datetime) -> dict[int, Point]:
    """The last poll of each in this time."""
    newest = (
        UsagePeriod.objects.filter(series__in=keys, span=Span.POLL, at__gte=since, at__lte=until)
        .order_by()
        .values("series")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    rows: QuerySet[UsagePeriod] = UsagePeriod.objects.filter(pk__in=newest)
    return {row.series_id: _point(row, keys[row.series_id]) for row in rows}


def _point(period: UsagePeriod, series: UsageSeries) -> Point:
    count = Count(**{name: getattr(period, name) for name in NUMBERS})
    return Point(
        at=period.at,
        seconds=period.seconds,
        verdict=judge(
            count, period.seconds, series.header_bytes, period.reserved_bps, at_least=period.is_at_least
        ),
        packets=period.packets,
        dropped_packets=period.dropped_packets,
        queue_drops=period.queue_drops,
        by_match=period.by_match,
    )
