"""What the commands that change a granted request have in common: whose, and how it is told."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import CommandError

from provisioning.management import acting
from provisioning.management.refusing import BAD_INPUT
from provisioning.management.request_argument import request_number
from provisioning.models import Actor, Modification, PremiumRequest
from provisioning.pipeline.units import instant_text, rate_text
from provisioning.selectors import requests as reading


def add_who(parser: ArgumentParser, *, reason: bool = True) -> None:
    """The request, who acts, and why."""
    parser.add_argument("request", help="the request: 12 or PIP-12")
    parser.add_argument("--as", dest="user", required=True, help="user name of who acts")
    if reason:
        parser.add_argument("--reason", required=True, help="why; kept in the audit trail")


def request_of(user: str, text: str) -> tuple[Actor, PremiumRequest]:
    """Return who acts and the request; raises CommandError for what is no name of one."""
    number = request_number(text)
    if number is None:
        raise CommandError(f"Not a request: {text!r:.60}; write 12 or PIP-12.", returncode=BAD_INPUT)
    actor = acting.as_named(user)
    return actor, reading.visible(actor, number)


def terms_text(row: PremiumRequest | Modification) -> str:
    """What a request asks, or is to become, in words."""
    until = "until further notice" if row.end is None else f"to {instant_text(row.end)}"
    return (
        f"{rate_text(row.rate_bps)}, {instant_text(row.start)} {until}, from {', '.join(row.source_prefixes)}"
    )


def told(request: PremiumRequest, made: Modification | None) -> str:
    """What became of a wish to change a request, as a sentence."""
    if made is None:
        return f"{request.reference} asks for {terms_text(request)} from now on; it is {request.state}."
    return f"{made.reference} of {request.reference} is {made.state}, consent {made.consent}: {terms_text(made)}."
