"""`manage.py extend ID --until T --as USER --reason WHY`: propose that a request lasts longer."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management.changing import add_who, request_of, told
from provisioning.management.moments import moment
from provisioning.management.refusing import RefusingCommand


class Command(RefusingCommand):
    one_deed = True
    help = "Have a request last longer: replaced while undecided, else proposed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_who(parser)
        ends = parser.add_mutually_exclusive_group(required=True)
        ends.add_argument("--until", type=moment, help="2026-12-24T18:00Z")
        ends.add_argument("--open-ended", action="store_true", help="until further notice")

    def handle(self, *_args: Any, request: str, user: str, reason: str, **options: Any) -> None:
        actor, row = request_of(user, request)
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.services import modifications

        made = modifications.extend(actor=actor, request=row, end=options["until"], reason=reason)
        self.stdout.write(told(row, made))
