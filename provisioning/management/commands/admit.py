"""`manage.py admit ID --as USER --reason WHY`: grant a request, if it fits."""

from __future__ import annotations

from django.core.management.base import CommandError

from provisioning.management.decision import DecisionCommand
from provisioning.models import Actor, PremiumRequest
from provisioning.pipeline.admission import Refused
from provisioning.pipeline.units import rate_text
from provisioning.services import decisions


class Command(DecisionCommand):
    help = "Admit a request as a named member of the NOC. Exits 1 and says why when it does not fit."

    def decide(self, actor: Actor, request: PremiumRequest, reason: str) -> None:
        verdict = decisions.admit(actor=actor, request=request, reason=reason)
        for found in verdict.evidence:
            self.stdout.write(
                f"{found.link} {found.direction}: {rate_text(found.asked_bps)} asked, "
                f"{rate_text(found.committed_peak_bps)} committed, share {rate_text(found.share_bps)} "
                f"({found.share_of_base}"
                f"{', our choice' if found.share_is_choice else ''}); {found.served}"
            )
        for text in verdict.warnings:
            self.stdout.write(f"WARNING: {text}")
        if isinstance(verdict, Refused):
            lines = [cause.text for cause in verdict.reasons]
            lines += [f"would fit: {offer.text}" for offer in verdict.counter_offers]
            raise CommandError(f"{request.reference} does not fit:\n" + "\n".join(lines))
        self.stdout.write(f"{request.reference} is {request.state}.")
