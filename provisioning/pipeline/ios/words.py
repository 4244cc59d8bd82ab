"""Single words of a line as values; a word that is not what a known form has there makes the line one of another form."""

from __future__ import annotations

from decimal import Decimal

from provisioning.pipeline.mqc.numbers import is_decimal, is_number


class OtherFormError(Exception):
    """The line has a form this model has no name for; it is kept as its text."""


def number(word: str) -> int:
    """The whole number a word is; raises OtherFormError."""
    if not is_number(word):
        raise OtherFormError
    return int(word)


def decimal(word: str) -> Decimal:
    """The decimal number a word is; raises OtherFormError."""
    if not is_decimal(word):
        raise OtherFormError
    return Decimal(word)
