"""What a router was seen to hold that is not what is intended: since when, and until when somebody leaves it so."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q


class RouterDifference(models.Model):
    """One object, or one place of a policy, of a router that was read and is not as intended.

    ``object`` is what `pipeline.verification.Difference` calls it, ``expected`` and ``found`` are text, empty where it is absent;
    ``digest`` is of the three, so another edit of the same object is another difference. It stands while ``gone_at`` is null.
    Ignored until ``ignored_until``: it stands all the same, the router is not in sync, but nobody is told of it.
    """

    router = models.ForeignKey("inventory.Router", on_delete=models.CASCADE, related_name="differences")
    object = models.CharField(max_length=300)
    expected = models.TextField(blank=True)
    found = models.TextField(blank=True)
    digest = models.CharField(max_length=64)
    first_seen_at = models.DateTimeField(db_index=True)
    last_seen_at = models.DateTimeField()
    gone_at = models.DateTimeField(null=True, blank=True, db_index=True)
    ignored_at = models.DateTimeField(null=True, blank=True)
    ignored_until = models.DateTimeField(null=True, blank=True)
    ignored_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    ignored_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["first_seen_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["router", "digest"],
                condition=Q(gone_at=None),
                name="a_difference_stands_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.router}: {self.object}"

    def is_ignored(self, at: datetime) -> bool:
        """Whether it is left as it is at that instant; one that is gone is left so no more and no less."""
        return self.ignored_until is not None and self.ignored_until > at
