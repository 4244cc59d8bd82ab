"""Who wants a change rehearsed says so; a job does it."""

from __future__ import annotations

from django.db import transaction

from provisioning.errors import Conflict
from provisioning.models import Actor, Change, Rehearsal, Verb
from provisioning.pipeline.states import PushState
from provisioning.selectors.authority import permit
from provisioning.selectors.rehearsals import parts_of
from provisioning.services import audit, versions
from provisioning.services.approval import fingerprint
from provisioning.services.locking import locked
from provisioning.services.practice import lending

_NOT_BEGUN = frozenset({PushState.PLANNED, PushState.APPROVED, PushState.CANCELLED})


def ask(*, actor: Actor, change: Change) -> Rehearsal:
    """Have a change played on practice routers as it is planned now; one that is under way already is the answer.

    Nothing is sent to any router of the network, whatever PUSH_ENABLED says. Raises NotPermitted, NoPracticeRouters, Conflict
    when the change is not planned yet, has nothing to send, has begun or is over.
    """
    versions.check()
    permit(actor, Verb.REHEARSE)
    lending.require()
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        parts = _parts_to_play(change)
        under_way = Rehearsal.objects.filter(change=change, finished_at=None).first()
        if under_way is not None:
            return under_way
        row = Rehearsal.objects.create(
            change=change, fingerprint=fingerprint(change), asked_by_id=actor.user_id, parts=parts
        )
        audit.record(
            actor=actor,
            action="change.rehearse",
            obj=change,
            after={"rehearsal": row.pk, "fingerprint": row.fingerprint, "pushes": parts},
        )
    return row


def _parts_to_play(change: Change) -> int:
    """How many pushes there are to be played; raises Conflict when it makes no sense to play them."""
    if change.planned_at is None:
        raise Conflict(
            f"{change.reference} is not planned yet: there are no lines to rehearse", field="state"
        )
    if change.finished_at is not None:
        raise Conflict(f"{change.reference} is over", field="state")
    parts = parts_of(change)
    if not parts:
        raise Conflict(f"{change.reference} sends nothing, so there is nothing to rehearse", field="state")
    if any(push.lines and PushState(push.state) not in _NOT_BEGUN for push in parts):
        raise Conflict(
            f"{change.reference} has begun: its routers are not any more as they were read for it",
            field="state",
        )
    return len(parts)
