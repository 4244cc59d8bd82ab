"""Windows that come again."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

BEHIND = "Who ever asked for it as it is: pairs of the key of a user and of who issued the token that was used, or null."


class Series(models.Model):
    """Windows that come again, asked for as one: each occurrence is a request of its own that refers to it.

    ``rule`` is an iCalendar RRULE, read in ``time_zone`` once, when it was asked for; ``left_out`` are local days (ISO
    8601) without an occurrence, ``occurrences`` how many there were then. Its state is that of its requests.
    """

    nren = models.ForeignKey("inventory.Nren", on_delete=models.PROTECT, related_name="series")
    receiving_nren = models.ForeignKey(
        "inventory.Nren", on_delete=models.PROTECT, related_name="series_received", null=True, blank=True
    )
    rule = models.CharField(max_length=300)
    time_zone = models.CharField(max_length=64)
    left_out = models.JSONField(default=list)
    only_whole = models.BooleanField(
        default=True, help_text="Granted only if every occurrence fits; else those that fit are."
    )
    occurrences = models.PositiveIntegerField()
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submitted_series"
    )
    submitted_at = models.DateTimeField(auto_now_add=True)
    behind = models.JSONField(default=list, help_text=BEHIND)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "series"
        constraints = [
            models.CheckConstraint(condition=Q(occurrences__gt=0), name="a_series_has_an_occurrence")
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """The name people use for it on the telephone."""
        return f"SER-{self.pk}"
