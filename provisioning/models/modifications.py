"""What a granted request shall become: proposed, agreed to, admitted, and in force when the routers hold it (ADR 28)."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from provisioning.models.requests import Consent, PremiumRequest
from provisioning.models.series import BEHIND
from provisioning.pipeline.states import OPEN_MODIFICATIONS, ModificationState

_STATES = [(state.value, state.value.replace("_", " ").capitalize()) for state in ModificationState]


class Modification(models.Model):
    """The terms that a request is to have, all of them; ``before`` are those it had when this was proposed.

    Rates are bit/s at layer 3. Of a request with a twin each way has its own; they are decided together.
    """

    request = models.ForeignKey(PremiumRequest, on_delete=models.PROTECT, related_name="modifications")
    twin = models.OneToOneField("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    rate_bps = models.BigIntegerField()
    start = models.DateTimeField()
    end = models.DateTimeField(null=True, blank=True)
    source_prefixes = models.JSONField(default=list)
    destination_prefixes = models.JSONField(default=list)
    before = models.JSONField(default=dict)
    reason = models.TextField(max_length=2000, blank=True)
    state = models.CharField(max_length=16, choices=_STATES, default=ModificationState.PROPOSED)
    state_changed_at = models.DateTimeField(auto_now_add=True)
    consent = models.CharField(max_length=12, choices=Consent, default=Consent.PENDING)
    consent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    consent_at = models.DateTimeField(null=True, blank=True)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    proposed_at = models.DateTimeField(auto_now_add=True)
    behind = models.JSONField(default=list, help_text=BEHIND)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(max_length=2000, blank=True)
    evidence = models.JSONField(null=True, blank=True, help_text="The evidence as it stood at the decision.")
    in_force_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["request"],
                condition=Q(state__in=[state.value for state in OPEN_MODIFICATIONS]),
                name="one_modification_of_a_request_is_open",
            ),
            models.CheckConstraint(
                condition=Q(rate_bps__gt=0), name="a_modification_asks_for_more_than_nothing"
            ),
            models.CheckConstraint(
                condition=Q(end__isnull=True) | Q(end__gt=F("start")),
                name="a_modification_ends_after_it_starts",
            ),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """The name people use for it."""
        return f"MOD-{self.pk}"

    @property
    def is_open(self) -> bool:
        """Whether something is still to come of it."""
        return self.state in OPEN_MODIFICATIONS

    @property
    def changes_lines(self) -> bool:
        """Whether routers may have to hold other lines for it: another rate, other prefixes."""
        return any(
            self.before.get(name) != getattr(self, name)
            for name in ("rate_bps", "source_prefixes", "destination_prefixes")
        )
