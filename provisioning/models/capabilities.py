"""What routers can do, as they said themselves."""

from __future__ import annotations

from django.db import models


class RouterCapabilities(models.Model):
    """What one router said it can do: one row for each router, however often it is asked.

    ``ios`` is the release it said it runs when it was asked; another one is asked anew. ``answers`` has one entry for each
    capability: can (null: its answer proves neither), asked, said, ios, at.
    """

    router = models.OneToOneField("inventory.Router", on_delete=models.CASCADE, related_name="capabilities")
    ios = models.CharField(max_length=64)
    asked_at = models.DateTimeField()
    answers = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "router capabilities"

    def __str__(self) -> str:
        return f"what {self.router} can do with {self.ios}"
