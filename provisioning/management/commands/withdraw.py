"""`manage.py withdraw ID --as USER --reason WHY`: take a request back."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management.changing import add_who, request_of
from provisioning.management.refusing import RefusingCommand


class Command(RefusingCommand):
    one_deed = True
    help = "Take a request back, as who acts for the NREN that asked or is of the NOC. It stays charged until it is seen gone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_who(parser)

    def handle(self, *_args: Any, request: str, user: str, reason: str, **_options: Any) -> None:
        actor, row = request_of(user, request)
        # Loaded once there is a request: it takes longer to load than to say that there is none.
        from provisioning.services import requests

        taken = requests.withdraw(actor=actor, request=row, reason=reason)
        self.stdout.write(f"{taken.reference} is {taken.state}.")
