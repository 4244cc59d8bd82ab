"""`manage.py consent ID (--agree | --decline) --as USER [--reason WHY]`: the receiving NREN's answer."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management.changing import add_who, request_of
from provisioning.management.refusing import RefusingCommand


class Command(RefusingCommand):
    one_deed = True
    help = "Agree to receive a request, or decline, as who acts for the receiving NREN."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_who(parser, reason=False)
        answer = parser.add_mutually_exclusive_group(required=True)
        answer.add_argument("--agree", action="store_true")
        answer.add_argument("--decline", action="store_true")
        parser.add_argument("--reason", default="", help="needed to decline; the NREN that asked reads it")

    def handle(self, *_args: Any, request: str, user: str, reason: str, agree: bool, **_options: Any) -> None:
        actor, row = request_of(user, request)
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.services import requests

        answered = requests.consent(actor=actor, request=row, agree=agree, reason=reason)
        self.stdout.write(f"{answered.reference}: consent {answered.consent}.")
