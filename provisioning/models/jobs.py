"""Work to be done, as rows with leases: the truth about what was done, whoever executes it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class JobKind(models.TextChoices):
    """What a job does; each kind is one service call."""

    PLAN_ROUTER = "plan-router", "Plan what is due on a router"
    PLAN_CHANGE = "plan-change", "Plan a change that somebody asked for"
    SWEEP = "sweep", "Look at every router's queue"
    PREFLIGHT = "preflight", "Read all routers of a change before its first line"
    PUSH = "push", "Push one router"
    RECOVER = "recover", "Read a router after a broken push"
    SAVE_AGAIN = "save-again", "Save a router again that refused"
    FOLLOW_UP = "follow-up", "Do what follows from the end of a push"
    VERIFY_ROUTER = "verify-router", "Verify one router"
    COUNT = "count", "Read the counters of one router"
    REHEARSE = "rehearse", "Play a change on practice routers"
    FAILURES = "failures", "Work out all single failures of a domain"
    NOTIFY = "notify", "Send a message"
    PRUNE = "prune", "Remove rows older than they are kept"


class JobState(models.TextChoices):
    """QUEUED -> LEASED -> DONE or FAILED; an expired lease makes LEASED claimable again."""

    QUEUED = "queued", "Queued"
    LEASED = "leased", "Leased"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class Job(models.Model):
    """One piece of work about one subject; at most one live job per (kind, subject)."""

    kind = models.CharField(max_length=16, choices=JobKind)
    subject_id = models.BigIntegerField(help_text="Primary key of what it is about: push, router, request.")
    state = models.CharField(max_length=8, choices=JobState, default=JobState.QUEUED)
    available_at = models.DateTimeField()
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_epoch = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(
        null=True, blank=True, help_text="When a message for it last left for a broker."
    )
    outcome = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["state", "available_at"]),
            models.Index(fields=["kind", "subject_id", "created_at"]),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject_id"],
                condition=Q(state__in=["queued", "leased"]),
                name="at_most_one_live_job_per_kind_and_subject",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject_id} ({self.state})"


class RouterLease(models.Model):
    """The right to write to a router, by the database's clock; a takeover increments ``epoch``."""

    router = models.OneToOneField("inventory.Router", on_delete=models.CASCADE, related_name="lease")
    owner = models.CharField(max_length=120, blank=True)
    epoch = models.PositiveIntegerField(default=0)
    until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.router} held by {self.owner or 'nobody'}"
