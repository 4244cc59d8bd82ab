"""Who is told, and how it stands with what they are told."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min, OuterRef, Q, QuerySet, Subquery

from provisioning.errors import NotVisible
from provisioning.models import Message, MessageState, Notification, Subscriber, Telling, Topic

FAILING = 3
"""So many tries of a message make it worth telling people who look at the queue."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """What one subscriber was not told: messages given up, messages that fail, and why the last one did."""

    address: str
    given_up: int
    failing: int
    error: str


def subscribers() -> QuerySet[Subscriber]:
    """Those who are told, each with how its messages stand: `sent_at`, `given_up`, `waiting`, `error` of the last that waits."""
    waiting = Message.objects.filter(subscriber=OuterRef("pk"), state=MessageState.WAITING).order_by("pk")
    taken = Q(messages__state=MessageState.SENT) | Q(messages__before_replay=MessageState.SENT)
    return (
        Subscriber.objects.filter(ended_at=None)
        .select_related("nren")
        .annotate(
            sent_at=Max("messages__finished_at", filter=taken),
            given_up=Count("messages", filter=Q(messages__state=MessageState.GIVEN_UP)),
            waiting=Count("messages", filter=Q(messages__state=MessageState.WAITING)),
            error=Subquery(waiting.values("error")[:1]),
        )
        .order_by("pk")
    )


def subscriber_of(pk: int) -> Subscriber:
    """One of them, ended or not; raises NotVisible."""
    found = Subscriber.objects.filter(pk=pk).first()
    if found is None:
        raise NotVisible("There is no such subscriber.")
    return found


def message_of(pk: int) -> Message:
    """One message; raises NotVisible."""
    found = Message.objects.filter(pk=pk).first()
    if found is None:
        raise NotVisible("There is no such message.")
    return found


def stuck() -> list[Stuck]:
    """Subscribers who were not told of something: one query, one row for each."""
    rows = (
        Message.objects.filter(
            Q(state=MessageState.GIVEN_UP) | Q(state=MessageState.WAITING, attempts__gte=FAILING)
        )
        .order_by()
        .values("subscriber", "subscriber__address")
        .annotate(
            given_up=Count("pk", filter=Q(state=MessageState.GIVEN_UP)),
            failing=Count("pk", filter=Q(state=MessageState.WAITING)),
            why=Min("error"),
        )
        .order_by("subscriber")
    )
    return [
        Stuck(row["subscriber__address"], row["given_up"], row["failing"], row["why"] or "") for row in rows
    ]


def given_up() -> QuerySet[Message]:
    """Messages that nobody tries any more and nobody has decided about, the newest first."""
    return (
        Message.objects.filter(state=MessageState.GIVEN_UP)
        .select_related("subscriber")
        .annotate(notifications=Count("tellings"))
        .order_by("-pk")
    )


def messages_of(subscriber: Subscriber) -> QuerySet[Message]:
    """What one was sent, or is to be, the newest first."""
    return Message.objects.filter(subscriber=subscriber).order_by("-created_at", "-pk")


def made_between(subscriber: Subscriber, since: datetime, until: datetime | None) -> QuerySet[Message]:
    """Messages to one that were made from `since` on and before `until`, and that have something to say.

    One whose every notification is gone (they leave with the NREN that they were about) would be sent empty.
    """
    # Asked of each message in turn: of an EXISTS the planner may make a join with every telling there is.
    says = Subquery(Telling.objects.filter(message=OuterRef("pk")).order_by().values("pk")[:1])
    rows = Message.objects.alias(says=says).filter(
        says__isnull=False, subscriber=subscriber, created_at__gte=since
    )
    return rows if until is None else rows.filter(created_at__lt=until)


def topics_of(messages: Collection[int]) -> dict[int, dict[Topic, int]]:
    """How many notifications of each topic are in each of these messages, the most urgent topic first; one query."""
    counted = (
        Telling.objects.filter(message__in=messages)
        .order_by()
        .values_list("message", "notification__topic")
        .annotate(number=Count("pk"))
    )
    found: dict[int, dict[str, int]] = {pk: {} for pk in messages}
    for pk, topic, number in counted:
        found[pk][topic] = number
    return {pk: {topic: of[topic] for topic in Topic if topic in of} for pk, of in found.items()}


def notifications() -> QuerySet[Notification]:
    """Everything that was to be told, the newest first; `told` is how many subscribers it was for."""
    return Notification.objects.select_related("nren").annotate(told=Count("tellings")).order_by("-pk")
