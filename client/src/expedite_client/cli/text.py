"""What a terminal is shown: tables and sentences, of text that nobody here wrote."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain, repeat
from typing import Final

from expedite_client.asking import rate_text

WIDTH: Final = 78
"""Columns of sentences: a terminal has 80."""
_NARROWEST: Final = 20
_KEPT: Final = frozenset("\n\t")
# Characters that turn the direction of a line, or end it without looking like it, make a terminal show what was not said.
_TURNING: Final = frozenset(
    map(chr, (0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)


def plain(text: object) -> str:
    """Return text without what steers a terminal: control characters and marks of direction; line ends and tabs stay."""
    return "".join(
        sign
        for sign in str(text)
        if sign in _KEPT or not (unicodedata.category(sign) in {"Cc", "Cs"} or sign in _TURNING)
    )


def one_line(text: object) -> str:
    """Return text as one line without what steers a terminal."""
    return " ".join(plain(text).split())


def as_it_is(text: object) -> str:
    """Return one line as it is, its blanks too, without what steers a terminal; a line end within it is written out."""
    return plain(text).replace("\n", "\\n")


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    none: str = "nothing",
    width: int | None = None,
) -> str:
    """Return rows in columns under their heads; `none` where there is no row. The last column is wrapped at `width`."""
    cells = [[one_line("-" if cell is None or cell == "" else cell) for cell in row] for row in rows]
    if not cells:
        return none
    widths = [max(len(row[at]) for row in [list(heads), *cells]) for at in range(len(heads))]
    before = sum(widths[:-1]) + 2 * len(widths[:-1])
    return "\n".join(
        "  ".join(cell.ljust(wide) for cell, wide in zip(line, widths, strict=True)).rstrip()
        for row in [list(heads), *cells]
        for line in _wrapped_last(row, None if width is None else max(width - before, _NARROWEST))
    )


def _wrapped_last(row: Sequence[str], width: int | None) -> list[list[str]]:
    """The row as it is, or as many as its last cell needs."""
    if width is None:
        return [list(row)]
    first, *more = textwrap.wrap(row[-1], width) or [""]
    blank = [""] * (len(row) - 1)
    return [[*row[:-1], first], *([*blank, each] for each in more)]


def facts(rows: Iterable[tuple[str, object]]) -> str:
    """Return names and values, a line each; what has no value is left out."""
    stated = [(name, one_line(value)) for name, value in rows if value not in (None, "", [])]
    width = max((len(name) for name, _value in stated), default=0)
    return "\n".join(f"  {name.ljust(width)}  {value}" for name, value in stated)


def hanging(rows: Iterable[tuple[str, object]], *, width: int = WIDTH, indent: int = 0) -> str:
    """Return names and values as `facts` does, sentences wrapped under themselves; a list is lines that stay whole."""
    stated = [(name, value) for name, value in rows if value not in (None, "", [])]
    wide = max((len(name) for name, _value in stated), default=0) + 2
    return "\n".join(
        f"{' ' * indent}{head.ljust(wide)}{line}".rstrip()
        for name, value in stated
        for head, line in zip(chain([name], repeat("")), _lines(value, width - wide - indent), strict=False)
    )


def _lines(value: object, width: int) -> list[str]:
    if isinstance(value, list):
        return [as_it_is(each) for each in value]
    # What is cut within a word cannot be copied.
    return textwrap.wrap(one_line(value), width, break_long_words=False, break_on_hyphens=False)


def parts(*texts: str) -> str:
    """Return paragraphs, a blank line between; empty ones are left out."""
    return "\n\n".join(text for text in texts if text)


def instant(text: str | None, *, none: str = "") -> str:
    """Return an instant of the server in UTC, to the second: `2027-03-01 10:00:00Z`."""
    if text is None:
        return none
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return one_line(text)
    return f"{found.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z" if found.tzinfo else one_line(text)


def window(start: str | None, end: str | None) -> str:
    """Return a window in words."""
    return f"{instant(start, none='now')} to {instant(end, none='further notice')}"


def rate(bps: int | None) -> str:
    """Return a rate in words, nothing for None."""
    return "" if bps is None else rate_text(bps)
