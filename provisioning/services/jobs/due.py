"""What is due, found by asking the rows: nothing is scheduled ahead, nothing is lost when a message is.

A tick asks a bounded number of questions, however much waits: what is due is marked, jobs are inserted, many in one
statement. The work itself is the jobs'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final

import structlog
from django.conf import settings
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from provisioning.errors import Conflict
from provisioning.models import (
    SYSTEM,
    Change,
    Job,
    JobKind,
    Rehearsal,
    RouterPush,
)
from provisioning.pipeline.ends import SAVES
from provisioning.pipeline.states import SENDING
from provisioning.selectors import turns
from provisioning.selectors.pushing import BEGUN, why_no_push
from provisioning.selectors.steering import may_begin
from provisioning.services import (
    audit,
    changes,
    clock,
    failures,
    guarding,
    heartbeats,
    intents,
    pushing,
    queues,
    requests,
    rereading,
    saving,
    topology,
    usage,
    verifying,
    versions,
)
from provisioning.services.apart import apart
from provisioning.services.jobs.making import LIVE, enqueue, has_job
from provisioning.services.leases import from_now
from provisioning.services.locking import waiting_at_most
from provisioning.services.patience import First, pause_after
from provisioning.services.telling import gathering

log = structlog.get_logger(__name__)

SWEEP_SECONDS = 3600
AT_ONCE = 1000
"""Rows of a kind that one tick takes up; the rest are the next tick's, a moment later. What has a job is not counted."""
LOCK_SECONDS = 3
"""So long a tick waits for a row that somebody has locked: a session left open over it would keep every process in turn from all
that is due.
"""
RELEASED_AT_ONCE = 100
"""Changes that one tick releases. Each is held against what was approved, byte for byte, so each costs by itself."""


def tick(now: datetime | None = None) -> list[Job]:
    """Move what time moves, make a job of everything that is due, return the jobs made. Harmless to repeat.

    What goes wrong with one row or one part is logged and keeps nothing else from being done; raises only what a
    database that is gone or busy raises, and OtherVersion: then this process has to end.
    """
    versions.check()
    made = _done(_ALWAYS + _SENDING if not why_no_push() else _ALWAYS, now or clock.now())
    heartbeats.ticked()
    return made


def tick_after_jobs() -> list[Job]:
    """What jobs that ended can have made due at once: the queues that they marked, changes that they let go, the next phase
    of one. The rest of a tick finds what nobody waits for by the second.
    """
    sending = (_release, _pushes) if not why_no_push() else ()
    return _done((_marked, *sending), clock.now())


def _done(parts: Iterable[_Part], moment: datetime) -> list[Job]:
    made: list[Job] = []
    with waiting_at_most(LOCK_SECONDS, once=True):
        for part in parts:
            with apart(part.__name__.strip("_")):
                made += part(moment) or ()
    return made


def _expire(moment: datetime) -> None:
    requests.expire_due(now=moment)


def _sealing(_moment: datetime) -> None:
    audit.seal_waiting()


def _messages(_moment: datetime) -> list[Job]:
    """What has to be told: put together, and sent by a job for each message."""
    return enqueue(JobKind.NOTIFY, gathering.gather())


def _settle(moment: datetime) -> None:
    verifying.settle_requests(moment)


def _topology(moment: datetime) -> None:
    """Rows that somebody changed by hand become a version; moves that have lasted long enough end."""
    topology.notice_changed()
    topology.end_due(now=moment)


def _failures(moment: datetime) -> list[Job]:
    """Single failures of domains whose network or book is another one since they were worked out."""
    return enqueue(JobKind.FAILURES, failures.due(moment))


def _follow_ups(_moment: datetime) -> list[Job]:
    """What follows from pushes that ended and whose worker died before it was done. Who is at work on one does it."""
    rows = RouterPush.objects.filter(follow_up_due=True)
    rows = rows.exclude(has_job("pk", JobKind.PUSH, JobKind.RECOVER, JobKind.FOLLOW_UP))
    return enqueue(JobKind.FOLLOW_UP, list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]))


def _queues(moment: datetime) -> list[Job]:
    """Look at the queue of every router that an event marked, or whose own instant has come."""
    queues.mark_changed(moment)
    return _marked(moment)


def _marked(moment: datetime) -> list[Job]:
    due = queues.due(moment).exclude(has_job("router_id", JobKind.PLAN_ROUTER))
    return enqueue(JobKind.PLAN_ROUTER, list(due.values_list("router_id", flat=True)[:AT_ONCE]))


def _asked(_moment: datetime) -> list[Job]:
    """Plans that somebody asked for and nobody has made yet."""
    waiting = Change.objects.filter(planned_at__isnull=True, finished_at__isnull=True)
    waiting = waiting.exclude(has_job("pk", JobKind.PLAN_CHANGE))
    return enqueue(JobKind.PLAN_CHANGE, list(waiting.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]))


def _rehearsals(_moment: datetime) -> list[Job]:
    """Changes that somebody wants rehearsed: their next routers, until all are played."""
    waiting = Rehearsal.objects.filter(finished_at=None).exclude(has_job("pk", JobKind.REHEARSE))
    return enqueue(JobKind.REHEARSE, list(waiting.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]))


def _release(moment: datetime) -> None:
    """An approved reservation or removal needs no second button: its window is what releases it."""
    waiting = Change.objects.filter(
        may_begin(moment),
        Q(due_at__isnull=True) | Q(due_at__lte=moment),
        kind__in=intents.FOLLOWS_REQUESTS,
        released_at__isnull=True,
        finished_at__isnull=True,
        approved_at__isnull=False,
    )
    found = list(waiting.order_by("due_at", "pk")[:AT_ONCE])
    touching = guarding.may_wait([change.pk for change in found], moment)
    released = 0
    for change in found:
        if released == RELEASED_AT_ONCE:
            break
        with apart("releasing", change.pk):
            if change.pk in touching and guarding.waits(change, moment):
                continue
            try:
                changes.release(actor=SYSTEM, change=change)
                released += 1
            except Conflict as error:
                log.warning("not released", change=change.pk, reason=error.reason)


def _pushes(moment: datetime) -> list[Job]:
    """The next phase of every released change: first its routers are read again, then its pushes."""
    released = Change.objects.filter(
        may_begin(moment),
        Q(due_at__isnull=True) | Q(due_at__lte=moment),
        released_at__isnull=False,
        finished_at__isnull=True,
    ).order_by("released_at", "pk")
    released = released.only(*turns.SAID)
    cleared = {change.pk: change for change in released[:AT_ONCE]}
    rows = RouterPush.objects.filter(change__in=list(cleared)).order_by("position", "pk")
    by_change: dict[int, list[Any]] = {}
    for pk, change_id, *rest in rows.values_list("pk", "change_id", "router_id", "phase", "state", "lines"):
        by_change.setdefault(change_id, []).append((pk, *rest))
    touching = guarding.may_wait([pk for pk in by_change if not cleared[pk].cleared_phase], moment)
    at_work = Job.objects.filter(kind=JobKind.PUSH, state__in=LIVE).values_list("subject_id", flat=True)
    with_job = set(at_work) if any(cleared[pk].cleared_phase for pk in by_change) else set[int]()
    unread, ready = [], []
    for change_id, pushes in by_change.items():
        # What is wrong with one change keeps back that change.
        with apart("sending", change_id):
            change = cleared[change_id]
            following = pushing.next_phase((phase, state) for _pk, _router, phase, state, _lines in pushes)
            if following is None:
                continue
            if change_id in touching and _kept_back(change_id, moment):
                continue
            anew = change.cleared_phase != following.value
            begin = [] if anew else turns.ready(change, pushes, following.value, with_job, moment)
            if begin and turns.cleared(change, following.value, moment):
                ready += begin
            # What was read too long ago is read again once something may be sent. A router in the middle of its lines is not as
            # approved and not as it is to be: its end comes first.
            elif (begin or anew) and not _half_way(pushes):
                unread.append(change_id)
    return [*enqueue(JobKind.PREFLIGHT, unread), *enqueue(JobKind.PUSH, ready)]


def _half_way(pushes: list[Any]) -> bool:
    return any(state in SENDING for _pk, _router, _phase, state, _lines in pushes)


def _kept_back(change_id: int, moment: datetime) -> bool:
    """Whether a change that somebody released, perhaps ahead of its time, must wait for what goes before it."""
    change = Change.objects.get(pk=change_id)
    return change.kind in intents.FOLLOWS_REQUESTS and guarding.waits(change, moment)


def _recoveries(_moment: datetime) -> list[Job]:
    """Pushes that began and that nobody is working on: read their routers again, less often each time."""
    orphans = (
        RouterPush.objects.filter(BEGUN)
        .exclude(error_code=pushing.UNRECOGNISED)
        # What follows from its last end comes before another look at it.
        .exclude(has_job("pk", JobKind.PUSH, JobKind.FOLLOW_UP, JobKind.RECOVER))
        .order_by("pk")
    )
    keys = list(orphans.values_list("pk", flat=True)[:AT_ONCE])
    recoveries = Job.objects.filter(kind=JobKind.RECOVER, subject_id__in=keys).order_by()
    tried = recoveries.values("subject_id").annotate(times=Count("pk")).values_list("subject_id", "times")
    pauses = {pk: pause_after(First.RECOVERY, 1 + count).total_seconds() for pk, count in tried}
    return enqueue(JobKind.RECOVER, keys, pauses=pauses)


def _saves(_moment: datetime) -> list[Job]:
    """What a router refused to save, while only lines of ours are unsaved there: again, later each time, so many times."""
    jobs = Job.objects.filter(kind=JobKind.SAVE_AGAIN, subject_id=OuterRef("pk")).order_by()
    times = jobs.values("subject_id").annotate(times=Count("pk")).values("times")
    rows = saving.to_save_again().exclude(has_job("pk", JobKind.SAVE_AGAIN))
    rows = rows.annotate(tried=Coalesce(Subquery(times), 0)).filter(tried__lt=SAVES).order_by("pk")
    tried = dict(rows.values_list("pk", "tried")[:AT_ONCE])
    pauses = {pk: pause_after(First.SAVE_REFUSED, 1 + n).total_seconds() for pk, n in tried.items()}
    return enqueue(JobKind.SAVE_AGAIN, list(tried), pauses=pauses)


def _verifications(moment: datetime) -> list[Job]:
    """Routers not looked at for a while, and routers a promise is waiting to be seen on."""
    looked_at = has_job("source_link__interface__router", JobKind.VERIFY_ROUTER)
    routers = verifying.unseen(moment, without=looked_at, most=AT_ONCE)
    if settings.VERIFY_SECONDS > 0 and rereading.is_any(moment):
        longest = rereading.due(moment).exclude(has_job("router_id", JobKind.VERIFY_ROUTER))
        routers |= set(longest.values_list("router_id", flat=True)[:AT_ONCE])
    return enqueue(JobKind.VERIFY_ROUTER, sorted(routers))


def _counters(moment: datetime) -> list[Job]:
    """Routers whose counters are to be read again; one that somebody writes to is left to him meanwhile."""
    usage.end_unseen(moment)
    if settings.USAGE_SECONDS <= 0:
        return []
    usage.begin_counting(moment)
    due = usage.due(moment).exclude(has_job("router_id", JobKind.COUNT))
    return enqueue(JobKind.COUNT, list(due.values_list("router_id", flat=True)[:AT_ONCE]))


def _pruning(_moment: datetime) -> list[Job]:
    return _every(settings.PRUNE_SECONDS, JobKind.PRUNE)


def _sweeping(_moment: datetime) -> list[Job]:
    return _every(SWEEP_SECONDS, JobKind.SWEEP)


def _every(seconds: int, kind: JobKind) -> list[Job]:
    """Once in so many seconds: the last such job says when that was. Not where nothing is as old as that yet."""
    if seconds <= 0:
        return []
    before = from_now(-seconds)
    if Job.objects.filter(kind=kind, subject_id=0, created_at__gte=before).exists():
        return []
    return enqueue(kind, [0]) if Job.objects.filter(created_at__lt=before).exists() else []


_Part = Callable[[datetime], list[Job] | None]
_ALWAYS: Final[tuple[_Part, ...]] = (
    _expire,
    _settle,
    _topology,
    _failures,
    _follow_ups,
    _queues,
    _asked,
    _rehearsals,
    _verifications,
    _counters,
    _sweeping,
    _pruning,
    _sealing,
    _messages,
)
_SENDING: Final[tuple[_Part, ...]] = (_release, _pushes, _recoveries, _saves)
