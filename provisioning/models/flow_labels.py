"""Which flow labels are in use, or were until a moment ago (D4.4.2v2 section 6; RFC 3697)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from provisioning.models.requests import PremiumRequest


class FlowLabelUse(models.Model):
    """One label of one sender, from when a request took it; ``ended_at`` empty while it is in use.

    The rows stay, so that a restart forgets no label that may not be used again yet.
    """

    nren = models.ForeignKey("inventory.Nren", on_delete=models.PROTECT, related_name="flow_labels")
    request = models.OneToOneField(PremiumRequest, on_delete=models.PROTECT, related_name="flow_label_use")
    label = models.PositiveIntegerField()
    taken_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(label__range=(1, 0xFFFFF)),
                name="a_flow_label_in_use_has_twenty_bits_and_is_not_zero",
            ),
            models.UniqueConstraint(
                fields=["nren", "label"],
                condition=Q(ended_at__isnull=True),
                name="a_flow_label_names_one_flow_of_an_nren",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.label} of {self.nren_id} for {self.request_id}"
