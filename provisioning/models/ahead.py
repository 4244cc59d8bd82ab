"""Lines that somebody approved before they are due: what puts a reservation on its ingress, or takes it off again."""

from __future__ import annotations

from django.db import models

from provisioning.models.words import Word


class CarryRule(models.TextChoices):
    """By what an approval given ahead goes with the plan that is made when it is due."""

    LINES = "lines", "The same lines"
    EFFECT = "effect", "The same effect"


class ApprovedLines(Word):
    """One person's word on the lines that put one request on its ingress, or take it off, as they were foreseen.

    It occupies no queue and is never sent: when it is due a plan is made, and where that is covered by rows like this it
    carries an ``Approval`` of its own. ``lines`` and ``effect`` are ``pipeline.ahead`` values as JSON; ``text`` is what
    was read. A person may approve another version later; every version counts until ``revoked_at``.
    """

    request = models.ForeignKey(
        "provisioning.PremiumRequest", on_delete=models.CASCADE, related_name="approved_lines"
    )
    puts_on = models.BooleanField(help_text="Whether these lines put it on; else they take it off.")
    router = models.ForeignKey("inventory.Router", on_delete=models.CASCADE, related_name="+")
    lines = models.JSONField()
    lines_digest = models.CharField(max_length=64)
    effect = models.JSONField()
    effect_digest = models.CharField(max_length=64)
    text = models.TextField(help_text="The lines as they were read, and the way back.")
    seen = models.CharField(max_length=64, help_text="The fingerprint under which they were read.")
    gaps_confirmed = models.BooleanField(default=False)
    override_reason = models.TextField(max_length=2000, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["request", "puts_on", "user", "lines_digest", "effect_digest"],
                condition=models.Q(revoked_at__isnull=True),
                name="a_person_approves_lines_ahead_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.request} {'on' if self.puts_on else 'off'} by {self.user}"
