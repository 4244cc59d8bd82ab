"""From the bytes of a vty to the lines a person would see: CR CR LF, backspaces, redraws, escape
sequences."""

from __future__ import annotations

import re

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[()][A-Za-z0-9]|[=>78])")
_LINE_ENDS = re.compile(r"\r*\n")
_SILENT = str.maketrans("", "", "\x00\x07")


def lines_seen(raw: str) -> list[str]:
    """The screen lines of ``raw``; the last one is the line the cursor stands on (possibly empty).

    A backspace moves the cursor left and later characters overwrite; a carriage return begins the line anew.
    So the pager that IOS wipes out disappears, and a line that it scrolls reads as it does on a screen.
    """
    text = _ESCAPES.sub("", raw).translate(_SILENT)
    return [_overwritten(line) for line in _LINE_ENDS.split(text)]


def cursor_line(raw: str) -> str:
    """The line the cursor stands on, cheaply: what to look at for a prompt while a long reply is still
    coming."""
    tail = raw[raw.rfind("\n") + 1 :]
    return lines_seen(tail)[-1]


def _overwritten(line: str) -> str:
    if "\b" not in line and "\r" not in line:
        return line
    # A carriage return begins the line anew: IOS repaints it whole and wipes what is left of the old text.
    drawn = [part for part in line.split("\r") if part]
    cells: list[str] = []
    column = 0
    for character in drawn[-1] if drawn else "":
        if character == "\b":
            column = max(0, column - 1)
            continue
        if column < len(cells):
            cells[column] = character
        else:
            cells.append(character)
        column += 1
    return "".join(cells).rstrip()
