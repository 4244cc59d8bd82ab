"""Single words of a line as values; a word that is not what a known form has there makes the line one of another form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from operator import itemgetter

from provisioning.pipeline.ios.dialects import SUSPECT_BEGINNINGS
from provisioning.pipeline.mqc.numbers import is_decimal, is_number

Words = Mapping[str, frozenset[str] | None]
"""Kinds of lines by their first word: the second words they go on with, or None where any will do."""


def are_among(words: Sequence[str], kinds: Words) -> bool:
    """Whether the words of a line begin like one of these kinds."""
    if words[0] not in kinds:
        return False
    seconds = kinds[words[0]]
    return seconds is None or (len(words) > 1 and words[1] in seconds)


def both(one: Words, other: Words) -> Words:
    """The kinds of two tables."""
    merged = dict(one)
    for first, seconds in other.items():
        there = merged.get(first, frozenset())
        merged[first] = None if seconds is None or there is None else there | seconds
    return merged


def finder(kinds: Words) -> re.Pattern[str]:
    """Finds, from the line end before it, the next line that is not at the margin and begins like one of these
    kinds or as no command does; its groups are the first word, or that beginning, and the rest of the line.
    """
    some = sorted(
        f"{re.escape(first)}(?!\\S)"
        if seconds is None
        else rf"{re.escape(first)}(?=[^\S\n]+(?:{'|'.join(sorted(map(re.escape, seconds)))})(?!\S))"
        for first, seconds in kinds.items()
    )
    # By their first letters: most lines begin with another, and are done with at a glance.
    by_letter = (
        f"{letter}(?:{'|'.join(word[1:] for word in words)})"
        for letter, words in groupby(some, key=itemgetter(0))
    )
    no_command = "|".join(map(re.escape, SUSPECT_BEGINNINGS))
    return re.compile(rf"\n [^\S\n]*({no_command}|{'|'.join(by_letter)})([^\n]*)")


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
