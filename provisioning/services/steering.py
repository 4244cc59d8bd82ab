"""A change that is under way, held and let go on by people. What was begun ends by itself: the safe point is between two routers.

To take away what has not begun is `changes.cancel`.
"""

from __future__ import annotations

from django.db import transaction

from provisioning.errors import Conflict, NotPermitted
from provisioning.models import Actor, Change
from provisioning.pipeline.change import PushState
from provisioning.services import audit, clock
from provisioning.services.locking import locked
from provisioning.services.wording import reason_text


def pause(*, actor: Actor, change: Change, reason: str) -> Change:
    """Begin no further router of an approved change until somebody lets it go on; what was begun ends by itself.

    From the moment this returns no push of the change sends its first line (`pushing.turn`). Raises NotPermitted,
    InvalidInput without a reason, Conflict when it is paused already or nothing of it is left to begin.
    """
    if not actor.is_noc:
        raise NotPermitted("Only the NOC pauses a change.")
    reason = reason_text(reason)
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        if change.paused_at is not None:
            raise Conflict(f"{change.reference} is paused already: {change.pause_reason}", field="state")
        if not change.pushes.filter(state=PushState.APPROVED).exists():
            raise Conflict(f"{change.reference} has no router left that is still to begin", field="state")
        change.paused_at, change.paused_by_id, change.pause_reason = clock.now(), actor.user_id, reason
        change.save(update_fields=["paused_at", "paused_by", "pause_reason"])
        audit.record(
            actor=actor,
            action="change.paused",
            obj=change,
            reason=reason,
            before={"paused_at": None},
            after={"paused_at": change.paused_at},
        )
    return change


def resume(*, actor: Actor, change: Change, reason: str) -> Change:
    """Let a paused change go on: its routers are all read again before the next one is begun, however short the pause was.

    Raises NotPermitted, InvalidInput without a reason, Conflict when it is not paused.
    """
    if not actor.is_noc:
        raise NotPermitted("Only the NOC lets a change go on.")
    reason = reason_text(reason)
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        if change.paused_at is None:
            raise Conflict(f"{change.reference} is not paused", field="state")
        before = {"paused_at": change.paused_at, "cleared_phase": change.cleared_phase}
        change.paused_at, change.paused_by_id, change.pause_reason = None, None, ""
        change.cleared_phase = ""
        change.save(update_fields=["paused_at", "paused_by", "pause_reason", "cleared_phase"])
        audit.record(
            actor=actor,
            action="change.resumed",
            obj=change,
            reason=reason,
            before=before,
            after={"paused_at": None, "cleared_phase": ""},
        )
    return change
