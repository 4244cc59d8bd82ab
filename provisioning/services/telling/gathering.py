"""Who is told of what, and in which message: asked at every tick, a bounded number of questions.

The first thing after a quiet time goes out at once; what comes within `NOTIFY_WINDOW_SECONDS` of it goes together, in one
message: of a hundred routers that fail in a minute come two. While a message cannot be delivered because nobody answers there,
no other is made for that subscriber: what happens meanwhile is gathered into the next.
"""

from __future__ import annotations

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from provisioning.models import Message, Notification, Subscriber, Telling, Topic
from provisioning.selectors.pushing import copy_held
from provisioning.services.leases import from_now
from provisioning.services.locking import locked
from provisioning.services.telling import in_turn

AT_ONCE = 1000


def gather() -> list[int]:
    """Give what is new to its subscribers, put together the messages whose time has come; the keys of those to be sent now.

    Nothing is put together or sent by a copy that was restored and may not push: the original tells.
    """
    _hand_out()
    if copy_held():
        return []
    if Telling.objects.filter(message=None).exists():
        for pk in _with_something_to_tell().values_list("pk", flat=True)[:AT_ONCE]:
            _put_together(pk)
    return list(in_turn.due().values_list("pk", flat=True)[:AT_ONCE])


def wants(subscriber: Subscriber, notification: Notification) -> bool:
    """Whether a subscriber is told of something. Decisions, what is dropped of its traffic, and what the NOC says about its
    requests go to the NREN's own addresses; decisions to the NOC where it asks for them.
    """
    if subscriber.nren_id is not None:
        return notification.nren_id == subscriber.nren_id
    if notification.topic == Topic.QUESTION and notification.nren_id is not None:
        return False  # what the NOC said itself
    if subscriber.topics:
        return notification.topic in subscriber.topics
    return notification.topic != Topic.DECIDED


def _hand_out() -> None:
    """Say of each new notification for whom it is; once, also where two tick at the same time."""
    if not Notification.objects.filter(told_at=None).exists():
        return
    with transaction.atomic():
        new = Notification.objects.filter(told_at=None).order_by("pk")
        rows = list(locked(new, skip_locked=connection.features.has_select_for_update_skip_locked)[:AT_ONCE])
        subscribers = list(Subscriber.objects.filter(ended_at=None))
        Telling.objects.bulk_create(
            [
                Telling(notification=row, subscriber=each)
                for row in rows
                for each in subscribers
                if wants(each, row)
            ],
            ignore_conflicts=True,
            batch_size=AT_ONCE,
        )
        Notification.objects.filter(pk__in=[row.pk for row in rows]).update(told_at=Now())


def _with_something_to_tell() -> QuerySet[Subscriber]:
    """Subscribers for whom something waits, whose last message is a window ago, and who can be reached as far as we know."""
    waits = Telling.objects.filter(subscriber=OuterRef("pk"), message=None)
    stuck = Message.objects.filter(in_turn.holding_back(), subscriber=OuterRef("pk"))
    window = Q(gathered_at=None) | Q(gathered_at__lte=from_now(-settings.NOTIFY_WINDOW_SECONDS))
    return Subscriber.objects.filter(window, Exists(waits), ~Exists(stuck), ended_at=None).order_by("pk")


def _put_together(pk: int) -> None:
    with transaction.atomic():
        # Asked again under the lock: who ticks at the same time has just done it.
        list(locked(Subscriber.objects.filter(pk=pk)).values_list("pk"))
        if not _with_something_to_tell().filter(pk=pk).exists():
            return
        message = Message.objects.create(subscriber_id=pk, next_at=Now(), created_at=Now())
        Telling.objects.filter(subscriber=pk, message=None).update(message=message)
        Subscriber.objects.filter(pk=pk).update(gathered_at=Now())
