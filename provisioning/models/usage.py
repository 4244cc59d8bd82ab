"""What routers counted: the last look at each, and what was used, class by class, kept as polled, by hour and by day."""

from __future__ import annotations

from django.db import models


class CounterLook(models.Model):
    """All counters of a router as they were last read; what the next look is compared with.

    ``read_at`` is by the database's clock, null until they were read; ``up_s`` the router's uptime then. ``due_at`` is when it
    is to be looked at again; ``error`` why the last try failed, empty where it did not.
    """

    router = models.OneToOneField("inventory.Router", on_delete=models.CASCADE, related_name="counter_look")
    due_at = models.DateTimeField(db_index=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    read_at = models.DateTimeField(null=True, blank=True)
    up_s = models.BigIntegerField(null=True, blank=True)
    serial = models.CharField(
        max_length=64, blank=True, help_text="Whose counters these are, as it says itself."
    )
    counts = models.JSONField(
        default=list,
        help_text="Of each class of each policy: interface, PVC, direction, policy, classes, count.",
    )
    error = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"counters of {self.router}"


class UsageSeries(models.Model):
    """One class on one interface in one direction while it is of one link, whatever version its policy has.

    ``classes`` is its name, with those of the classes around it before it. What it carries and what it counted is as of the last
    look: ``services`` by the scheme's names, ``requests`` (keys) whose traffic enters by it, rates at layer 3, ``lost`` the
    share of packets that its policer dropped; ``dropping_since`` since when it drops, with pauses shorter than the scheme's
    ``quiet_looks``; ``quiet_looks`` is how many looks in a row dropped nothing since.
    """

    router = models.ForeignKey("inventory.Router", on_delete=models.CASCADE, related_name="usage")
    interface = models.CharField(max_length=64)
    pvc = models.CharField(max_length=16, blank=True)
    direction = models.CharField(max_length=6)
    classes = models.CharField(max_length=200)
    link = models.CharField(max_length=120, db_index=True)
    role = models.CharField(max_length=8)
    services = models.JSONField(default=list)
    requests = models.JSONField(default=list)
    reserved_bps = models.BigIntegerField(default=0)
    header_bytes = models.PositiveSmallIntegerField(null=True, blank=True)
    sent_bps = models.BigIntegerField(null=True, blank=True)
    passed_bps = models.BigIntegerField(null=True, blank=True)
    lost = models.FloatField(null=True, blank=True)
    dropping_since = models.DateTimeField(null=True, blank=True)
    quiet_looks = models.PositiveSmallIntegerField(default=0)
    seen_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "usage series"
        constraints = [
            models.UniqueConstraint(
                fields=["router", "interface", "pvc", "direction", "classes", "link"],
                name="one_usage_series_for_each_class",
            )
        ]

    def __str__(self) -> str:
        return f"{self.interface} {self.direction} {self.classes}"


class Span(models.TextChoices):
    """How long a stretch of usage is."""

    POLL = "poll", "As polled"
    HOUR = "hour", "Hour"
    DAY = "day", "Day"


class UsagePeriod(models.Model):
    """What one class counted in one stretch of time, in packets and bytes with their layer 2 header.

    Polls are kept of classes that carry a service. ``at`` is the end of a poll's stretch, the beginning of an hour or a day in
    UTC; what was counted between two looks belongs to the hour and day in which the second one was. ``seconds`` of it were
    counted, null where no clock could be believed. A count is null where the router does not print it. ``is_at_least``: a
    counter began again, and some is not known. ``reserved_bps`` is the most that was reserved, at layer 3.
    """

    series = models.ForeignKey(UsageSeries, on_delete=models.CASCADE, related_name="periods")
    span = models.CharField(max_length=4, choices=Span)
    at = models.DateTimeField()
    seconds = models.FloatField(null=True, blank=True)
    packets = models.BigIntegerField(null=True, blank=True)
    bytes = models.BigIntegerField(null=True, blank=True)
    passed_packets = models.BigIntegerField(null=True, blank=True)
    passed_bytes = models.BigIntegerField(null=True, blank=True)
    dropped_packets = models.BigIntegerField(null=True, blank=True)
    dropped_bytes = models.BigIntegerField(null=True, blank=True)
    queue_drops = models.BigIntegerField(null=True, blank=True)
    by_match = models.JSONField(default=dict)
    reserved_bps = models.BigIntegerField(default=0)
    is_at_least = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["series", "span", "at"], name="one_usage_period_for_each_stretch")
        ]
        indexes = [models.Index(fields=["span", "at"])]

    def __str__(self) -> str:
        return f"{self.series} {self.span} {self.at:%Y-%m-%d %H:%M}"
