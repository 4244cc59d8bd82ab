"""One message, sent until it is taken: at least once, each try counted before it is made."""

from __future__ import annotations

import time

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from provisioning.models import Channel, Message, MessageState
from provisioning.pipeline.units import how_many
from provisioning.selectors.pushing import copy_held
from provisioning.services import stopping
from provisioning.services.leases import from_now
from provisioning.services.patience import First, pause_after
from provisioning.services.telling import in_turn, mail, webhooks
from provisioning.services.telling.undelivered import Undelivered
from provisioning.services.telling.writing import letter_of

REFUSALS = 5
"""So often a message is tried that the other side turns down for its own sake, not because nobody is there."""


def send(*, message_id: int) -> str:
    """Try to deliver one message; return the outcome as a sentence. That it was not taken is no failure of the job.

    One that is sent again has the next follow while they are taken, for as long as one may last: a thousand would need as many
    ticks otherwise.
    """
    message = Message.objects.select_related("subscriber__nren").get(pk=message_id)
    until, before = time.monotonic() + settings.NOTIFY_TIMEOUT_SECONDS, 0
    outcome = _try(message)
    while message.before_replay and message.state == MessageState.SENT and time.monotonic() < until:
        stopping.check()
        following = in_turn.following(message.subscriber_id)
        if following is None:
            break
        message, before = following, before + 1
        outcome = _try(message)
    return f"{outcome}; {how_many(before, 'message')} before it" if before else outcome


def _try(message: Message) -> str:
    """Try one; its `state` is SENT then where it was taken."""
    if message.state != MessageState.WAITING:
        return f"nothing to do: {message.get_state_display().lower()} already"
    if held := copy_held():
        return f"nothing is sent: {held}"
    if message.attempts >= settings.NOTIFY_TRIES:
        return _give_up(message, message.error or "no worker came back from the last try")
    pause = pause_after(First.MESSAGE, message.attempts + 1).total_seconds()
    # Counted first: a worker that is killed in the middle has tried, too. Who was faster sends it, and
    # keeps the others off it for a pause.
    mine = _waiting(message).filter(attempts=message.attempts, next_at__lte=Now())
    if not mine.update(attempts=F("attempts") + 1, next_at=from_now(pause)):
        return "nothing to do: another worker is at it, or its pause is not over"
    message.attempts += 1
    to = message.subscriber
    try:
        (mail if to.channel == Channel.MAIL else webhooks).deliver(message, letter_of(message))
    except Undelivered as error:
        return _failed(message, error, pause)
    _waiting(message).update(
        state=MessageState.SENT, finished_at=Now(), error="", refused=False, before_replay=""
    )
    message.state = MessageState.SENT
    return f"{to}: sent at try {message.attempts}"


def _failed(message: Message, error: Undelivered, pause: float) -> str:
    tries = min(REFUSALS, settings.NOTIFY_TRIES) if error.refused else settings.NOTIFY_TRIES
    if message.attempts >= tries:
        return _give_up(message, error.reason, alone=error.refused)
    _waiting(message).update(error=error.reason[:500], refused=error.refused)
    return f"{message.subscriber}: not sent: {error.reason}; tried again in {pause:.0f} s"


def _give_up(message: Message, reason: str, *, alone: bool = False) -> str:
    """Nobody tries it any more. Where nobody answers, those that were to be sent again behind it are not tried for as long each,
    one after the other: they are what they were.
    """
    outcome = f"{message.subscriber}: given up after {message.attempts} tries: {reason}"
    with transaction.atomic():
        if message.before_replay and not alone:
            in_turn.give_back(message, reason[:500])
        _waiting(message).update(
            state=MessageState.GIVEN_UP, finished_at=Now(), error=reason[:500], before_replay=""
        )
    return outcome


def _waiting(message: Message) -> QuerySet[Message]:
    """The row, unless somebody has decided about it meanwhile."""
    return Message.objects.filter(pk=message.pk, state=MessageState.WAITING)
