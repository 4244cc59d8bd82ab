"""The lines of a captured text, whatever its line ends; what is no text of a router is refused here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from provisioning.errors import ParseFailure

MAX_CHARACTERS: Final = 32 * 1024 * 1024
"""Longest text read. A running-config of 100,000 lines has about 4 million characters."""

MAX_LINES: Final = 500_000

MAX_LINE: Final = 65_536
"""Longest line read. No command of IOS has more than some thousand characters."""

_PAGER: Final = re.compile(r" ?-{2,3} ?More ?-{2,3} ?(?:\x08+ *\x08*|\r {4,}\r)?")
_LOGGED: Final = re.compile(
    r"^(?:[0-9]+: |SLOT [0-9]+:)?"
    r"(?:[*.]?[A-Z][a-z]{2} +[0-9]{1,2} (?:[0-9]{4} )?[0-9:.]+(?: [A-Z]{2,5})?: |[0-9][0-9a-z:]*: )?"
    r"%[A-Z][A-Za-z0-9_-]*-[0-7]-[A-Z0-9_]+: .*$",
    re.MULTILINE,
)
"""A message of the log, as a terminal mixes it into any output."""
_MESSAGE: Final = re.compile(r"%[A-Z][A-Za-z0-9_-]*-[0-7]-[A-Z0-9_]")
_TERMINAL: Final = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[=>78])")


def clean(text: str) -> str:
    """The text with LF alone between its lines, where captures mix LF, CRLF, CR and CR CR LF.

    Pager prompts, terminal escapes and messages of the log are taken out, the lines of these left empty. Raises
    ParseFailure on an empty text, a binary one, or one longer than MAX_CHARACTERS or MAX_LINES, or with a line longer
    than MAX_LINE.
    """
    if len(text) > MAX_CHARACTERS:
        raise ParseFailure(f"the text is longer than {MAX_CHARACTERS} characters")
    binary = text.find("\x00")
    if binary >= 0:
        line = text.count("\n", 0, binary) + 1
        raise ParseFailure("binary data, not the text of a configuration", line=line)
    if "\x1b" in text:
        text = _TERMINAL.sub("", text)
    if "More" in text:
        text = _PAGER.sub("", text)
    if "\r" in text:
        text = text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace("\r", "\n")
    if _MESSAGE.search(text):
        text = _LOGGED.sub("", text)
    if text.count("\n") > MAX_LINES:
        raise ParseFailure(f"the text has more than {MAX_LINES} lines", line=MAX_LINES + 1)
    _refuse_endless_line(text)
    if not text.strip():
        raise ParseFailure("the text is empty")
    return text.removeprefix("\ufeff")


def _refuse_endless_line(text: str) -> None:
    """Raises ParseFailure where a line is longer than MAX_LINE; looks at one line end in that many characters."""
    start = 0
    while len(text) - start > MAX_LINE:
        end = text.rfind("\n", start, start + MAX_LINE + 1)
        if end < 0:
            line = text.count("\n", 0, start) + 1
            raise ParseFailure(f"the line is longer than {MAX_LINE} characters: no command is", line=line)
        start = end + 1


def split_lines(text: str) -> list[str]:
    """The lines of a text as ``clean`` leaves it: a form feed or a Unicode separator separates none. Raises
    ParseFailure as that does.
    """
    return clean(text).split("\n")


def lines_holding(marks: Iterable[str], text: str) -> list[int]:
    """The indices of the lines of a clean text in which any of the marks stands, ascending."""
    offsets = sorted(offset for mark in marks for offset in _offsets(mark, text))
    found: list[int] = []
    line = behind = 0
    for offset in offsets:
        line += text.count("\n", behind, offset)
        behind = offset
        if not found or found[-1] != line:
            found.append(line)
    return found


def _offsets(mark: str, text: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)
