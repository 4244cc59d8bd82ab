"""The queue of work of each router: when to look at it, and what it waits for."""

from __future__ import annotations

from django.db import models


class RouterQueue(models.Model):
    """One row per router. A mark or an instant says that the work is to be looked at; what the work is follows from
    requests, reservations and changes, never from here: a mark that was forgotten delays, it loses nothing.
    """

    router = models.OneToOneField("inventory.Router", on_delete=models.CASCADE, related_name="queue")
    marked_at = models.DateTimeField(
        null=True,
        blank=True,
        db_index=True,
        help_text="When something happened that may change what is to be done.",
    )
    look_at = models.DateTimeField(
        null=True, blank=True, db_index=True, help_text="When to look though nothing happens until then."
    )
    worked_at = models.DateTimeField(null=True, blank=True, help_text="When it was last looked at.")
    waits_for = models.TextField(
        blank=True, help_text="What keeps the router's work from being planned, in one sentence."
    )
    tries = models.PositiveIntegerField(
        default=0, help_text="Readings that failed in a row, or plans that went stale in a row."
    )

    def __str__(self) -> str:
        return f"queue of {self.router}"
