"""Which words are numbers to IOS: ASCII digits, and no more of them than any number of a configuration has."""

from __future__ import annotations

from typing import Final

_MOST_DIGITS: Final = 18


def is_number(word: str) -> bool:
    """Whether `int` gives what IOS would read.

    `str.isdigit` alone is true of superscripts, which `int` refuses, of other scripts' digits, which IOS does not
    know, and of a text so long that `int` will not convert it.
    """
    return word.isdigit() and word.isascii() and len(word) <= _MOST_DIGITS


def is_decimal(word: str) -> bool:
    """The same with at most one decimal point."""
    return is_number(word.replace(".", "", 1))
