"""A request as people name it on the command line: 12 or PIP-12."""

from __future__ import annotations

import re

from django.core.management.base import CommandError

from provisioning.management.refusing import BAD_INPUT
from provisioning.models import PremiumRequest

_NAME = re.compile(r"(?:PIP-)?([0-9]{1,18})", re.IGNORECASE)


def request_number(text: str) -> int | None:
    """The number in the name of a request; None when it is no such name."""
    found = _NAME.fullmatch(text)
    return None if found is None else int(found[1])


def request_named(text: str) -> PremiumRequest:
    """Return the request; raises CommandError (exit 2) when that is no name of one or there is none."""
    number = request_number(text)
    if number is None:
        raise CommandError(f"Not a request: {text!r:.60}; write 12 or PIP-12.", returncode=BAD_INPUT)
    rows = PremiumRequest.objects.select_related("nren__domain", "source_link__interface__router")
    row = rows.filter(pk=number).first()
    if row is None:
        raise CommandError(f"There is no request {text}.", returncode=BAD_INPUT)
    return row
