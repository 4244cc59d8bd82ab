"""What a subscriber was sent, sent again: the same messages under the same numbers, signed anew."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from provisioning.errors import Conflict, InvalidInput
from provisioning.models import Actor, Message, MessageState, Subscriber, Verb
from provisioning.selectors.authority import permit
from provisioning.selectors.telling import made_between
from provisioning.services import audit, clock
from provisioning.services.locking import locked

MOST: Final = 1000
"""So many messages one replay sends again. Who wants more says so, one part after the other."""


@dataclass(frozen=True, slots=True)
class Replay:
    """How many messages are sent again, and how many of the same time wait anyhow."""

    messages: int
    waiting: int


def foresee(*, subscriber: Subscriber, since: datetime, until: datetime | None = None) -> Replay:
    """Say what a replay would send at this moment, and change nothing. Raises as `replay`, but for NotPermitted."""
    _open(subscriber)
    return Replay(len(_keys(subscriber, since, until)), _waiting(subscriber, since, until))


def replay(*, actor: Actor, subscriber: Subscriber, since: datetime, until: datetime | None = None) -> Replay:
    """Send again every message to this one that was made from `since` on, before `until`, and does not wait.

    Each goes out as it was, from the first try on, the oldest first. One whose notifications are gone says nothing any more and
    is left out. Raises NotPermitted, Conflict for one that is ended, InvalidInput for a time that cannot be meant or that has
    more than MOST messages.
    """
    permit(actor, Verb.NOTIFY)
    with transaction.atomic():
        row = locked(Subscriber.objects.filter(pk=subscriber.pk)).get()
        _open(row)
        waiting = _waiting(row, since, until)
        keys = _keys(row, since, until)
        # Whoever else has one of them sent again holds it until COMMIT: it waits by then, and is left to that.
        mine = locked(Message.objects.filter(pk__in=keys).exclude(state=MessageState.WAITING).order_by("pk"))
        found = list(mine.values_list("pk", flat=True))
        if found:
            _queue(found)
            said = {
                "since": since.isoformat(),
                "until": until and until.isoformat(),
                "messages": len(found),
            }
            audit.record(actor=actor, action="subscriber.replay", obj=row, after=said)
    return Replay(len(found), waiting)


def _queue(keys: list[int]) -> None:
    Message.objects.filter(pk__in=keys).update(
        before_replay=F("state"),
        state=MessageState.WAITING,
        attempts=0,
        next_at=Now(),
        refused=False,
        error="",
    )


def _keys(subscriber: Subscriber, since: datetime, until: datetime | None) -> list[int]:
    """Those that are sent again. Raises InvalidInput where the time cannot be meant, or where they are too many."""
    if since > clock.now():
        raise InvalidInput("lies in the future: nothing was sent since then", field="since")
    if until is not None and until <= since:
        raise InvalidInput("is not after the beginning", field="until")
    rows = (
        made_between(subscriber, since, until)
        .exclude(state=MessageState.WAITING)
        .order_by("created_at", "pk")
    )
    found = list(rows.values_list("pk", "created_at")[: MOST + 1])
    if len(found) > MOST:
        raise InvalidInput(
            f"{rows.count()} messages are of that time, and at most {MOST} are sent again at once: say until when, such as "
            f"{found[MOST][1].isoformat()}, and go on from there when they were taken",
            field="since",
        )
    return [pk for pk, _at in found]


def _waiting(subscriber: Subscriber, since: datetime, until: datetime | None) -> int:
    return made_between(subscriber, since, until).filter(state=MessageState.WAITING).count()


def _open(subscriber: Subscriber) -> None:
    if subscriber.ended_at is not None:
        raise Conflict(f"{subscriber} is ended")
