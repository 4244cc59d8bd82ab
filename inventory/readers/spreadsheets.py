"""Cells that a spreadsheet shows and does not run.

What it takes for a formula, or for the white space before one (OWASP, CSV injection), gets an apostrophe in front: at the
start of a cell, and after what ends a cell in some country's spreadsheet (semicolon, bar, tab, line end).
"""

from __future__ import annotations

import re
from typing import Final

_BEGINS: Final = r"(?:\A|(?<=[;|\t\r\n]))"
_RUNS: Final = r"(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])"
_FORMULA: Final = re.compile(_BEGINS + _RUNS)
_DEFUSED: Final = re.compile(f"{_BEGINS}'{_RUNS}")


def defused(text: str) -> str:
    """Return a cell with an apostrophe before each beginning of a formula."""
    return _FORMULA.sub("'", text)


def as_meant(cell: str) -> str:
    """Return a cell without the apostrophes that `defused` puts there."""
    return _DEFUSED.sub("", cell)
