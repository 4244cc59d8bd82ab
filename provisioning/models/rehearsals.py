"""A change played on practice routers before it is approved: what became of it, router by router. Nothing of the real push."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from provisioning.models.changes import Change, RouterPush


class RehearsalOutcome(models.TextChoices):
    """What became of one router in one phase."""

    REHEARSED = "rehearsed", "Rehearsed"
    DIFFERS = "differs", "Differs"
    REFUSED = "refused", "Refused"
    NOT_REHEARSED = "not-rehearsed", "Not rehearsed"


class Rehearsal(models.Model):
    """One time that a change was played; ``fingerprint`` is that of exactly what was played.

    ``error`` says why it could not be played to its end; ``digest`` is sha256 (hex) over its results, which the audit trail has.
    """

    change = models.ForeignKey(Change, on_delete=models.CASCADE, related_name="rehearsals")
    fingerprint = models.CharField(max_length=64)
    asked_at = models.DateTimeField(auto_now_add=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    parts = models.PositiveIntegerField(help_text="How many pushes of the change are played.")
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["change"],
                condition=Q(finished_at__isnull=True),
                name="a_change_is_rehearsed_once_at_a_time",
            )
        ]
        indexes = [
            models.Index(fields=["id"], name="rehearsals_under_way", condition=Q(finished_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"rehearsal of {self.change}"


class RehearsedPush(models.Model):
    """One push, played: ``line`` (from 1) and ``reply`` are where it ended, if at a line.

    ``lines`` are ``[number, text, reply]`` of every line of the plan that was sent, ``transcript`` the whole session as
    ``[offset_s, direction, text]``, ``unknown`` the ``[number, line, reply]`` of the running-config that the practice router did
    not take, ``differs`` objects with what they had to hold and what they hold.
    """

    rehearsal = models.ForeignKey(Rehearsal, on_delete=models.CASCADE, related_name="played")
    push = models.ForeignKey(RouterPush, on_delete=models.CASCADE, related_name="+")
    outcome = models.CharField(max_length=13, choices=RehearsalOutcome)
    said = models.TextField(help_text="What became of it, in a sentence.")
    line = models.PositiveIntegerField(null=True, blank=True)
    reply = models.TextField(blank=True)
    lines = models.JSONField(default=list)
    differs = models.JSONField(default=list)
    unknown = models.JSONField(default=list)
    transcript = models.JSONField(default=list)
    seconds = models.FloatField(default=0.0)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["rehearsal", "push"], name="a_push_is_played_once_in_a_rehearsal")
        ]

    def __str__(self) -> str:
        return f"{self.push}: {self.outcome}"
