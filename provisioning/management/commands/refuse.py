"""`manage.py refuse ID --as USER --reason WHY`: refuse a request."""

from __future__ import annotations

from provisioning.management.decision import DecisionCommand
from provisioning.models import Actor, PremiumRequest
from provisioning.services import decisions


class Command(DecisionCommand):
    help = "Refuse a request as a named member of the NOC."

    def decide(self, actor: Actor, request: PremiumRequest, reason: str) -> None:
        refused = decisions.refuse(actor=actor, request=request, reason=reason)
        self.stdout.write(f"{refused.reference} is {refused.state}.")
