"""The prefixes of requests as rows that an index finds: what lies in a prefix is a range of them, what holds it a few values."""

from __future__ import annotations

from django.db import models

from inventory.fields import IPNetworkField
from provisioning.models.requests import PremiumRequest


class Side(models.TextChoices):
    """Which end of a request a prefix is of."""

    SOURCE = "source", "source"
    DESTINATION = "destination", "destination"


class RequestPrefix(models.Model):
    """One prefix of a request. The database writes these rows itself, from the two lists of the request (migration 0055)."""

    # DO_NOTHING: the trigger that wrote them takes them away too.
    request = models.ForeignKey(PremiumRequest, on_delete=models.DO_NOTHING, related_name="prefixes")
    side = models.CharField(max_length=11, choices=Side)
    network = IPNetworkField()

    class Meta:
        indexes = [models.Index(fields=["network", "request"], name="prefixes_of_requests_in_order")]

    def __str__(self) -> str:
        return f"{self.side} {self.network} of PIP-{self.request_id}"
