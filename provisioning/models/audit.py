"""The audit trail: append only, each event chained to the one before by its hash."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class AuditHead(models.Model):
    """The one row that is locked to append: the last sequence number and hash."""

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
    action = models.CharField(max_length=60)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    object_label = models.CharField(max_length=200, blank=True)
    nren_ids = models.JSONField(default=list, help_text="The NRENs that may see this event.")
    reason = models.TextField(blank=True)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    previous_digest = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["-sequence"]
        indexes = [models.Index(fields=["object_type", "object_id"])]

    def __str__(self) -> str:
        return f"#{self.sequence} {self.action} {self.object_label}"
