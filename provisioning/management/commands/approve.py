"""`manage.py approve CHANGE --as USER [--confirm-gaps] [--override WHY] [--reason WHY]`: approve exactly what was planned."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management.refusing import RefusingCommand
from provisioning.models import Via
from provisioning.selectors import changes as selecting
from provisioning.selectors.approvals import missing_of
from provisioning.services import changes, people


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Approve a change as a named member of the NOC who did not submit it. `manage.py push` then sends it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("change", help="the change: 12 or CHG-12")
        parser.add_argument("--as", dest="user", required=True, help="user name of who approves")
        parser.add_argument("--confirm-gaps", action="store_true", help="accept the gaps the plan names")
        parser.add_argument(
            "--override",
            default="",
            help="why it goes ahead although a router would probably refuse something",
        )
        parser.add_argument(
            "--save-others-edits",
            action="store_true",
            help="let `write memory` also save what other people typed",
        )
        parser.add_argument("--seen", help="the fingerprint you read: anything else is not approved")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")

    def handle(self, *args: Any, **options: Any) -> None:
        change = changes.approve(
            actor=people.actor_named(options["user"], via=Via.CLI),
            change=selecting.by_reference(options["change"]),
            confirm_gaps=options["confirm_gaps"],
            override=options["override"],
            save_others_edits=options["save_others_edits"],
            reason=options["reason"],
            seen=options["seen"],
        )
        if change.approved_at is None:
            self.stdout.write(
                f"The approval of {options['user']} is stored. {change.reference} is not approved yet:"
            )
            self.stdout.write("\n".join(f"  {text}" for text in missing_of(change)))
            return
        routers = sorted(set(change.pushes.filter(state="APPROVED").values_list("router__name", flat=True)))
        self.stdout.write(f"{change.reference} is approved by {options['user']} for {', '.join(routers)}.")
        self.stdout.write(f"What was approved: {change.approved_fingerprint}")
        self.stdout.write(f"Nothing is sent yet: manage.py push {change.pk}")
