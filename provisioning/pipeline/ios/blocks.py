"""Stretches of a running-config that are text, not commands: banners, certificates, keys, macros.

Whatever they contain, configuration-like lines included, is skipped.
"""

from __future__ import annotations

import re
from typing import Final

from provisioning.errors import ParseFailure

_DELIMITED: Final = re.compile(
    r"banner(?:\s+(?:motd|exec|login|incoming|slip-ppp|prompt-timeout|config-save|text|title))?\s*(?=\S)(?P<a>.+)"
    r"|aaa authentication (?:banner|fail-message)\s+(?P<b>.+)"
    r"|menu\s+\S+\s+(?:title|prompt)\s+(?P<c>.+)"
    r"|(?:vacant|refuse)-message\s+(?P<d>.+)",
    re.DOTALL,
)
_HEXADECIMAL: Final = re.compile(r"\s*(?:[0-9A-Fa-f]{8}\s+)*[0-9A-Fa-f]{2,8}\s*\Z")
OPENERS: Final = frozenset(
    {"banner", "aaa", "menu", "vacant-message", "refuse-message", "certificate", "key-string", "macro"}
)
DELIMITERS: Final = ("^", "\x03")
"""How the delimiter of a text begins as IOS prints it: ``^C`` as two characters or as one."""

_FREE_TEXT: Final = frozenset({"description", "remark", "name", "title"})


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class TextBlocks:
    """Finds where a stretch of text that opens on a line ends."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._no_more_control_c = False

    def end_of(self, index: int, first: str, text: str) -> int | None:
        """The index of the last line of the block that opens on line ``index``, None when none opens there.

        ``first`` is the first word and ``text`` the whole of that line. Raises ParseFailure when a block is
        never closed: the text was cut off.
        """
        if first in OPENERS:
            end = self._opened_by_command(index, first, text)
            if end is not None:
                return end
        if ("^C" in text or "\x03" in text) and first not in _FREE_TEXT:
            return self._opened_by_control_c(index, text)
        return None

    def _opened_by_command(self, index: int, first: str, text: str) -> int | None:
        if first == "certificate":
            return self._until_quit(index, ("quit",)) if self._has_body(index, text) else None
        if first == "key-string":
            return self._until_quit(index, ("quit", "exit")) if text == "key-string" else None
        if first == "macro":
            return self._macro(index, text)
        found = _DELIMITED.match(text)
        rest = found and (found["a"] or found["b"] or found["c"] or found["d"])
        return self._delimited(index, rest) if rest else None

    def _delimited(self, index: int, rest: str) -> int:
        delimiters = ["\x03"] if rest[0] == "\x03" else ["^C", "^"] if rest.startswith("^C") else [rest[0]]
        for delimiter in delimiters:
            if delimiter in rest[len(delimiter) :]:
                return index
            for place in range(index + 1, len(self._lines)):
                if delimiter in self._lines[place]:
                    return place
        raise ParseFailure(
            f"a banner opened with {delimiters[0]!r} is never closed: cut off?", line=index + 1
        )

    def _opened_by_control_c(self, index: int, text: str) -> int | None:
        """``^C`` is how IOS prints the delimiter of any text, also of commands not listed here; it stands after a
        blank, which it does not in a password.
        """
        mark = "\x03" if "\x03" in text else "^C"
        first = text.find(mark)
        if text.count(mark) % 2 == 0 or self._no_more_control_c or not text[first - 1 : first].isspace():
            return None
        for place in range(index + 1, len(self._lines)):
            if mark in self._lines[place]:
                return place
        self._no_more_control_c = True
        return None

    def _has_body(self, index: int, text: str) -> bool:
        """A body is hexadecimal or deeper than its header; one kept in a file (``nvram:...``) is not
        printed.
        """
        if index + 1 >= len(self._lines):
            return ":" not in text
        header, following = self._lines[index], self._lines[index + 1]
        deeper = _indent(following) > _indent(header) and following.strip() != ""
        return bool(_HEXADECIMAL.match(following)) or deeper or following.strip() == "quit"

    def _until_quit(self, index: int, closers: tuple[str, ...]) -> int:
        for place in range(index + 1, len(self._lines)):
            if self._lines[place].strip() in closers:
                return place
        raise ParseFailure(f"no `{closers[0]}` ends this block: cut off?", line=index + 1)

    def _macro(self, index: int, text: str) -> int | None:
        closer = "@" if text.startswith("macro name ") else "}" if text.endswith("{") else None
        if closer is None:
            return None
        for place in range(index + 1, len(self._lines)):
            if self._lines[place].strip().startswith(closer):
                return place
        raise ParseFailure(f"no `{closer}` ends this macro: cut off?", line=index + 1)
