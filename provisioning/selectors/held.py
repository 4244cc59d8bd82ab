"""Everything held as the values that failures are reckoned with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime

from django.db import connection
from django.db.models import BigIntegerField, Case, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce, Greatest

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.models.ticks import Ticks
from provisioning.pipeline.admission import doubtful_links
from provisioning.pipeline.failures import Book, Held, Piece, Row, Span
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Direction, Ends, LinkDirection, Network
from provisioning.pipeline.units import OPEN_TICKS, TimeWindow
from provisioning.selectors import topology
from provisioning.selectors.ledger import counting, overlapping, window_of
from provisioning.selectors.packing import spans_of
from provisioning.selectors.parts import in_parts


def held_on(
    links: Collection[str],
    domain: Domain,
    scheme: Scheme,
    *,
    now: datetime,
    within: TimeWindow,
    except_requests: Collection[int] = (),
) -> tuple[Held, ...]:
    """What the requests of a domain hold on ``links`` somewhere in a window, and between which routers they go."""
    fields = ("request_id", "link", "direction", "pool", "rate_bps", "start", "end")
    loads: dict[tuple[str, str], LinkDirection] = {}
    windows: dict[tuple[datetime, datetime | None], TimeWindow] = {}
    pieces: defaultdict[tuple[int, str], list[Piece]] = defaultdict(list)
    for rows in _overlapping(links, now=now, within=within, except_requests=except_requests):
        for request, link, direction, pool, rate, start, end in rows.values_list(*fields):
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


def _overlapping(
    links: Collection[str], *, now: datetime, within: TimeWindow, except_requests: Collection[int]
) -> Iterator[QuerySet[LedgerEntry]]:
    for some in in_parts(links):
        rows = counting(now).filter(link__in=some)
        if except_requests:
            rows = rows.exclude(request_id__in=except_requests)
        yield overlapping(rows, within, now)


def held_beside(
    known: topology.Known,
    scheme: Scheme,
    slss: Sequence[Sls],
    near: Collection[str],
    *,
    now: datetime,
    within: TimeWindow,
    except_requests: Collection[int] = (),
) -> tuple[Held, ...]:
    """Of everything held what a decision about ``slss`` by single failures rests on: whoever is ``near``, on their paths and
    detours, and whoever a failure may bring there in such numbers that it matters. Raises InvalidInput for a link or class
    that is not there.
    """

    domain, network, links = known.domain, known.network, frozenset(near)
    found = held_on(links, domain, scheme, now=now, within=within, except_requests=except_requests)
    core = {link.id for link in network.core_links} - links
    sums = _summed_on(core, now=now, within=within, except_requests=except_requests)
    doubtful = doubtful_links(network, scheme, slss, found, sums, max(now, within.start))
    if doubtful <= links:
        return found
    links |= doubtful
    return held_on(links, domain, scheme, now=now, within=within, except_requests=except_requests)


def _summed_on(
    links: Collection[str], *, now: datetime, within: TimeWindow, except_requests: Collection[int]
) -> dict[tuple[str, str], int]:
    """All that is charged somewhere in a window, by link and pool, in sum over all of it, bit/s."""
    found: defaultdict[tuple[str, str], int] = defaultdict(int)
    for rows in _overlapping(links, now=now, within=within, except_requests=except_requests):
        if rows.query.combinator:  # of parts that are joined the database makes no sum
            wanted = rows.values_list("link", "pool", "rate_bps")
        else:
            wanted = rows.values_list("link", "pool").annotate(Sum("rate_bps"))
        for link, pool, rate in wanted:
            found[link, pool] += rate
    return found


def ends_of_requests(domain: Domain, scheme: Scheme, requests: Collection[int]) -> dict[int, Ends]:
    """Where the traffic of these requests begins and ends; of those that are the domain's."""
    found: dict[int, Ends] = {}
    for some in in_parts(requests):
        rows = PremiumRequest.objects.filter(pk__in=some, nren__domain=domain)
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
    book = Book(network, scheme, (), now)
    book.charge((row for row in _rows(counting(now), now) if row[3] in ends), ends)
    return book


def charged_on(links: Collection[str], *, now: datetime) -> Iterator[Row]:
    """What counts at ``now`` or later on these links."""
    for some in in_parts(links):
        yield from _rows(counting(now).filter(link__in=some), now)


def charged_in(places: Mapping[LinkDirection, int], *, now: datetime) -> list[Span]:
    """What counts at ``now`` or later on these link directions, by the number of each."""
    by_direction: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for load, place in places.items():
        by_direction[load.direction.value][load.link] = place
    links = {load.link for load in places}
    rows = (counting(now).filter(link__in=some) for some in in_parts(links))
    return spans_of(rows, lambda link, direction: by_direction[direction].get(link), now)


def charged_to(
    requests: Collection[int], place_of: Callable[[str, str], int], *, now: datetime
) -> list[Span]:
    """What these requests are charged at ``now`` or later, wherever it is; ``place_of`` numbers link directions."""
    rows = (counting(now).filter(request__in=some) for some in in_parts(requests))
    return spans_of(rows, place_of, now)


def _rows(rows: QuerySet[LedgerEntry], now: datetime) -> list[Row]:
    """As they are, without an object for each. What is over and is charged all the same has no end, like in `window_of`."""
    over = Case(When(end__lte=now, then=None), default=Ticks("end"))
    start, end = (
        Ticks(Greatest("start", now)),
        Coalesce(over, Value(OPEN_TICKS), output_field=BigIntegerField()),
    )
    wanted = rows.values_list(start, end, "rate_bps", "request_id", "link", "direction", "pool")
    statement, words = wanted.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(statement, words)
        found: list[Row] = cursor.fetchall()
    return found
