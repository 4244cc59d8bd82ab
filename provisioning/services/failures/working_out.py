"""Work out what every single failure would do to everything held, and keep it. Reads and reckons without a lock."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from inventory.models import Domain
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import FailureEffect, FailureRun, UnprotectedRequest
from provisioning.pipeline.failures import Effect
from provisioning.pipeline.topology import single_failures
from provisioning.selectors.failures import mark_of_book, standing_of
from provisioning.selectors.held import whole_book
from provisioning.selectors.schemes import scheme_of
from provisioning.services import clock, stopping
from provisioning.services.locking import locked
from provisioning.services.retrying import whole
from provisioning.services.topology import versions

log = structlog.get_logger(__name__)

AT_ONCE = 1000
"""Rows in one statement: nobody waits long for the one who writes on SQLite."""

LOOK_SECONDS = 20.0
_looked = -LOOK_SECONDS


def due(now: datetime) -> list[int]:
    """The keys of the domains whose failures are to be worked out anew: at once for another version of the topology, else
    FAILURES_SECONDS after the last time began. Looked at once in so many seconds in a process.
    """
    global _looked  # noqa: PLW0603 - when this process looked last
    if settings.FAILURES_SECONDS <= 0 or time.monotonic() - _looked < LOOK_SECONDS:
        return []
    _looked = time.monotonic()
    return [domain.pk for domain in Domain.objects.order_by("pk") if _is_due(domain, now)]


def _is_due(domain: Domain, now: datetime) -> bool:
    try:
        if scheme_of(domain).failures.count == "none":
            return False
        standing = standing_of(domain)
    except InvalidInput as error:
        log.warning("no failures worked out", domain=domain.name, reason=error.reason)
        return False
    run = standing.run
    if standing.current or run is None:
        return run is None
    young = run.started_at > now - timedelta(seconds=settings.FAILURES_SECONDS)
    return not (young and run.version == versions.known(domain).number)


def work_out(*, domain_id: int) -> str:
    """Work out every single failure that the scheme counts and keep it for the version of the topology that it is of.

    What was kept before stays until this is finished. A network or a book that changed meanwhile is not waited for: the
    rows say of which they are, and the next tick sees that they are not of today. Returns a sentence. Raises Conflict when
    somebody else finished it meanwhile, and InvalidInput for a scheme that cannot be read.
    """
    domain = Domain.objects.filter(pk=domain_id).first()
    if domain is None:
        return "the domain is there no more"
    known = versions.known(domain)
    scheme = scheme_of(known.domain)
    now = clock.now()
    mark = mark_of_book()  # before the book is read: what comes meanwhile makes this one old, never new
    whole(lambda: _give_up(FailureRun.objects.filter(domain=domain, finished_at=None)))
    run = FailureRun.objects.create(
        domain=domain, version=known.number, scheme_digest=scheme.digest(), mark=mark, started_at=now
    )
    book = whole_book(known.domain, known.network, scheme, now=now)
    windows = book.windows()
    judged = _Judged(windows)
    rows: list[FailureEffect] = []
    failures = single_failures(known.network, scheme.failures.count)
    for failure in failures:
        stopping.check()
        effect = book.effect(failure)
        judged.note(effect)
        if effect.rerouted or effect.cuts:
            rows.append(_row(run, effect))
    _keep(run, rows)
    _keep(run, list(judged.rows(run)))
    return whole(lambda: _finish(run, len(failures), len(windows), len(judged.found)))


def _row(run: FailureRun, effect: Effect) -> FailureEffect:
    return FailureEffect(
        run=run,
        kind=effect.failure.kind,
        name=effect.failure.name,
        rerouted=len(effect.rerouted),
        cut_off=len(effect.cuts),
        unprotected=len(effect.unprotected),
        overloaded=len({(each.load, each.pool) for each in effect.overloads}),
        excess_bps=max((each.excess_bps for each in effect.overloads), default=0),
    )


def _keep(run: FailureRun, rows: Sequence[FailureEffect] | Sequence[UnprotectedRequest]) -> None:
    """In small transactions: nobody reads them before the run is finished."""
    for first in range(0, len(rows), AT_ONCE):
        part = rows[first : first + AT_ONCE]
        whole(lambda part=part: _add(run, part))  # type: ignore[misc]


def _add(run: FailureRun, rows: Sequence[FailureEffect] | Sequence[UnprotectedRequest]) -> None:
    """Under the lock of the run: who deletes it collects what is there, and a row that came after that would refer to nothing."""
    with transaction.atomic():
        if not _wait_for(FailureRun.objects.filter(pk=run.pk)):
            raise Conflict("somebody else worked it out meanwhile")
        type(rows[0])._default_manager.bulk_create(rows)  # type: ignore[arg-type]


def _finish(run: FailureRun, failures: int, held: int, unprotected: int) -> str:
    with transaction.atomic():
        _wait_for(FailureRun.objects.filter(domain=run.domain_id, pk__lte=run.pk))
        done = FailureRun.objects.filter(pk=run.pk).update(
            finished_at=clock.now(), failures=failures, held=held, unprotected=unprotected
        )
        if not done:
            raise Conflict("somebody else worked it out meanwhile")
        _give_up(FailureRun.objects.filter(domain=run.domain_id, pk__lt=run.pk))
    return f"version {run.version}: {failures} single failures, {held} requests, {unprotected} of them unprotected"


def _give_up(runs: QuerySet[FailureRun]) -> None:
    """Delete runs with all that is theirs; several who do that at once do it in one order."""
    with transaction.atomic():
        keys = _wait_for(runs)
        FailureRun.objects.filter(pk__in=keys).delete()


def _wait_for(runs: QuerySet[FailureRun]) -> list[int]:
    return list(locked(runs.order_by("pk")).values_list("pk", flat=True))


@dataclass
class _Sum:
    """What is found of one request, over all failures."""

    failures: int = 0
    cut_off: int = 0
    start: datetime | None = None
    end: datetime | None = None
    open_end: bool = False
    excess_bps: int = 0
    worst: str = ""

    def stretch(self, start: datetime, end: datetime | None) -> None:
        self.start = start if self.start is None else min(self.start, start)
        self.open_end = self.open_end or end is None
        if end is not None:
            self.end = end if self.end is None else max(self.end, end)


class _Judged:
    """Each request that is unprotected, failure after failure."""

    def __init__(self, windows: Mapping[str, tuple[datetime, datetime | None]]) -> None:
        self._windows = windows
        self.found: dict[str, _Sum] = {}

    def note(self, effect: Effect) -> None:
        for name in effect.unprotected:
            self.found.setdefault(name, _Sum()).failures += 1
        for cut in effect.cuts:
            found = self.found[cut.id]
            found.stretch(cut.start, cut.end)
            found.worst = found.worst if found.cut_off else str(effect.failure)
            found.cut_off += 1
        for each in effect.overloads:
            for name in each.ids:
                found = self.found[name]
                start, end = self._windows[name]
                last = each.end if end is None else end if each.end is None else min(end, each.end)
                found.stretch(max(start, each.start), last)
                if each.excess_bps > found.excess_bps:
                    found.excess_bps = each.excess_bps
                    found.worst = found.worst if found.cut_off else str(effect.failure)

    def rows(self, run: FailureRun) -> Iterable[UnprotectedRequest]:
        for name, found in self.found.items():
            assert found.start is not None  # whoever is unprotected is so from some instant on
            yield UnprotectedRequest(
                run=run,
                request_id=int(name.removeprefix("PIP-")),
                failures=found.failures,
                cut_off=found.cut_off,
                start=found.start,
                end=None if found.open_end else found.end,
                excess_bps=found.excess_bps,
                worst=found.worst,
            )
