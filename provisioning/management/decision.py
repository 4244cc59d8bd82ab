"""What `admit` and `refuse` have in common: who decides, about which request, and how an error is told."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.management.request_argument import request_number
from provisioning.models import Actor, PremiumRequest
from provisioning.selectors import requests as reading


class DecisionCommand(RefusingCommand):
    """A decision of a named member of the NOC, under the same rules as in the browser."""

    one_deed = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("request", help="the request: 12 or PIP-12")
        parser.add_argument("--as", dest="user", required=True, help="user name of who decides")
        parser.add_argument("--reason", required=True, help="why; kept in the audit trail")

    def handle(self, *_args: Any, request: str, user: str, reason: str, **_options: Any) -> None:
        number = request_number(request)
        if number is None:
            raise CommandError(f"Not a request: {request!r}; write 12 or PIP-12.", returncode=BAD_INPUT)
        actor = acting.as_named(user)
        self.decide(actor, reading.visible(actor, number), reason)

    def decide(self, actor: Actor, request: PremiumRequest, reason: str) -> None:
        """Carry the decision out and say what became of it."""
        raise NotImplementedError
