"""What one NREN may have at most, so that nobody sits on the backbone."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Quota(models.Model):
    """The quota of an NREN, or (without one) what its domain gives to each; empty values are the domain's, and there no bound.

    ``rate_bps`` bounds the sum of what is held and granted at any instant, ``open_requests`` those not decided, ``holds`` those
    held at once; a series counts once in both.
    """

    domain = models.ForeignKey("inventory.Domain", on_delete=models.CASCADE, related_name="quotas")
    nren = models.OneToOneField(
        "inventory.Nren", on_delete=models.CASCADE, related_name="quota", null=True, blank=True
    )
    rate_bps = models.BigIntegerField(null=True, blank=True)
    open_requests = models.PositiveIntegerField(null=True, blank=True)
    holds = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["domain"], condition=Q(nren=None), name="a_domain_has_one_quota_for_all"
            ),
            models.CheckConstraint(
                condition=Q(rate_bps=None) | Q(rate_bps__gte=0), name="a_quota_is_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"quota of {self.nren or self.domain}"
