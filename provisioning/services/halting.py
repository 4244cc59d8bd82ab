"""One word that stops every push, and one that lets them go on: both a person's, with a reason.

While it holds no router is begun, no broken push is taken up, and what is being sent stops before its next line that
touches traffic: a safe point, for every prefix of an approved plan is proven. What is being taken back is taken back.
"""

from __future__ import annotations

from django.db import transaction

from provisioning.errors import Conflict, NotAsRead
from provisioning.models import THE_ONE, Actor, Installation, Verb
from provisioning.selectors.authority import permit
from provisioning.selectors.pushing import why_no_push
from provisioning.services import audit, clock, steering
from provisioning.services.locking import locked
from provisioning.services.stopping import Stopping
from provisioning.services.telling import events
from provisioning.services.wording import reason_text


class Halted(Stopping):
    """Somebody stopped every push: nothing more is written, and who lifts that has the router read first."""

    code = "push-stopped"


def stop_all(*, actor: Actor, reason: str) -> Installation:
    """Stop every push from now on. Raises NotPermitted, InvalidInput without a reason, Conflict when they are held already."""
    permit(actor, Verb.STOP)
    reason = reason_text(reason)
    with transaction.atomic():
        Installation.objects.get_or_create(pk=THE_ONE)
        row = locked(Installation.objects.filter(pk=THE_ONE)).get()
        if row.push_held:
            raise Conflict(f"they are held already: {row.push_held}", field="state")
        row.push_held, row.held_by, row.held_at = reason, actor.label, clock.now()
        row.save(update_fields=["push_held", "held_by", "held_at"])
        audit.record(
            actor=actor,
            action="installation.stop",
            obj=row,
            reason=reason,
            before={"push_held": ""},
            after={"push_held": reason},
        )
        events.stopped(reason, actor.label)
    return row


def go_on(*, actor: Actor, reason: str, read: str = "") -> Installation:
    """Let pushes go on that somebody stopped; every change has its routers read again first, also what was cut short.

    ``read`` is the instant of the stop that was read (`held_at`, ISO 8601; empty: whichever). Raises NotPermitted, InvalidInput
    without a reason, NotAsRead where it is another stop, Conflict when nobody stopped them: what a restore holds is let go by
    `manage.py restore --resume`, by who knows that the original is switched off.
    """
    permit(actor, Verb.GO_ON)
    reason = reason_text(reason)
    with transaction.atomic():
        steering.read_all_again()
        row = locked(Installation.objects.filter(pk=THE_ONE)).first()
        if row is None or not row.push_held:
            raise Conflict("nobody stopped the pushes", field="state")
        if not row.held_by:
            raise Conflict(f"nobody stopped them: {row.push_held}", field="state")
        if read and (row.held_at is None or read != row.held_at.isoformat()):
            raise NotAsRead(f"{row.held_by} stopped them again: {row.push_held}", field="read")
        before = {"push_held": row.push_held, "held_by": row.held_by, "held_at": row.held_at}
        row.push_held, row.held_by, row.held_at = "", "", None
        row.save(update_fields=["push_held", "held_by", "held_at"])
        audit.record(
            actor=actor,
            action="installation.go-on",
            obj=row,
            reason=reason,
            before=before,
            after={"push_held": ""},
        )
        events.let_go_on()
    return row


def check() -> None:
    """Raise Halted while pushes are held: asked before a line that touches traffic."""
    if why := why_no_push():
        raise Halted(f"{why}. The rest waits; the router is read before it goes on")
