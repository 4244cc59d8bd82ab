"""`manage.py refuse ID --as USER --reason WHY`: refuse a request."""

from __future__ import annotations

from provisioning.management.decision import DecisionCommand
from provisioning.models import Actor, PremiumRequest


class Command(DecisionCommand):
    help = "Refuse a request as a named member of the NOC."

    def decide(self, actor: Actor, request: PremiumRequest, reason: str) -> None:
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.services import decisions

        refused = decisions.refuse(actor=actor, request=request, reason=reason)
        self.stdout.write(f"{refused.reference} is {refused.state}.")
