"""Messages that are sent again take turns: of one subscriber one at a time, the oldest first.

So a receiver gets them in the order in which they were made, and one that hangs keeps a worker no longer than with a single
message. What is new never waits for a turn.
"""

from __future__ import annotations

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Now

from provisioning.models import Message, MessageState, Subscriber
from provisioning.services.locking import locked


def due() -> QuerySet[Message]:
    """Messages that may be tried now, the longest due first: new ones, and of those that are sent again whose turn it is."""
    older = _again().filter(subscriber=OuterRef("subscriber"), pk__lt=OuterRef("pk"), refused=False)
    waiting = Message.objects.filter(state=MessageState.WAITING, next_at__lte=Now())
    return waiting.filter(Q(before_replay="") | ~Exists(older)).order_by("next_at", "pk")


def following(subscriber_id: int) -> Message | None:
    """The message that this subscriber is sent again next; None where its pause is not over, or there is none."""
    rows = due().filter(subscriber=subscriber_id).exclude(before_replay="")
    return rows.select_related("subscriber__nren").order_by("pk").first()


def holding_back() -> Q:
    """Those that wait and keep what is new from being put together: who does not answer is told all of it together later.

    One that is sent again says that nobody answers only once it has failed: a long replay would keep back every alarm.
    """
    return Q(state=MessageState.WAITING, refused=False) & (Q(before_replay="") | ~Q(error=""))


def give_back(message: Message, reason: str) -> None:
    """What waits to be sent again behind a message that is given up becomes what it was: one alarm for all of them is enough.

    Inside a transaction.
    """
    # Whoever queues or drops many of one subscriber's holds it, too: nobody meets them in another order.
    list(locked(Subscriber.objects.filter(pk=message.subscriber_id)).values_list("pk"))
    _again().filter(subscriber=message.subscriber_id).exclude(pk=message.pk).update(
        state=F("before_replay"),
        error=Case(When(before_replay=MessageState.SENT, then=Value("")), default=Value(reason)),
        before_replay="",
    )


def _again() -> QuerySet[Message]:
    return Message.objects.filter(state=MessageState.WAITING).exclude(before_replay="")
