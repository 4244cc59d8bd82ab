"""`manage.py end_early ID [--at T] --as USER --reason WHY`: have a granted request end sooner, or now."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management.changing import add_who, request_of, told
from provisioning.management.moments import moment
from provisioning.management.refusing import RefusingCommand


class Command(RefusingCommand):
    one_deed = True
    help = "Have a granted request end sooner, or now. Nobody has to decide about that."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_who(parser)
        parser.add_argument("--at", type=moment, help="2026-12-24T18:00Z; now when not given")

    def handle(self, *_args: Any, request: str, user: str, reason: str, **options: Any) -> None:
        actor, row = request_of(user, request)
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.services import modifications

        made = modifications.end_early(actor=actor, request=row, end=options["at"], reason=reason)
        self.stdout.write(told(row, made))
