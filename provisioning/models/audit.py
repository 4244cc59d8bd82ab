"""The audit trail: append only, each event chained to the one before about the same subject, all of them sealed in order."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class AuditHead(models.Model):
    """How far a chain goes and its last hash: row 1 of the one chain of old, which is over; row 2 of the seals."""

    sequence = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="0" * 64)

    def __str__(self) -> str:
        return f"#{self.sequence}"


class AuditEvent(models.Model):
    """Who did what to which object, when, why, and what it was before and after."""

    sequence = models.BigIntegerField(unique=True)
    at = models.DateTimeField()
    actor = models.CharField(max_length=150)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    via = models.CharField(max_length=8)
    account = models.CharField(
        max_length=80,
        blank=True,
        default="",
        help_text="The account of the operating system that typed it, where it was a command.",
    )
    action = models.CharField(max_length=60)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    object_label = models.CharField(max_length=200, blank=True)
    nren_ids = models.JSONField(default=list, help_text="The NRENs that may see this event.")
    reason = models.TextField(blank=True)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    chain_index = models.BigIntegerField(
        null=True,
        help_text="Its place among the events about the same subject; empty in the one chain of old.",
    )
    subject_digest = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="Of the subject as it was stored then, where it is bound.",
    )
    previous_digest = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["-sequence"]
        indexes = [models.Index(fields=["actor", "sequence"], name="audit_events_of_a_person")]
        constraints = [
            models.UniqueConstraint(
                fields=["object_type", "object_id", "chain_index"], name="a_chain_has_each_place_once"
            )
        ]

    def __str__(self) -> str:
        return f"#{self.sequence} {self.action} {self.object_label}"


class AuditSubject(models.Model):
    """How long the chain of a subject is and its last hash; the row that is locked to append to it."""

    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    length = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="0" * 64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["object_type", "object_id"], name="a_subject_has_one_chain")
        ]

    def __str__(self) -> str:
        return f"{self.object_type} {self.object_id}"


class AuditWaiting(models.Model):
    """An event that was committed and has no seal yet."""

    event_id = models.BigIntegerField(primary_key=True)

    def __str__(self) -> str:
        return f"#{self.event_id}"


class AuditSeal(models.Model):
    """The place of an event in the order of all; its digest covers the event's and that of the seal before it."""

    position = models.BigIntegerField(primary_key=True)
    event_id = models.BigIntegerField(unique=True)
    sealed_at = models.DateTimeField()
    previous_digest = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, db_index=True)

    class Meta:
        ordering = ["-position"]

    def __str__(self) -> str:
        return f"{self.position}: #{self.event_id}"
