"""Swaps of bound policies: which interface one has left without, and how long they last where."""

from __future__ import annotations

from django.db import models


class BareInterface(models.Model):
    """A place that a push left without a policy, from the moment that was known until it is seen with one again.

    ``seen`` is False where the session was lost over the swap and nobody knows yet on which side of it.
    """

    router = models.ForeignKey("inventory.Router", on_delete=models.CASCADE, related_name="bare_interfaces")
    interface = models.CharField(max_length=120)
    pvc = models.CharField(max_length=40, blank=True)
    direction = models.CharField(max_length=6)
    since = models.DateTimeField()
    seen = models.BooleanField(default=True)
    push = models.ForeignKey("provisioning.RouterPush", on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ["since", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["router", "interface", "pvc", "direction"], name="a_place_is_bare_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.router} {self.where} since {self.since:%Y-%m-%d %H:%M:%S}"

    @property
    def where(self) -> str:
        """The place as a person writes it."""
        return f"{self.interface}{f' pvc {self.pvc}' if self.pvc else ''} {self.direction}"


class SwapTime(models.Model):
    """How long swaps have lasted on the routers of one platform and release, from the write to the last prompt, seen from here.

    One row for each, however many swaps: ``swaps`` went through (``total_s`` together, ``longest_s`` at most),
    ``refused`` did not, and were without a policy for ``refused_longest_s`` at most.
    """

    platform = models.CharField(max_length=40)
    ios = models.CharField(max_length=64)
    swaps = models.PositiveIntegerField(default=0)
    total_s = models.FloatField(default=0.0)
    longest_s = models.FloatField(default=0.0)
    refused = models.PositiveIntegerField(default=0)
    refused_longest_s = models.FloatField(default=0.0)
    last_at = models.DateTimeField()

    class Meta:
        ordering = ["platform", "ios"]
        constraints = [models.UniqueConstraint(fields=["platform", "ios"], name="swaps_of_a_platform_once")]

    def __str__(self) -> str:
        return f"{self.platform} {self.ios}: {self.swaps} swaps"
