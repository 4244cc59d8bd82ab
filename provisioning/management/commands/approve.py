"""`manage.py approve CHANGE --as USER [--confirm-gaps] [--override WHY] [--reason WHY]`: approve exactly what was planned.

With a request (PIP-12) in place of the change: approve the lines that put it on and take it off, before they are due.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from provisioning.management import acting
from provisioning.management.acting import ALONE
from provisioning.management.refusing import RefusingCommand
from provisioning.management.request_argument import request_named
from provisioning.models import Actor, Change
from provisioning.selectors import changes as selecting
from provisioning.selectors.approvals import missing_of
from provisioning.selectors.pushing import why_no_push
from provisioning.selectors.steering import goes_by_itself, why_held
from provisioning.selectors.workers import SENDING, why_no_work


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Approve a change as a named member of the NOC who did not submit it. `manage.py push` then sends it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("change", help="the change: 12 or CHG-12; or a request, PIP-12")
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
        parser.add_argument("--break-glass", default="", metavar="WHY", help=ALONE)
        parser.add_argument("--seen", help="the fingerprint you read: anything else is not approved")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")

        parser.add_argument(
            "--only",
            choices=("on", "off"),
            help="of a request: only the lines that put it on, or take it off",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"])
        if str(options["change"]).upper().startswith("PIP-"):
            self._ahead(actor, options)
            return
        change = selecting.by_reference(options["change"])
        # Loaded once there is a change: it takes longer to load than to say that there is none.
        from provisioning.services import changes

        change = changes.approve(
            actor=actor,
            change=change,
            confirm_gaps=options["confirm_gaps"],
            override=options["override"],
            save_others_edits=options["save_others_edits"],
            reason=options["reason"],
            seen=options["seen"],
            break_glass=options["break_glass"],
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
        self.stdout.write(then(change))

    def _ahead(self, actor: Actor, options: dict[str, Any]) -> None:
        request = request_named(options["change"])
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.services import ahead

        rows = ahead.approve_ahead(
            actor=actor,
            request=request,
            on=options["only"] != "off",
            off=options["only"] != "on",
            seen=options["seen"],
            confirm_gaps=options["confirm_gaps"],
            override=options["override"],
            reason=options["reason"],
        )
        sides = " and ".join("on" if row.puts_on else "off" for row in rows)
        self.stdout.write(f"The lines of {request.reference} ({sides}) are approved by {options['user']}.")
        self.stdout.write("They go out when they are due, if they are still the same lines then.")


def then(change: Change) -> str:
    """What becomes of a change that is approved now: it goes out by itself, somebody has to push it, or what is in the way."""
    now = timezone.now()
    if why := why_held(change, now) or why_no_push():
        return f"Nothing is sent yet. {why}"
    if not (by_itself := goes_by_itself(change, now)):
        return f"Nothing is sent yet: manage.py push {change.pk} --as USER"
    why = why_no_work(SENDING)
    return f"{by_itself} {why or f'See it line by line: manage.py push {change.pk} --as USER --wait'}"
