"""What any single failure would do, as it was last worked out: of one version of the topology and one state of the book."""

from __future__ import annotations

from django.db import models


class FailureRun(models.Model):
    """One working out of all single failures; the newest that is finished is what is shown.

    ``version`` is the number of the topology, ``scheme_digest`` the scheme's, ``mark`` says which state of the book was read.
    ``held`` requests counted, ``unprotected`` of them are not safe from every failure.
    """

    domain = models.ForeignKey("inventory.Domain", on_delete=models.CASCADE, related_name="failure_runs")
    version = models.PositiveIntegerField()
    scheme_digest = models.CharField(max_length=64)
    mark = models.CharField(max_length=200)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    held = models.PositiveIntegerField(default=0)
    unprotected = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"single failures of {self.domain.name} version {self.version}"


class FailureEffect(models.Model):
    """One failure that reroutes or cuts off anybody; ``excess_bps`` is the most by which any share is exceeded after it."""

    run = models.ForeignKey(FailureRun, on_delete=models.CASCADE, related_name="effects")
    kind = models.CharField(max_length=6)
    name = models.CharField(max_length=200)
    rerouted = models.PositiveIntegerField()
    cut_off = models.PositiveIntegerField()
    unprotected = models.PositiveIntegerField()
    overloaded = models.PositiveIntegerField(help_text="Link directions with more than their share.")
    excess_bps = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-unprotected", "-excess_bps", "kind", "name"]
        constraints = [
            models.UniqueConstraint(fields=["run", "kind", "name"], name="a_failure_has_one_effect_in_a_run")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class UnprotectedRequest(models.Model):
    """A request that a single failure leaves without what was promised: from when until when any does, how many, the most by
    which a share is exceeded, and the failure that is worst for it.
    """

    run = models.ForeignKey(FailureRun, on_delete=models.CASCADE, related_name="unprotected_requests")
    request = models.ForeignKey("PremiumRequest", on_delete=models.CASCADE, related_name="+")
    failures = models.PositiveIntegerField()
    cut_off = models.PositiveIntegerField(help_text="How many failures leave it no path.")
    start = models.DateTimeField()
    end = models.DateTimeField(null=True, blank=True)
    excess_bps = models.BigIntegerField(default=0)
    worst = models.CharField(max_length=220)

    class Meta:
        ordering = ["start", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["run", "request"], name="a_request_is_judged_once_in_a_run")
        ]

    def __str__(self) -> str:
        return f"PIP-{self.request_id} unprotected"
