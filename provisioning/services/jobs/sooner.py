"""A router that is to be read again after a broken push, now instead of when its pause is over: a person has mended something."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from provisioning.errors import Conflict
from provisioning.models import Actor, Job, JobKind, JobState, RouterPush, Verb
from provisioning.pipeline.states import UNSURE
from provisioning.selectors.authority import permit
from provisioning.services import audit, pushing
from provisioning.services.jobs.making import LIVE, enqueue


def waits_to_be_read(push: RouterPush) -> bool:
    """Whether a push began, nobody knows how it stands, and a job will read its router again by itself."""
    return push.state in UNSURE and push.started_at is not None and push.error_code != pushing.UNRECOGNISED


def try_now(*, actor: Actor, push: RouterPush) -> None:
    """Have the router of a broken push read as soon as a worker is free: the push is finished or taken back as approved.

    Its pauses grow to five minutes, and whoever has just mended the line waits for nothing. Twice is once. Raises NotPermitted,
    PushDisabled, Conflict when there is nothing to be tried, or a worker is at it.
    """
    permit(actor, Verb.MEND)
    pushing.require_enabled()
    push.refresh_from_db()
    where = f"{push.change.reference} on {push.router.name}"
    if not waits_to_be_read(push):
        raise Conflict(f"{where} is {push.state.lower().replace('_', ' ')}: nothing waits to be tried")
    mine = Job.objects.filter(subject_id=push.pk, state__in=LIVE)
    if (
        mine.filter(kind=JobKind.PUSH).exists()
        or mine.filter(kind=JobKind.RECOVER, state=JobState.LEASED).exists()
    ):
        raise Conflict(f"a worker is at {where} already")
    with transaction.atomic():
        enqueue(JobKind.RECOVER, [push.pk])
        waiting = Job.objects.filter(kind=JobKind.RECOVER, subject_id=push.pk, state=JobState.QUEUED)
        waiting.update(available_at=Now(), sent_at=None)
        audit.record(
            actor=actor,
            action="push.try-now",
            obj=push,
            reason="",
            before={"state": push.state},
            after={"state": push.state},
        )
