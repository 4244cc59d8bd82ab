"""Who was heard from, and when: one row for each process, and one for the tick."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """`heard_at` is the database's clock. A worker's row carries the queues it serves; the tick's counts the ticks."""

    TICK, WORKER = "tick", "worker"

    kind = models.CharField(max_length=8, choices=[(TICK, "Tick"), (WORKER, "Worker")])
    name = models.CharField(max_length=120, blank=True)
    queues = models.CharField(max_length=80, blank=True, help_text="Separated by commas.")
    beats = models.PositiveBigIntegerField(default=0)
    started_at = models.DateTimeField()
    heard_at = models.DateTimeField()

    class Meta:
        ordering = ["kind", "name"]
        constraints = [models.UniqueConstraint(fields=["kind", "name"], name="one_heartbeat_per_process")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name} heard at {self.heard_at:%Y-%m-%d %H:%M:%S}"
