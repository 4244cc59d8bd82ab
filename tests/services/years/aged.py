"""Rows as if they had been written long ago, and what the trail says of those that went."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from inventory.models import Router
from provisioning.models import (
    AuditEvent,
    Change,
    ChangeKind,
    ConfigSnapshot,
    Job,
    JobKind,
    JobState,
    RouterPush,
)
from provisioning.pipeline.states import PushState
from provisioning.services import retention

YEARS = timedelta(days=3 * 365)


def aged(row: Any, age: timedelta, *fields: str) -> Any:
    """The row as if it had been written `age` ago."""
    type(row).objects.filter(pk=row.pk).update(**{name: timezone.now() - age for name in fields})
    row.refresh_from_db()
    return row


def pruned(kind: str) -> dict[int, str]:
    """Of every row of this kind that was pruned: its key and the digest it had, as the trail says."""
    events = AuditEvent.objects.filter(action="retention.prune", after__kind=kind)
    return {key: digest for event in events for key, digest in event.after["rows"]}


def job(kind: JobKind, state: JobState, age: timedelta, subject: int = 1) -> Job:
    finished = timezone.now() - age if state in (JobState.DONE, JobState.FAILED) else None
    made = Job.objects.create(
        kind=kind, subject_id=subject, state=state, available_at=timezone.now(), finished_at=finished
    )
    return aged(made, age, "created_at")


def snapshot(router: Router, age: timedelta, text: str = "hostname uk6") -> ConfigSnapshot:
    return aged(ConfigSnapshot.objects.create(router=router, text=text, digest="1" * 64), age, "taken_at")


def push(router: Router, state: PushState, ended: datetime | None, **fields: Any) -> RouterPush:
    change = Change.objects.create(
        kind=ChangeKind.REPAIR,
        title="repair",
        scheme="6net",
        scheme_digest="",
        template_digest="",
        intent_digest="",
        finished_at=ended,
    )
    return RouterPush.objects.create(
        change=change, router=router, phase="edge", position=1, state=state, **fields
    )


def gone(kind: str) -> int:
    return next(each.gone for each in retention.prune() if each.kind == kind)
