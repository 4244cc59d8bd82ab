"""A change that is under way, held and let go on by people. What was begun ends by itself: the safe point is between two routers.

To take away what has not begun is `changes.cancel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.db.models import F

from provisioning.errors import Conflict, InvalidInput, NotAsRead
from provisioning.models import Actor, Change, Verb
from provisioning.pipeline.states import PushState
from provisioning.selectors.authority import permit
from provisioning.services import audit, clock
from provisioning.services.locking import locked
from provisioning.services.telling import events
from provisioning.services.wording import one_line, reason_text


def pause(*, actor: Actor, change: Change, reason: str) -> Change:
    """Begin no further router of an approved change until somebody lets it go on; what was begun ends by itself.

    From the moment this returns no push of the change sends its first line (`pushing.turn`). Raises NotPermitted,
    InvalidInput without a reason, Conflict when it is paused already or nothing of it is left to begin.
    """
    permit(actor, Verb.PAUSE)
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
        events.paused(change, actor.label)
    return change


def resume(*, actor: Actor, change: Change, reason: str, read: str = "") -> Change:
    """Let a paused change go on: its routers are all read again before the next one is begun, however short the pause was.

    ``read`` is the instant of the pause that was read (`paused_at`, ISO 8601; empty: whichever). Raises NotPermitted,
    InvalidInput without a reason, Conflict when it is not paused, NotAsRead where it is another pause.
    """
    permit(actor, Verb.PAUSE)
    reason = reason_text(reason)
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        if change.paused_at is None:
            raise Conflict(f"{change.reference} is not paused", field="state")
        if read and read != change.paused_at.isoformat():
            raise NotAsRead(f"{change.reference} was paused again: {change.pause_reason}", field="read")
        before = {"paused_at": change.paused_at, "cleared_phase": change.cleared_phase}
        change.paused_at, change.paused_by_id, change.pause_reason = None, None, ""
        change.cleared_phase, change.steered = "", change.steered + 1
        change.save(update_fields=["paused_at", "paused_by", "pause_reason", "cleared_phase", "steered"])
        audit.record(
            actor=actor,
            action="change.resumed",
            obj=change,
            reason=reason,
            before=before,
            after={"paused_at": None, "cleared_phase": ""},
        )
        events.resumed(change)
    return change


def read_all_again() -> None:
    """Have every change that is under way read its routers before the next one is begun. Inside a transaction.

    What was read before a long stop says nothing of the routers: a core queue would go on beside an edge opened meanwhile.
    """
    rows = Change.objects.filter(released_at__isnull=False, finished_at__isnull=True).order_by("pk")
    keys = list(locked(rows).values_list("pk", flat=True))
    Change.objects.filter(pk__in=keys).update(cleared_phase="", steered=F("steered") + 1)


UNSAID: Final = object()
"""Of a rule of the course: as it is."""
_MOST = 10_000


def set_course(*, actor: Actor, change: Change, reason: str, **rules: Any) -> Change:
    """Say when routers of a change may be begun, how many first and at once, and under which ticket; None: no such rule.

    `rules` are of `canary`, `wave_size`, `at_once` (numbers), `window_start`, `window_end` (instants) and `ticket`; what is not
    given, or UNSAID, stays. Whoever may press push may say so until the change is over: an approval is of lines, not of the
    hour (ADR 39). In another window all its routers are read again first. Raises NotPermitted, InvalidInput naming the rule,
    Conflict when the change is over.
    """
    permit(actor, Verb.COURSE)
    reason = reason_text(reason)
    said = {name: value for name, value in rules.items() if value is not UNSAID}
    for name, value in said.items():
        said[name] = _checked(name, value)
    with transaction.atomic():
        change = locked(Change.objects.all()).get(pk=change.pk)
        if change.finished_at is not None:
            raise Conflict(f"{change.reference} is over", field="state")
        before = {name: getattr(change, name) for name in said}
        for name, value in said.items():
            setattr(change, name, value)
        _window(change, said)
        if {"window_start", "window_end"} & set(said):
            change.cleared_phase, change.steered = "", change.steered + 1
        change.save(update_fields=[*said, "cleared_phase", "steered"])
        audit.record(
            actor=actor, action="change.course", obj=change, reason=reason, before=before, after=dict(said)
        )
    return change


def _checked(name: str, value: Any) -> Any:
    if name == "ticket":
        return one_line(value, field=name, longest=80) if value else ""
    if name in ("window_start", "window_end"):
        return value
    least = 0 if name == "canary" else 1
    if name not in ("canary", "wave_size", "at_once"):
        raise InvalidInput("there is no such rule", field=name)
    if value is not None and not (type(value) is int and least <= value <= _MOST):
        raise InvalidInput(f"a number from {least} to {_MOST} is needed", field=name)
    return value


def _window(change: Change, said: Mapping[str, Any]) -> None:
    start, end = change.window_start, change.window_end
    if "window_end" in said and end is not None and end <= clock.now():
        raise InvalidInput("it is over already", field="window_end")
    if start is not None and end is not None and end <= start:
        raise InvalidInput("a window ends after it begins", field="window_end")
