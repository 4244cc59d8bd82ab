"""Everything held as the values that failures are reckoned with; and how what was last reckoned stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import Count, Max, Sum

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import AuditEvent, FailureRun, LedgerEntry, PremiumRequest, UnprotectedRequest
from provisioning.pipeline.failures import Book, Effect, Held, Piece
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Direction, Ends, Failure, LinkDirection, Network, lost_links
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import topology
from provisioning.selectors.ledger import counting, overlapping, window_of
from provisioning.selectors.schemes import scheme_of

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
    ends = _ends(domain, scheme, {request for request, _ in pieces})
    return tuple(
        Held(f"PIP-{request}", ends[request], pool, tuple(found))
        for (request, pool), found in sorted(pieces.items())
        if request in ends
    )


def _ends(domain: Domain, scheme: Scheme, requests: Iterable[int]) -> dict[int, Ends]:
    """Where the traffic of these requests begins and ends; of those that are the domain's."""
    fields = (
        "pk",
        "source_link__interface__router__name",
        "destination_link__interface__router__name",
        "service_class",
    )
    found: dict[int, Ends] = {}
    waiting = iter(sorted(requests))
    while keys := list(islice(waiting, _AT_ONCE)):
        rows = PremiumRequest.objects.filter(pk__in=keys, nren__domain=domain).order_by()
        for pk, source, destination, service in rows.values_list(*fields):
            found[pk] = ends_of(scheme, source, destination, service)
    return found


def ends_of(scheme: Scheme, source: str, destination: str | None, service: str) -> Ends:
    """The ends of a class's traffic; of a class that the scheme has no more by whether it names a destination."""
    if destination is not None:
        return Ends(source, destination, "both")
    try:
        kind = scheme.service_class(service).ends
    except InvalidInput:
        kind = "source"
    return Ends(source, None, "source" if kind == "both" else kind)


def effect_of(domain: Domain, failure: Failure, *, now: datetime) -> Effect:
    """What one failure does to everything held now and later, with every link whose load it changes.

    Read is what is charged on what fails, then what is charged where that goes. Raises InvalidInput for a link or router that
    is not there and for a scheme that cannot be read.
    """
    known = topology.current(domain)
    scheme = scheme_of(known.domain)
    network = known.network
    there = network.core_link(failure.name) if failure.kind == "link" else network.router(failure.name)
    if there is None:
        raise InvalidInput(f"there is no {failure.kind} {failure.name!r:.200}", field=failure.kind)
    hit = everything_held(domain, scheme, now=now, links=lost_links(network, failure))
    keys = [int(each.id.removeprefix("PIP-")) for each in hit]
    touched = _touched(network, scheme, hit, failure, keys, now)
    held = everything_held(domain, scheme, now=now, links=touched)
    return Book(network, scheme, held, now).effect(failure, shifts=True)


def _touched(
    network: Network, scheme: Scheme, hit: tuple[Held, ...], failure: Failure, keys: list[int], now: datetime
) -> set[str]:
    """The links that those who are hit are charged on, and those they go over then."""
    alone = Book(network, scheme, hit, now).effect(failure, shifts=True)
    links = {shift.load.link for shift in alone.shifts} | lost_links(network, failure)
    waiting = iter(keys)
    while some := list(islice(waiting, _AT_ONCE)):
        links |= set(counting(now).filter(request__in=some).values_list("link", flat=True).distinct())
    return links


@dataclass(frozen=True)
class Standing:
    """How what was last worked out stands: ``run`` (None: nothing was yet), and why it is not of today, empty where it is."""

    run: FailureRun | None
    stale: str = ""

    @property
    def current(self) -> bool:
        """Whether it is of the network, the scheme and the book as they are."""
        return self.run is not None and not self.stale


def newest_run(domain: Domain) -> FailureRun | None:
    """The newest that is finished."""
    return FailureRun.objects.filter(domain=domain, finished_at__isnull=False).order_by("-pk").first()


def standing_of(domain: Domain, *, book: bool = True) -> Standing:
    """The newest run, and whether anything became different since; without ``book`` only by the network and the scheme, which
    takes a moment. Raises InvalidInput for a scheme that cannot be read.
    """
    run = newest_run(domain)
    number = topology.number_of(domain)
    if run is None:
        return Standing(None, "it was not worked out yet")
    if run.version != number:
        return Standing(
            run, f"it is of version {run.version} of the topology, and now there is version {number}"
        )
    if run.scheme_digest != scheme_of(Domain.objects.get(pk=domain.pk)).digest():
        return Standing(run, "the scheme says something else now")
    if book and run.mark != mark_of_book():
        return Standing(run, "reservations came, changed or went since")
    return Standing(run)


def mark_of_book() -> str:
    """What differs when the book does: what counts in it, in sum, and the last thing that was done to a request.

    Sums see what commits late with an early key; the audit trail sees what changes in place.
    """
    live = LedgerEntry.objects.order_by().filter(released_at=None)
    found = live.aggregate(Count("pk"), Max("pk"), Sum("rate_bps"), Max("end"), Count("moving_since"))
    done = (
        AuditEvent.objects.filter(object_type="PremiumRequest").order_by("-pk").values_list("pk", flat=True)
    )
    return " ".join(str(each) for each in (*found.values(), done.first()))


@dataclass(frozen=True)
class Protection:
    """Whether any single failure leaves a request without what was promised: ``unprotected``, None where none does, as it was
    ``at`` that time on ``version`` of the topology. ``stale`` says why network or scheme are others now, else it is empty.
    """

    version: int
    at: datetime
    count: str
    unprotected: UnprotectedRequest | None
    stale: str = ""

    def to_json(self, *, everything: bool) -> dict[str, Any]:
        """For a reader of all, or of its own: that reads whether and when, not which links and how much."""
        found = self.unprotected
        told = found if everything else None
        return {
            "protected": found is None,
            "count": self.count,
            "version": self.version,
            "at": self.at.isoformat(),
            "current": not self.stale,
            "start": None if found is None else found.start.isoformat(),
            "to": None if found is None or found.end is None else found.end.isoformat(),
            "no_path": found is not None and found.cut_off > 0,
            "failures": None if told is None else told.failures,
            "worst": None if told is None else told.worst,
            "excess_bps": None if told is None else told.excess_bps,
        }


def protection_of(request: PremiumRequest) -> Protection | None:
    """What was last worked out for a request; None while it holds nothing, was not judged yet, or no failure is counted."""
    domain = request.nren.domain
    run = newest_run(domain)
    if run is None or not LedgerEntry.objects.filter(request=request, released_at=None).exists():
        return None
    try:
        count = scheme_of(domain).failures.count
        standing = standing_of(domain, book=False)
    except InvalidInput:
        return None
    found = UnprotectedRequest.objects.filter(run=run, request=request).first()
    decided = request.decided_at
    if count == "none" or (found is None and (decided is None or decided > run.started_at)):
        return None
    return Protection(run.version, run.started_at, count, found, standing.stale)
