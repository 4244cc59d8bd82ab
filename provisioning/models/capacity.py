"""Capacity that changes with time, as the NOC has said it will."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q


class CapacityChange(models.Model):
    """What a link can carry (``link``, ``usable_bps``), or a pool may take of every link of a kind (``pool``, ``kind``,
    ``percent``), from ``start`` on; until ``end`` where there is one.

    A row counts until it is taken back; one that is over says nothing any more.
    """

    KINDS = [("access", "Access links"), ("core", "Core links"), ("border", "Border links")]

    domain = models.ForeignKey("inventory.Domain", on_delete=models.CASCADE, related_name="capacity_changes")
    link = models.CharField(max_length=200, blank=True)
    usable_bps = models.BigIntegerField(null=True)
    pool = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=6, choices=KINDS, blank=True)
    percent = models.DecimalField(max_digits=6, decimal_places=3, null=True)
    start = models.DateTimeField()
    end = models.DateTimeField(null=True)
    reason = models.TextField(max_length=2000)
    said_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)
    taken_back_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["start", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(end__isnull=True) | Q(end__gt=F("start")),
                name="a_capacity_changes_before_it_changes_back",
            ),
            models.CheckConstraint(
                condition=(~Q(link="") & Q(usable_bps__gte=0, pool="", kind="", percent__isnull=True))
                | (Q(link="", usable_bps__isnull=True, percent__range=(0, 100)) & ~Q(pool="") & ~Q(kind="")),
                name="a_capacity_is_of_a_link_or_a_share_of_a_pool",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.link or f'{self.pool} of {self.kind} links'} from {self.start.isoformat()}"
