"""`manage.py admit ID --as USER --reason WHY [--approve-lines]`: grant a request, if it fits, with its lines or without."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management.acting import ALONE
from provisioning.management.decision import DecisionCommand
from provisioning.management.printable import printable
from provisioning.management.verdict_as_text import evidence_lines, refusal_lines
from provisioning.models import Actor, PremiumRequest
from provisioning.selectors.waiting import wait_of


class Command(DecisionCommand):
    help = "Admit a request as a named member of the NOC. Exits 1 and says why when it does not fit."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--approve-lines",
            action="store_true",
            help="approve the lines that put it on and take it off too (manage.py lines shows them), not those of its twin",
        )
        parser.add_argument("--confirm-gaps", action="store_true", help="accept the gaps these lines name")
        parser.add_argument(
            "--override",
            default="",
            help="why it goes ahead although a router would probably refuse something",
        )
        parser.add_argument("--break-glass", default="", metavar="WHY", help=ALONE)
        parser.add_argument("--seen", help="the fingerprint of the lines you read: nothing else is approved")

    def handle(self, *args: Any, **options: Any) -> None:
        self.given = options
        super().handle(*args, **options)

    def decide(self, actor: Actor, request: PremiumRequest, reason: str) -> None:
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.pipeline.admission import Refused, whole
        from provisioning.services import decisions

        why_not = ""
        if self.given["approve_lines"]:
            # It brings all of planning, which deciding alone does not need.
            from provisioning.services import ahead

            verdict, why_not = ahead.admit_with_lines(
                actor=actor,
                request=request,
                reason=reason,
                seen=self.given["seen"],
                confirm_gaps=self.given["confirm_gaps"],
                override=self.given["override"],
            )
            request.refresh_from_db()
        else:
            verdict = decisions.admit(
                actor=actor, request=request, reason=reason, break_glass=self.given["break_glass"]
            )
        seen = whole(verdict)
        for line in evidence_lines(seen):
            self.stdout.write(line)
        if isinstance(verdict, Refused):
            raise CommandError(f"{request.reference} does not fit:\n" + "\n".join(refusal_lines(seen)))
        self.stdout.write(f"{request.reference} is {request.state}.")
        request.refresh_from_db()
        if (wait := wait_of(request)) is not None:
            self.stdout.write(printable(f"Waits: {wait.text}"))
        if why_not:
            raise CommandError(f"Its lines are not approved: {why_not}")
        if self.given["approve_lines"]:
            self.stdout.write(
                "Its lines are approved: when it falls due they go out if they are still the same."
            )
            if request.twin is not None:
                self.stdout.write(f"Those of {request.twin.reference} wait for an approval of their own.")
