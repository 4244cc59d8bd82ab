"""`manage.py stop_pushes --reason WHY --as USER`: stop every push."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.services import halting


class Command(RefusingCommand):
    one_deed = True
    help = (
        "Stop every push, of whatever change: no router is begun, and what is being sent stops before its next line that "
        "touches traffic."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--as", dest="user", required=True, help="user name of who says so; of the NOC")
        parser.add_argument("--reason", required=True, help="why; kept in the audit trail")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"])
        halting.stop_all(actor=actor, reason=options["reason"])
        self.stdout.write("Every push is stopped until `manage.py go_on --as USER --reason WHY`.")
