"""`manage.py plan [--router R] [--json] [--as USER]`: read the routers, plan what they lack, print it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from provisioning.management import changes_as_text
from provisioning.management.refusing import RefusingCommand
from provisioning.models import SYSTEM, Change, ChangeKind, Via
from provisioning.selectors import changes as selecting
from provisioning.services import people, planning


class Command(RefusingCommand):
    help = (
        "Read the routers over SSH and plan what the domain (or --router) lacks, as one change. Nothing is sent. "
        "Exits 0 with a plan, 1 when a router could not be read or something is in the way."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--router", action="append", help="only this router; may be repeated")
        parser.add_argument("--as", dest="user", help="user name of who plans, and so may not approve")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")
        parser.add_argument(
            "--repair", action="store_true", help="put back what was edited by hand in objects of ours"
        )
        parser.add_argument(
            "--show", metavar="CHANGE", help="print a change that exists (12 or CHG-12); plan nothing"
        )
        parser.add_argument(
            "--explain",
            action="store_true",
            help="below each line what it changes: who marks, who polices, at what rate; the way back too",
        )
        parser.add_argument("--json", action="store_true", help="print the change as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        change = selecting.by_reference(options["show"]) if options["show"] else self._plan(options)
        if options["json"]:
            self.stdout.write(json.dumps(changes_as_text.as_json(change), indent=2))
        else:
            self.stdout.write(changes_as_text.plan(change, explain=options["explain"]))
        if changes_as_text.not_approvable(change):
            raise SystemExit(1)

    def _plan(self, options: dict[str, Any]) -> Change:
        return planning.plan_domain(
            actor=people.actor_named(options["user"], via=Via.CLI) if options["user"] else SYSTEM,
            kind=ChangeKind.REPAIR if options["repair"] else ChangeKind.BASELINE,
            routers=options["router"],
            reason=options["reason"],
        )
