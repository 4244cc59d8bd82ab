"""`manage.py take_offer ID KIND --as USER`: have a request ask for one of its counter-offers instead."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.management.request_argument import request_number
from provisioning.pipeline.units import instant_text, rate_text
from provisioning.selectors import requests as reading
from provisioning.services.requests import take_offer
from provisioning.services.requests.replacing import KINDS


class Command(RefusingCommand):
    one_deed = True
    help = "Take a counter-offer: the request asks for that from now on, under the same number."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("request", help="the request: 12 or PIP-12")
        parser.add_argument("kind", choices=KINDS, help="which offer")
        parser.add_argument("--as", dest="user", required=True, help="user name of who takes it")

    def handle(self, *_args: Any, request: str, kind: str, user: str, **_options: Any) -> None:
        number = request_number(request)
        if number is None:
            raise CommandError(f"Not a request: {request!r}; write 12 or PIP-12.", returncode=BAD_INPUT)
        actor = acting.as_named(user)
        taken = take_offer(actor=actor, request=reading.visible(actor, number), kind=kind)
        until = "until further notice" if taken.end is None else f"to {instant_text(taken.end)}"
        self.stdout.write(
            f"{taken.reference} asks for {rate_text(taken.rate_bps)}, {instant_text(taken.start)} {until}; "
            f"it is {taken.state}, consent {taken.consent}."
        )
