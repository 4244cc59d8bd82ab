"""What is taken away, per kind of row: which rows, how old they have to be, and what keeps one in spite of its age."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, Q, QuerySet

from provisioning.models import (
    STANDING,
    ApprovedLines,
    ConfigSnapshot,
    DecisionRecord,
    IdempotencyKey,
    Job,
    JobKind,
    JobState,
    KeptForm,
    LedgerEntry,
    Message,
    MessageState,
    Notification,
    PremiumRequest,
    RecordedText,
    Rehearsal,
    RouterDifference,
    RouterPush,
    RouterSync,
    Span,
    StoredPlan,
    Telling,
    TopologyVersion,
    Transcript,
    UsagePeriod,
    UsageSeries,
)
from provisioning.pipeline.states import RequestState
from provisioning.services.closing import OVER

Rows = QuerySet[Any]

# What is never pruned, and why: shown below the table.
KEPT_FOR_EVER = (
    "Requests, series, reservations, changes with their pushes and approvals (also those given ahead), shares of links, audit "
    "events, the inventory, names and ownership, people, tokens, saved views and who is told are kept for ever."
)
_OFTEN = (JobKind.VERIFY_ROUTER, JobKind.COUNT)
_LIVE = (RequestState.SUBMITTED, RequestState.HELD, RequestState.ADMITTED, RequestState.ACTIVE)


def _delete(rows: Rows) -> object:
    # `only`: what refers to these rows is looked up by key; their texts stay where they are.
    return rows.order_by().only("pk").delete()


def _delete_sessions(rows: Rows) -> object:
    # What is shown of a session leaves with it; the two rows know each other by the key only.
    keys = list(rows.values_list("session_key", flat=True))
    UserSession.objects.filter(session_key__in=keys).delete()
    return _delete(rows)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of row that ends.

    `rows` are all of the kind, dated by the field `at`; `goes` narrows them to those that are superfluous at a moment
    (rows, that many before then). `batch` rows leave in one transaction. `digest` names the field whose value stays in
    the audit trail when a row leaves; empty where the trail refers to none of them. `remove` takes rows, or what is large
    in them, away.
    """

    name: str
    setting: str
    unit: timedelta
    keeps: str
    at: str
    rows: Callable[[], Rows]
    goes: Callable[[Rows, datetime], Rows]
    batch: int = 500
    digest: str = ""
    remove: Callable[[Rows], object] = _delete

    @property
    def age(self) -> timedelta | None:
        """How old a row has to be before it leaves; None: it never does."""
        number = getattr(settings, self.setting)
        return self.unit * number if number > 0 else None


def _finished(rows: Rows, before: datetime) -> Rows:
    return rows.filter(state__in=(JobState.DONE, JobState.FAILED), finished_at__lt=before)


def _of_idle_pushes(rows: Rows, before: datetime) -> Rows:
    """A push that is not over counts its sessions, however long ago they were; an unfinished change is read by people."""
    over = Q(push__isnull=True) | Q(push__state__in=OVER, push__change__finished_at__lt=before)
    return rows.filter(over, started_at__lt=before)


def _settled(rows: Rows, before: datetime) -> Rows:
    """Of changes that are over, and for none of whose requests anything is on, or to come, or to be taken off."""
    live = PremiumRequest.objects.filter(
        Q(state__in=_LIVE) | Q(reservation__isnull=False, reservation__released_at__isnull=True),
        changes=OuterRef("change"),
    )
    return rows.filter(~Exists(live), state__in=OVER, change__finished_at__lt=before)


def _empty(rows: Rows) -> object:
    """The lines go, with what was read before and after; who agreed to them, and to which digest, stays."""
    keys = list(rows.order_by("pk").values_list("pk", flat=True))
    RouterPush.objects.filter(pk__in=keys).update(before=None, after=None)
    return StoredPlan.objects.filter(pk__in=keys).update(content="", size=0)


def _of_requests_over(rows: Rows, before: datetime) -> Rows:
    """Of requests that ended before then and of which nothing is on, to come, or to be taken off."""
    needed = Q(request__state__in=_LIVE) | Q(
        request__reservation__isnull=False, request__reservation__released_at__isnull=True
    )
    return rows.exclude(needed).filter(at__lt=before, request__state_changed_at__lt=before)


def _of_no_record(rows: Rows, before: datetime) -> Rows:
    """Texts by which no decision was made of which there is a record, and that are not the network as it is."""
    newer = TopologyVersion.objects.filter(domain=OuterRef("domain"), number__gt=OuterRef("number"))
    current = TopologyVersion.objects.filter(~Exists(newer), text=OuterRef("pk"))
    records = DecisionRecord.objects.filter(Q(network=OuterRef("pk")) | Q(scheme=OuterRef("pk")))
    return rows.filter(~Exists(current), ~Exists(records), created_at__lt=before)


def _told(rows: Rows, before: datetime) -> Rows:
    """Given to whoever was subscribed, in no message any more, and not of something that lasts."""
    for_somebody = Telling.objects.filter(notification=OuterRef("pk"))
    lasts = Q(topic__in=STANDING, over_at=None)
    return rows.exclude(lasts).filter(~Exists(for_somebody), at__lt=before, told_at__lt=before)


def _without_lines(rows: Rows) -> object:
    """The lines go; who approved them, when, and to which digests, stays."""
    return rows.update(lines=[], effect={}, text="")


def _superseded(rows: Rows, before: datetime) -> Rows:
    """Of no push and not the last word on a router, and neither since `before`: nobody can be about to refer to one."""
    newer = ConfigSnapshot.objects.filter(
        router=OuterRef("router"), pk__gt=OuterRef("pk"), taken_at__lt=before
    )
    pushes = RouterPush.objects.filter(Q(before=OuterRef("pk")) | Q(after=OuterRef("pk")))
    seen = RouterSync.objects.filter(snapshot=OuterRef("pk"))
    return rows.filter(Exists(newer), ~Exists(pushes), ~Exists(seen), taken_at__lt=before)


def _usage(name: str, setting: str, span: Span, keeps: str) -> Kind:
    return Kind(
        name,
        setting,
        timedelta(days=1),
        keeps,
        "at",
        lambda: UsagePeriod.objects.filter(span=span),
        lambda rows, before: rows.filter(at__lt=before),
        batch=2000,
    )


KINDS = (
    Kind(
        "verification jobs",
        "KEEP_VERIFICATION_JOBS_HOURS",
        timedelta(hours=1),
        "done, and those that read counters; the router's page has the outcome",
        "created_at",
        lambda: Job.objects.filter(kind__in=_OFTEN, state=JobState.DONE),
        _finished,
    ),
    Kind(
        "other jobs",
        "KEEP_JOBS_DAYS",
        timedelta(days=1),
        "done or failed; never one that waits or runs",
        "created_at",
        lambda: Job.objects.exclude(kind__in=_OFTEN, state=JobState.DONE),
        _finished,
    ),
    Kind(
        "plans",
        "KEEP_PLANS_DAYS",
        timedelta(days=1),
        "lines, undo and proof of changes that are over; digests and approvals stay",
        "change__finished_at",
        lambda: RouterPush.objects.filter(stored_plan__size__gt=0),
        _settled,
        batch=100,
        digest="plan_digest",
        remove=_empty,
    ),
    Kind(
        "lines approved ahead",
        "KEEP_PLANS_DAYS",
        timedelta(days=1),
        "lines and text of requests that are over; who approved them, and their digests, stay",
        "at",
        lambda: ApprovedLines.objects.exclude(text=""),
        _of_requests_over,
        batch=100,
        remove=_without_lines,
    ),
    Kind(
        "snapshots",
        "KEEP_SNAPSHOTS_DAYS",
        timedelta(days=1),
        "running-configs replaced by a newer reading; never the last of a router, nor one that a push or a "
        "verification refers to",
        "taken_at",
        ConfigSnapshot.objects.all,
        _superseded,
        batch=50,
    ),
    Kind(
        "differences of routers",
        "KEEP_SNAPSHOTS_DAYS",
        timedelta(days=1),
        "seen gone; never one that stands",
        "gone_at",
        lambda: RouterDifference.objects.exclude(gone_at=None),
        lambda rows, before: rows.filter(gone_at__lt=before),
    ),
    Kind(
        "transcripts",
        "KEEP_TRANSCRIPTS_DAYS",
        timedelta(days=1),
        "SSH sessions of changes that are over; their digests stay in the audit trail",
        "started_at",
        Transcript.objects.all,
        _of_idle_pushes,
        batch=100,
        digest="digest",
    ),
    Kind(
        "rehearsals",
        "KEEP_TRANSCRIPTS_DAYS",
        timedelta(days=1),
        "of changes that are over; their digests stay in the audit trail",
        "asked_at",
        Rehearsal.objects.all,
        lambda rows, before: rows.filter(finished_at__lt=before, change__finished_at__lt=before),
        batch=20,
        digest="digest",
    ),
    Kind(
        "released charges",
        "KEEP_CHARGES_DAYS",
        timedelta(days=1),
        "of reservations seen gone and holds given up; never one that counts",
        "start",
        LedgerEntry.objects.all,
        lambda rows, before: rows.filter(released_at__lt=before),
    ),
    Kind(
        "records of decisions",
        "KEEP_RECORDS_DAYS",
        timedelta(days=1),
        "of requests that are over; their digests stay in the audit trail",
        "at",
        DecisionRecord.objects.all,
        _of_requests_over,
        batch=100,
        digest="digest",
    ),
    Kind(
        "texts that decisions were made by",
        "KEEP_RECORDS_DAYS",
        timedelta(days=1),
        "networks and schemes that no record refers to; never the current network",
        "created_at",
        lambda: RecordedText.objects.exclude(content=b""),
        _of_no_record,
        batch=50,
        remove=lambda rows: rows.update(content=b""),
    ),
    Kind(
        "messages",
        "KEEP_NOTIFICATIONS_DAYS",
        timedelta(days=1),
        "sent, given up or dropped; never one that waits",
        "created_at",
        Message.objects.all,
        lambda rows, before: rows.exclude(state=MessageState.WAITING).filter(finished_at__lt=before),
    ),
    Kind(
        "notifications",
        "KEEP_NOTIFICATIONS_DAYS",
        timedelta(days=1),
        "told; never one that lasts, nor one that a message is kept for",
        "at",
        Notification.objects.all,
        _told,
    ),
    _usage("usage as polled", "KEEP_USAGE_POLLS_DAYS", Span.POLL, "it is in the hours by then"),
    _usage("usage by the hour", "KEEP_USAGE_HOURS_DAYS", Span.HOUR, "it is in the days by then"),
    Kind(
        "classes that were counted",
        "KEEP_USAGE_DAYS_DAYS",
        timedelta(days=1),
        "of which no usage is kept any more",
        "seen_at",
        UsageSeries.objects.all,
        lambda rows, before: rows.filter(
            ~Exists(UsagePeriod.objects.filter(series=OuterRef("pk"))), seen_at__lt=before
        ),
    ),
    _usage("usage by the day", "KEEP_USAGE_DAYS_DAYS", Span.DAY, "nothing of it is kept after that"),
    Kind(
        "idempotency keys",
        "KEEP_IDEMPOTENCY_KEYS_DAYS",
        timedelta(days=1),
        "answers given to API clients, for their retries",
        "created_at",
        IdempotencyKey.objects.all,
        lambda rows, before: rows.filter(created_at__lt=before),
    ),
    Kind(
        "sessions",
        "KEEP_SESSIONS_DAYS",
        timedelta(days=1),
        "of the browser, since they ran out",
        "expire_date",
        Session.objects.all,
        lambda rows, before: rows.filter(expire_date__lt=before),
        remove=_delete_sessions,
    ),
    Kind(
        "kept forms",
        "KEEP_SESSIONS_DAYS",
        timedelta(days=1),
        "sent after a session had ended",
        "kept_at",
        KeptForm.objects.all,
        lambda rows, before: rows.filter(kept_at__lt=before),
    ),
)
