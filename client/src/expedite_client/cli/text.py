"""What a terminal is shown: tables and sentences, of text that nobody here wrote."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from expedite_client.asking import rate_text

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


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, none: str = "nothing") -> str:
    """Return rows in columns under their heads; `none` where there is no row."""
    cells = [[one_line("-" if cell is None or cell == "" else cell) for cell in row] for row in rows]
    if not cells:
        return none
    widths = [max(len(row[at]) for row in [list(heads), *cells]) for at in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [list(heads), *cells]
    )


def facts(rows: Iterable[tuple[str, object]]) -> str:
    """Return names and values, a line each; what has no value is left out."""
    stated = [(name, one_line(value)) for name, value in rows if value not in (None, "", [])]
    width = max((len(name) for name, _value in stated), default=0)
    return "\n".join(f"  {name.ljust(width)}  {value}" for name, value in stated)


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
