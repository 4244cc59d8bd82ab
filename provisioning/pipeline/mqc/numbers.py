"""Which words are numbers to IOS: ASCII digits, and no more of them than any number of a configuration has."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"[0-9]{1,18}\Z")


def is_number(word: str) -> bool:
    """Whether `int` gives what IOS would read.

    `str.isdigit` alone is true of superscripts, which `int` refuses, of other scripts' digits, which IOS does not
    know, and of a text so long that `int` will not convert it.
    """
    return _NUMBER.match(word) is not None


def is_decimal(word: str) -> bool:
    """The same with at most one decimal point."""
    return is_number(word.replace(".", "", 1))
