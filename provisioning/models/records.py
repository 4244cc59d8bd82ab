"""What each decision rested on, kept so that it can be derived again: one row per decision, signed."""

from __future__ import annotations

from django.db import models

from provisioning.models.requests import PremiumRequest
from provisioning.models.topology import RecordedText


class DecisionRecord(models.Model):
    """One decision about a request, and its twin where it has one. Rows are only added, and pruned when they are old.

    ``content`` is canonical JSON, compressed (zlib): what was asked, at which moment, what else counted, the verdict, and the
    digests of the network and the scheme; ``digest`` its SHA-256 (hex); ``signature`` Ed25519 over the JSON (base64), empty
    without a key.
    """

    DEEDS = [
        ("admitted", "Admitted"),
        ("held", "Held"),
        ("refused", "Refused"),
        ("does-not-fit", "Does not fit"),
        ("modified", "Modified"),
    ]

    request = models.ForeignKey(PremiumRequest, on_delete=models.CASCADE, related_name="records")
    twin = models.ForeignKey(PremiumRequest, on_delete=models.CASCADE, related_name="+", null=True)
    deed = models.CharField(max_length=12, choices=DEEDS)
    at = models.DateTimeField(help_text="The moment that was decided by, of the database.")
    version = models.PositiveIntegerField(help_text="Of the topology; 0 where no scheme could be read.")
    network = models.ForeignKey(RecordedText, on_delete=models.PROTECT, related_name="+", null=True)
    scheme = models.ForeignKey(RecordedText, on_delete=models.PROTECT, related_name="+", null=True)
    content = models.BinaryField()
    digest = models.CharField(max_length=64)
    signature = models.CharField(max_length=88, blank=True)
    public_key = models.CharField(max_length=44, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.request} {self.deed}"
