"""`manage.py hold ID (--until T | --release) --as USER --reason WHY`: keep capacity aside for a request, or let go of it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management.decision import DecisionCommand
from provisioning.management.moments import moment
from provisioning.management.verdict_as_text import refusal_lines
from provisioning.models import Actor, PremiumRequest
from provisioning.pipeline.units import instant_text


class Command(DecisionCommand):
    help = (
        "Hold the capacity for a request until an instant, as a named member of the NOC, or let go of it. Exits 1 when it does "
        "not fit."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        how = parser.add_mutually_exclusive_group(required=True)
        how.add_argument("--until", type=moment, help="2026-12-24T18:00Z, at most 30 days ahead")
        how.add_argument("--release", action="store_true", help="end the hold now")

    def handle(self, *args: Any, **options: Any) -> None:
        self.until = options["until"]
        super().handle(*args, **options)

    def decide(self, actor: Actor, request: PremiumRequest, reason: str) -> None:
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.pipeline.admission import Refused, whole
        from provisioning.services import decisions

        if self.until is None:
            decisions.unhold(actor=actor, request=request, reason=reason)
            self.stdout.write(f"{request.reference} is {request.state}.")
            return
        verdict = decisions.hold(actor=actor, request=request, until=self.until, reason=reason)
        if isinstance(verdict, Refused):
            raise CommandError(
                f"{request.reference} does not fit:\n" + "\n".join(refusal_lines(whole(verdict)))
            )
        self.stdout.write(f"{request.reference} is {request.state} until {instant_text(self.until)}.")
