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

    canary = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="So many routers of a phase go first, alone; empty: 1 where there are more than CANARY_ABOVE.",
    )
    wave_size = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="So many are in each wave after that; empty: all the others are one."
    )
    at_once = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="No more than so many at once; empty: as many as there are workers."
    )
    window_start = models.DateTimeField(
        null=True, blank=True, help_text="No router is begun before; empty: at any time."
    )
    window_end = models.DateTimeField(null=True, blank=True, help_text="No router is begun from then on.")
    ticket = models.CharField(
        max_length=80, blank=True, default="", help_text="What it is called where work is announced."
    )

    class Meta:
        abstract = True
