"""Everything held as the values that failures are reckoned with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime

from django.db import connection
from django.db.models import BigIntegerField, Case, QuerySet, Value, When
from django.db.models.functions import Coalesce, Greatest

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.models.ticks import Ticks
from provisioning.pipeline.failures import OPEN, Book, Held, Piece, Row
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Direction, Ends, LinkDirection, Network
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.ledger import counting, overlapping, window_of

_AT_ONCE = 500
"""Keys in one statement: SQLite takes so many and not many more."""


def everything_held(
    domain: Domain,
    scheme: Scheme,
    *,
    now: datetime,
    links: Collection[str] | None = None,
    within: TimeWindow | None = None,
    except_requests: Collection[int] = (),
) -> tuple[Held, ...]:
    """What the requests of a domain hold, as far as it is on ``links`` (None: on all), and between which routers they go."""
    rows = counting(now)
    if links is not None:
        rows = rows.filter(link__in=links)
    if except_requests:
        rows = rows.exclude(request_id__in=except_requests)
    fields = ("request_id", "link", "direction", "pool", "rate_bps", "start", "end")
    found = (rows if within is None else overlapping(rows, within, now)).values_list(*fields)
    loads: dict[tuple[str, str], LinkDirection] = {}
    windows: dict[tuple[datetime, datetime | None], TimeWindow] = {}
    pieces: defaultdict[tuple[int, str], list[Piece]] = defaultdict(list)
    for request, link, direction, pool, rate, start, end in found:
        load = loads.get((link, direction))
        if load is None:
            load = loads[link, direction] = LinkDirection(link, Direction(direction))
        window = windows.get((start, end))
        if window is None:
            window = windows[start, end] = window_of(start, end, now)
        pieces[request, pool].append(Piece(load, rate, window))
    ends = ends_of_requests(domain, scheme, {request for request, _ in pieces})
    return tuple(
        Held(f"PIP-{request}", ends[request], pool, tuple(found))
        for (request, pool), found in sorted(pieces.items())
        if request in ends
    )


def ends_of_requests(domain: Domain, scheme: Scheme, requests: Collection[int]) -> dict[int, Ends]:
    """Where the traffic of these requests begins and ends; of those that are the domain's."""
    found: dict[int, Ends] = {}
    keys = sorted(requests)
    for first in range(0, len(keys), _AT_ONCE):
        rows = PremiumRequest.objects.filter(pk__in=keys[first : first + _AT_ONCE], nren__domain=domain)
        found.update(_ends(scheme, rows))
    return found


def _ends(scheme: Scheme, requests: QuerySet[PremiumRequest]) -> Iterator[tuple[int, Ends]]:
    fields = (
        "pk",
        "source_link__interface__router__name",
        "destination_link__interface__router__name",
        "service_class",
    )
    for pk, source, destination, service in requests.order_by().values_list(*fields):
        yield pk, ends_of(scheme, source, destination, service)


def ends_of(scheme: Scheme, source: str, destination: str | None, service: str) -> Ends:
    """The ends of a class's traffic; of a class that the scheme has no more by whether it names a destination."""
    if destination is not None:
        return Ends(source, destination, "both")
    try:
        kind = scheme.service_class(service).ends
    except InvalidInput:
        kind = "source"
    return Ends(source, None, "source" if kind == "both" else kind)



def whole_book(domain: Domain, network: Network, scheme: Scheme, *, now: datetime) -> Book:
    """Everything that the requests of a domain hold now and later."""
    requests = PremiumRequest.objects.filter(pk__in=counting(now).values("request"), nren__domain=domain)
    ends = dict(_ends(scheme, requests))
    book = Book(network, scheme, since=now)
    book.charge((row for row in _rows(counting(now), now) if row[3] in ends), ends)
    return book


def charged_on(links: Collection[str], *, now: datetime) -> Iterator[Row]:
    """What counts at ``now`` or later on these links."""
    names = sorted(links)
    for first in range(0, len(names), _AT_ONCE):
        yield from _rows(counting(now).filter(link__in=names[first : first + _AT_ONCE]), now)


def charged_places(requests: Collection[int], *, now: datetime) -> Iterator[tuple[int, str, str]]:
    """Where these requests are charged: key, link, direction."""
    keys = sorted(requests)
    for first in range(0, len(keys), _AT_ONCE):
        rows = counting(now).filter(request__in=keys[first : first + _AT_ONCE])
        yield from rows.values_list("request_id", "link", "direction").iterator()


def _rows(rows: QuerySet[LedgerEntry], now: datetime) -> list[Row]:
    """As they are, without an object for each. What is over and is charged all the same has no end, like in `window_of`."""
    over = Case(When(end__lte=now, then=None), default=Ticks("end"))
    start, end = Ticks(Greatest("start", now)), Coalesce(over, Value(OPEN), output_field=BigIntegerField())
    wanted = rows.values_list(start, end, "rate_bps", "request_id", "link", "direction", "pool")
    statement, words = wanted.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(statement, words)
        found: list[Row] = cursor.fetchall()
    return found
