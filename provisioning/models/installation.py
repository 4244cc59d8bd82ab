"""What holds for this database as a whole."""

from __future__ import annotations

from django.db import models

THE_ONE = 1


class Installation(models.Model):
    """One row at most: whether this copy of the service may push at all, whatever PUSH_ENABLED says.

    `push_held` says why nothing is pushed; empty: nothing holds it.
    """

    push_held = models.TextField(blank=True, default="")
    held_at = models.DateTimeField(null=True, blank=True)
    held_by = models.CharField(
        max_length=150,
        blank=True,
        default="",
        db_default="",
        help_text="Who pressed stop; empty: a restore holds it.",
    )
    restored_from = models.CharField(
        max_length=64, blank=True, default="", help_text="Digest of the backup it was restored from last."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(pk=THE_ONE), name="there_is_one_installation_at_most")
        ]

    def __str__(self) -> str:
        return "this installation"
