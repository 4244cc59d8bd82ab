"""One message, sent until it is taken: at least once, each try counted before it is made."""

from __future__ import annotations

from django.conf import settings
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from provisioning.models import Channel, Message, MessageState
from provisioning.selectors.pushing import copy_held
from provisioning.services.leases import from_now
from provisioning.services.patience import First, pause_after
from provisioning.services.telling import mail, webhooks
from provisioning.services.telling.undelivered import Undelivered
from provisioning.services.telling.writing import letter_of

REFUSALS = 5
"""So often a message is tried that the other side turns down for its own sake, not because nobody is there."""


def send(*, message_id: int) -> str:
    """Try to deliver one message; return the outcome as a sentence. That it was not taken is no failure of the job."""
    message = Message.objects.select_related("subscriber__nren").get(pk=message_id)
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
    _waiting(message).update(state=MessageState.SENT, finished_at=Now(), error="", refused=False)
    return f"{to}: sent at try {message.attempts}"


def _failed(message: Message, error: Undelivered, pause: float) -> str:
    tries = min(REFUSALS, settings.NOTIFY_TRIES) if error.refused else settings.NOTIFY_TRIES
    if message.attempts >= tries:
        return _give_up(message, error.reason)
    _waiting(message).update(error=error.reason[:500], refused=error.refused)
    return f"{message.subscriber}: not sent: {error.reason}; tried again in {pause:.0f} s"


def _give_up(message: Message, reason: str) -> str:
    _waiting(message).update(state=MessageState.GIVEN_UP, finished_at=Now(), error=reason[:500])
    return f"{message.subscriber}: given up after {message.attempts} tries: {reason}"


def _waiting(message: Message) -> QuerySet[Message]:
    """The row, unless somebody has decided about it meanwhile."""
    return Message.objects.filter(pk=message.pk, state=MessageState.WAITING)
