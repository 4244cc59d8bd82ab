"""What failures do to everything held, and how what was last reckoned stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Sum

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import AuditEvent, FailureRun, LedgerEntry, PremiumRequest, UnprotectedRequest
from provisioning.pipeline.failures import Book, Effect
from provisioning.pipeline.topology import Failure, lost_links
from provisioning.selectors import topology
from provisioning.selectors.held import charged_in, charged_on, charged_to, ends_of_requests
from provisioning.selectors.schemes import scheme_of


def effect_of(domain: Domain, failure: Failure, *, now: datetime) -> Effect:
    """What one failure does to everything held now and later, with every link whose load it changes.

    Read is what is charged on what fails, where else those are charged, and then the link directions whose load changes, alone.
    Raises InvalidInput for a link or router that is not there and for a scheme that cannot be read.
    """
    known = topology.current(domain)
    scheme = scheme_of(known.domain)
    network = known.network
    there = network.core_link(failure.name) if failure.kind == "link" else network.router(failure.name)
    if there is None:
        raise InvalidInput(f"there is no {failure.kind} {failure.name!r:.200}", field=failure.kind)
    book = Book(network, scheme, (), now)
    lost = lost_links(network, failure)
    hit = list(charged_on(lost, now=now))
    keys = {row[3] for row in hit}
    book.charge(hit, ends_of_requests(known.domain, scheme, keys))
    book.stands(charged_to(keys, book.place, now=now))
    moves = book.moves(failure)
    leaving = book.leaving(moves)
    changed = book.changed(moves, leaving)
    numbers = {book.loads[place]: place for place in changed}
    return book.judged_with_loads(moves, leaving, charged_in(numbers, now=now))


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
