"""What the NOC and the NREN that asks say to each other about a request."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from provisioning.models.requests import PremiumRequest


class Remark(models.Model):
    """One word about a request, of the NOC (``of_noc``) or of the NREN that sends. It is never edited.

    ``asks``: an answer of the other side is waited for; ``answered_at`` is when there was one.
    """

    request = models.ForeignKey(PremiumRequest, on_delete=models.PROTECT, related_name="remarks")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    of_noc = models.BooleanField()
    asks = models.BooleanField()
    text = models.TextField(max_length=2000)
    at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(
                fields=["of_noc", "id"], condition=Q(asks=True, answered_at=None), name="remark_not_answered"
            )
        ]

    def __str__(self) -> str:
        return f"{self.request.reference}: {self.text[:60]}"
