"""What is due, found by asking the rows: nothing is scheduled ahead, nothing is lost when a message is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from inventory.models import Domain
from provisioning.errors import Conflict
from provisioning.models import (
    SYSTEM,
    Change,
    Job,
    JobKind,
    JobState,
    PremiumRequest,
    RouterPush,
    RouterSync,
    SyncState,
)
from provisioning.pipeline.change import PushState, RequestState
from provisioning.selectors.pushing import why_no_push
from provisioning.services import audit, changes, heartbeats, intents, pushing, requests, verifying, versions
from provisioning.services.apart import apart
from provisioning.services.leases import from_now

log = structlog.get_logger(__name__)

LIVE = (JobState.QUEUED, JobState.LEASED)
UNDER_WAY = (PushState.PUSHING, PushState.PUSHED, PushState.UNKNOWN)
LONGEST_PAUSE = timedelta(minutes=5)


def tick(now: datetime | None = None) -> list[Job]:
    """Move what time moves, make a job of everything that is due, return the jobs made. Harmless to repeat.

    What goes wrong with one row or one part is logged and keeps nothing else from being done; raises only what a
    database that is gone or busy raises, and OtherVersion: then this process has to end.
    """
    versions.check()
    moment = now or timezone.now()
    parts: list[Callable[[datetime], Iterable[Job | None] | None]] = [
        _expire,
        _settle,
        _plans,
        _verifications,
        _pruning,
        _sealing,
    ]
    if not why_no_push():
        parts += [_release, _pushes, _recoveries]
    made: list[Job] = []
    for part in parts:
        with apart(part.__name__.strip("_")):
            made += [job for job in part(moment) or () if job is not None]
    heartbeats.ticked()
    return made


def enqueue(kind: JobKind, subject_id: int, *, pause: timedelta = timedelta(0)) -> Job | None:
    """Make a job unless one like it is live; None then. One that failed lately waits longer each time."""
    failed = Job.objects.filter(
        kind=kind,
        subject_id=subject_id,
        state=JobState.FAILED,
        finished_at__gt=timezone.now() - timedelta(hours=1),
    ).count()
    if failed:
        pause = max(pause, min(timedelta(seconds=2 * 2 ** min(failed, 10)), LONGEST_PAUSE))
    # By the clock of `claim`, the database's; plainly so where nothing is to be waited for: on SQLite two moments of the
    # same millisecond are equal only when neither was reckoned with.
    due = from_now(pause.total_seconds()) if pause else Now()
    # ignore_conflicts: the constraint "one live job per kind and subject" decides, also between two tickers.
    Job.objects.bulk_create([Job(kind=kind, subject_id=subject_id, available_at=due)], ignore_conflicts=True)
    made = Job.objects.filter(
        kind=kind, subject_id=subject_id, state=JobState.QUEUED, attempts=0, sent_at=None
    )
    return made.first()


def _expire(moment: datetime) -> None:
    requests.expire_due(now=moment)


def _sealing(_moment: datetime) -> None:
    audit.seal_waiting()


def _settle(moment: datetime) -> None:
    verifying.settle_requests(moment)


def _plans(moment: datetime) -> Iterator[Job | None]:
    """Plan what falls due within the lead time, and what is to come off."""
    due = Q(
        state=RequestState.ADMITTED, start__lte=moment + timedelta(seconds=settings.LEAD_TIME_SECONDS)
    ) & (Q(end__isnull=True) | Q(end__gt=moment))
    over = Q(state__in=intents.OVER, reservation__isnull=False, reservation__released_at__isnull=True)
    for request in PremiumRequest.objects.filter(due | over).order_by("pk"):
        with apart("planning", request.pk):
            if not _live(JobKind.PLAN_REQUEST, request.pk) and _wants_plan(request, moment):
                yield enqueue(JobKind.PLAN_REQUEST, request.pk)


def _wants_plan(request: PremiumRequest, moment: datetime) -> bool:
    """Whether nothing is planned for a request, or what was planned went out of date by itself.

    What a person cancelled, or a router refused, waits for a person: planning it again every two seconds would be
    an argument, not a plan.
    """
    last = (
        request.changes.filter(kind__in=intents.FOLLOWS_REQUESTS, created_at__gte=request.state_changed_at)
        .order_by("-pk")
        .first()
    )
    if last is None:
        return True
    states = set(last.pushes.values_list("state", flat=True))
    if PushState.STALE in states and not states & {PushState.PUSHING, PushState.PUSHED, PushState.APPROVED}:
        return True
    unread = last.pushes.filter(state=PushState.UNKNOWN, plan_digest="").exists()
    return unread and last.created_at < moment - timedelta(seconds=60)


def _release(moment: datetime) -> None:
    """An approved reservation or removal needs no second button: its window is what releases it."""
    waiting = Change.objects.filter(
        kind__in=intents.FOLLOWS_REQUESTS,
        released_at__isnull=True,
        finished_at__isnull=True,
        approved_at__isnull=False,
        pushes__state=PushState.APPROVED,
    ).distinct()
    for change in waiting:
        with apart("releasing", change.pk):
            if _started(change, moment):
                try:
                    changes.release(actor=SYSTEM, change=change)
                except Conflict as error:
                    log.warning("not released", change=change.pk, reason=error.reason)


def _pushes(moment: datetime) -> Iterator[Job | None]:
    """The next phase of every released change: first its routers are read again, then its pushes."""
    released = Change.objects.filter(
        released_at__isnull=False, finished_at__isnull=True, pushes__state=PushState.APPROVED
    ).distinct()
    for change in released.order_by("released_at", "pk"):
        with apart("pushing", change.pk):
            phase = pushing.next_phase(change)
            if phase is None or not _started(change, moment):
                continue
            if change.cleared_phase != phase.value:
                yield _unless_live(JobKind.PREFLIGHT, change.pk)
                continue
            for push in change.pushes.filter(phase=phase.value, state=PushState.APPROVED).order_by(
                "position", "pk"
            ):
                yield _unless_live(JobKind.PUSH, push.pk)


def _recoveries(_moment: datetime) -> Iterator[Job | None]:
    """Pushes that began and that nobody is working on: read their routers again."""
    orphans = RouterPush.objects.filter(state__in=UNDER_WAY).exclude(
        Q(plan_digest="") | Q(error_code=pushing.UNRECOGNISED)
    )
    for push in orphans.order_by("pk"):
        if _live(JobKind.PUSH, push.pk) or _live(JobKind.RECOVER, push.pk):
            continue
        tried = Job.objects.filter(kind=JobKind.RECOVER, subject_id=push.pk).count()
        pause = min(timedelta(seconds=5 * 2 ** min(tried, 8)), LONGEST_PAUSE) if tried else timedelta(0)
        yield enqueue(JobKind.RECOVER, push.pk, pause=pause)


def _verifications(moment: datetime) -> list[Job | None]:
    """Routers not looked at for a while, and routers a promise is waiting to be seen on."""
    routers: set[int] = set()
    if settings.VERIFY_SECONDS > 0:
        old = moment - timedelta(seconds=settings.VERIFY_SECONDS)
        routers |= set(RouterSync.objects.filter(checked_at__lt=old).values_list("router_id", flat=True))
    rows = {row.router.name: row for row in RouterSync.objects.select_related("router")}
    for domain in Domain.objects.all():
        for request in _unsettled(domain, moment):
            with apart("verifying", request.pk):
                concerned = intents.routers_concerned(request)
                unseen = [name for name in concerned if not _looked(rows.get(name), request)]
                routers |= set(domain.routers.filter(name__in=unseen).values_list("pk", flat=True))
    return [_unless_live(JobKind.VERIFY_ROUTER, pk) for pk in sorted(routers)]


def _pruning(_moment: datetime) -> list[Job | None]:
    """Once every `PRUNE_SECONDS`: the last such job says when that was. Not where nothing is as old as that yet."""
    if settings.PRUNE_SECONDS <= 0:
        return []
    before = from_now(-settings.PRUNE_SECONDS)
    if Job.objects.filter(kind=JobKind.PRUNE, subject_id=0, created_at__gte=before).exists():
        return []
    return [_unless_live(JobKind.PRUNE, 0)] if Job.objects.filter(created_at__lt=before).exists() else []


def _unsettled(domain: Domain, moment: datetime) -> list[PremiumRequest]:
    """Started or over, planned already, and not yet seen."""
    waiting = PremiumRequest.objects.filter(
        Q(state=RequestState.ADMITTED, start__lte=moment)
        | Q(state__in=intents.OVER, reservation__isnull=False, reservation__released_at__isnull=True),
        nren__domain=domain,
    ).select_related("reservation", "source_link__interface__router")
    return [
        request
        for request in waiting
        if request.changes.filter(created_at__gte=request.state_changed_at).exists()
    ]


def _looked(row: RouterSync | None, request: PremiumRequest) -> bool:
    """Whether a router was read against an intent that knows what the request is by now; then reading is no news."""
    if (
        row is None
        or row.checked_at is None
        or row.checked_at <= max(request.state_changed_at, request.start)
    ):
        return False
    if verifying.predates_a_push(row):
        return False
    key = "requests_on" if request.state == RequestState.ADMITTED else "requests_gone"
    return row.state != SyncState.IN_SYNC or request.pk in row.detail.get(key, [])


def _started(change: Change, moment: datetime) -> bool:
    """Whether every window this change puts something on for has begun."""
    return not change.requests.filter(state=RequestState.ADMITTED, start__gt=moment).exists()


def _unless_live(kind: JobKind, subject_id: int) -> Job | None:
    return None if _live(kind, subject_id) else enqueue(kind, subject_id)


def _live(kind: JobKind, subject_id: int) -> bool:
    return Job.objects.filter(kind=kind, subject_id=subject_id, state__in=LIVE).exists()
