"""What somebody has to be told, to whom, and in which messages: the outbox."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from provisioning.models.credentials import EncryptedField


class Topic(models.TextChoices):
    """What a notification is about, the most urgent first: a message lists them in this order."""

    BARE = "bare-interface", "Interface without a policy"
    OPEN_EDGE = "open-edge", "Open edge under a live core queue"
    WRONG_ROUTER = "wrong-router", "Another router answers"
    PUSH_UNKNOWN = "push-unknown", "Push broken off"
    PUSH_FAILED = "push-failed", "Push failed"
    PUSH_TAKEN_BACK = "push-taken-back", "Push taken back"
    PUSH_STALE = "push-stale", "Push gone stale"
    NOT_SAVED = "not-saved", "Verified, not saved"
    DIFFERS = "router-differs", "Router not as intended"
    UNREAD = "router-unread", "Router not read"
    DROPPED = "usage-dropped", "Reserved traffic dropped"
    STOPPED = "pushes-stopped", "Every push stopped"
    PAUSED = "change-paused", "Change paused"
    ALONE = "break-glass", "Done alone by break-glass"
    CLOSED = "interface-closed", "Interface has a policy again"
    DECIDED = "request-decided", "Request decided"
    QUESTION = "request-question", "Question about a request"
    TEST = "test", "Test"


STANDING = frozenset(
    {
        Topic.BARE,
        Topic.OPEN_EDGE,
        Topic.WRONG_ROUTER,
        Topic.PUSH_UNKNOWN,
        Topic.NOT_SAVED,
        Topic.DIFFERS,
        Topic.UNREAD,
        Topic.DROPPED,
        Topic.STOPPED,
        Topic.PAUSED,
        Topic.ALONE,
    }
)
"""Topics that last until they are seen to be over, and can come again; the others happen once."""


class Channel(models.TextChoices):
    """How somebody is told."""

    MAIL = "mail", "Mail"
    WEBHOOK = "webhook", "Webhook"


class Subscriber(models.Model):
    """Who is told: a mail address or a webhook.

    ``address`` is what may be shown; of a webhook it is the host, for the whole ``url`` is often a secret itself. ``topics``
    empty: all that concern the NOC. With ``nren`` it is told of the decisions on that NREN's requests and of what is dropped of
    its traffic, and of nothing else.
    """

    channel = models.CharField(max_length=8, choices=Channel)
    address = models.CharField(max_length=254)
    url = EncryptedField(blank=True)
    secret = EncryptedField(blank=True)
    topics = models.JSONField(default=list)
    nren = models.ForeignKey(
        "inventory.Nren", on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    gathered_at = models.DateTimeField(
        null=True, blank=True, help_text="When its last message was put together."
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["address"],
                condition=Q(channel="mail", ended_at=None, nren=None),
                name="an_address_of_the_noc_is_told_once",
            ),
            models.UniqueConstraint(
                fields=["address", "nren"],
                condition=Q(channel="mail", ended_at=None),
                name="an_address_of_an_nren_is_told_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_channel_display().lower()} to {self.address}"


class Notification(models.Model):
    """One thing to be told: one row per topic and subject while it lasts, so that however often it is seen it is told once.

    ``over_at`` is when a topic that lasts was seen to be over; what comes after that is a new row. ``told_at`` is when it was
    given to whoever was subscribed then.
    """

    topic = models.CharField(max_length=20, choices=Topic)
    subject = models.CharField(
        max_length=200, help_text="What it is about, such as router/12/Serial1/0/input."
    )
    at = models.DateTimeField()
    title = models.CharField(max_length=300)
    text = models.TextField(blank=True)
    path = models.CharField(max_length=200, blank=True)
    nren = models.ForeignKey(
        "inventory.Nren", on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    told_at = models.DateTimeField(null=True, blank=True)
    over_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["at"]),
            models.Index(fields=["id"], condition=Q(told_at=None), name="not_told_yet"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["topic", "subject"],
                condition=Q(over_at=None),
                name="one_topic_of_a_subject_is_told_once",
            )
        ]

    def __str__(self) -> str:
        return self.title


class MessageState(models.TextChoices):
    """WAITING until it was taken (SENT), nobody tries any more (GIVEN_UP), or nobody wants it any more (DROPPED)."""

    WAITING = "waiting", "Waiting"
    SENT = "sent", "Sent"
    GIVEN_UP = "given-up", "Given up"
    DROPPED = "dropped", "Dropped"


class Message(models.Model):
    """One mail, or one POST, to one subscriber: the notifications of a moment together.

    What it says is fixed when it is made, and ``number`` tells whoever gets it twice that it is the same. ``refused`` says that
    the last try was turned down for this message's sake, so that others may pass it. ``before_replay`` is what it was before
    somebody had it sent again, while it waits for that; ``finished_at`` stays what it was until then.
    """

    number = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    subscriber = models.ForeignKey(Subscriber, on_delete=models.CASCADE, related_name="messages")
    state = models.CharField(max_length=8, choices=MessageState, default=MessageState.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField()
    refused = models.BooleanField(default=False)
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    before_replay = models.CharField(max_length=8, choices=MessageState, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["next_at"], condition=Q(state="waiting"), name="messages_that_wait"),
            models.Index(
                fields=["subscriber", "id"],
                condition=Q(state="waiting", refused=False),
                name="messages_that_hold_back",
            ),
            models.Index(fields=["created_at"]),
            models.Index(fields=["subscriber", "created_at", "id"], name="messages_of_one_in_time"),
        ]

    def __str__(self) -> str:
        return f"message {self.pk} to {self.subscriber}"


class Telling(models.Model):
    """That a notification is for a subscriber, and in which message; none: in the next."""

    notification = models.ForeignKey(Notification, on_delete=models.CASCADE, related_name="tellings")
    subscriber = models.ForeignKey(Subscriber, on_delete=models.CASCADE, related_name="tellings")
    message = models.ForeignKey(
        Message, on_delete=models.CASCADE, null=True, blank=True, related_name="tellings"
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["notification", "subscriber"], name="a_subscriber_is_told_of_a_thing_once"
            )
        ]
        indexes = [
            models.Index(fields=["subscriber"], condition=Q(message=None), name="tellings_that_wait"),
        ]

    def __str__(self) -> str:
        return f"{self.notification} for {self.subscriber}"
