"""How a change is steered by people once it is approved: held where it stands, and going on."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Steered(models.Model):
    """What people said about the course of a change; part of the row of the change, under its lock."""

    paused_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when no further router of it is begun; empty: nobody holds it.",
    )
    paused_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    pause_reason = models.TextField(max_length=2000, blank=True)

    class Meta:
        abstract = True
