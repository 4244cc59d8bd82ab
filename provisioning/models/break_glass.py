"""What an approver did alone although two people were to stand behind it (ADR 44)."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from provisioning.models.changes import Change
from provisioning.models.requests import PremiumRequest
from provisioning.models.series import Series
from provisioning.pipeline.authority import Verb


class BreakGlass(models.Model):
    """One deed against the separation of duties, with its reason: it stands where everybody sees it until a different member of
    the NOC has acknowledged it.

    It is about a request (or a modification of it), a series or a change, and holds for this one deed only. ``objections``
    are the sentences that it went against.
    """

    DEEDS = [
        (Verb.DECIDE.value, "Decided"),
        (Verb.APPROVE.value, "Approved"),
    ]

    deed = models.CharField(max_length=20, choices=DEEDS)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    reason = models.TextField(max_length=2000)
    objections = models.JSONField(default=list)
    request = models.ForeignKey(
        "provisioning.PremiumRequest",
        on_delete=models.CASCADE,
        related_name="broken_glass",
        null=True,
        blank=True,
    )
    series = models.ForeignKey(
        "provisioning.Series", on_delete=models.CASCADE, related_name="broken_glass", null=True, blank=True
    )
    change = models.ForeignKey(
        "provisioning.Change", on_delete=models.CASCADE, related_name="broken_glass", null=True, blank=True
    )
    acknowledged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledgement = models.TextField(max_length=2000, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(request__isnull=False, series=None, change=None)
                | Q(request=None, series__isnull=False, change=None)
                | Q(request=None, series=None, change__isnull=False),
                name="a_break_glass_is_about_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(acknowledged_by=None) | ~Q(acknowledged_by=F("user")),
                name="a_break_glass_is_acknowledged_by_another",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(acknowledged_at=None), name="broken_glass_standing")
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def about(self) -> PremiumRequest | Series | Change:
        """The request, series or change that it is about."""
        found = self.request or self.series or self.change
        assert found is not None, "the database says so"
        return found

    @property
    def reference(self) -> str:
        """The name people use for it."""
        return f"BG-{self.pk}"
