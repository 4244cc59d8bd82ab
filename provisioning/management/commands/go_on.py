"""`manage.py go_on --reason WHY --as USER`: let pushes go on that somebody stopped."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management import acting
from provisioning.management.refusing import RefusingCommand
from provisioning.services import halting


class Command(RefusingCommand):
    one_deed = True
    help = "Let pushes go on that somebody stopped; a router that was half way is read first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--as", dest="user", required=True, help="user name of who says so; of the NOC")
        parser.add_argument("--reason", required=True, help="why; kept in the audit trail")

    def handle(self, *_args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"])
        halting.go_on(actor=actor, reason=options["reason"])
        self.stdout.write("Pushes go on. A router that was half way is read first.")
