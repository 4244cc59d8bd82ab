"""A line taken word by word, with IOS abbreviation and the column of every word (ios-facts 3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lab.errors import AmbiguousCommand, IncompleteCommand, InvalidInput
from lab.names import (
    DSCP_NAMES,
    DSCP_NUMBERS,
    PRECEDENCE_NAMES,
    PRECEDENCE_NUMBERS,
    interface_type,
)


@dataclass(frozen=True)
class Word:
    """A word and its offset in the line."""

    text: str
    column: int


class Cursor:
    """Walks over the words of one line; every reader raises a ParseError where the router would complain."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.words = [Word(found.group(), found.start()) for found in re.finditer(r"\S+", line)]
        self.at = 0

    @property
    def more(self) -> bool:
        """True while words are left."""
        return self.at < len(self.words)

    def peek(self) -> str:
        """The next word as typed, or an empty text."""
        return self.words[self.at].text if self.more else ""

    def rest(self) -> str:
        """The rest of the line as typed, from the next word on; takes it."""
        text = self.line[self.words[self.at].column :].rstrip() if self.more else ""
        self.at = len(self.words)
        return text

    def invalid(self) -> InvalidInput:
        """The error for the next word."""
        column = self.words[self.at].column if self.more else len(self.line)
        return InvalidInput(column)

    def end(self) -> None:
        """The line must be over."""
        if self.more:
            raise self.invalid()

    def candidates(self, choices: Iterable[str]) -> list[str]:
        """Which of the choices the next word may mean; an exact one wins."""
        word = self.peek().lower()
        names = choices if isinstance(choices, tuple) else tuple(choices)
        if not word:
            return []
        if word in names:  # typed in full, as nearly every line is
            return [word]
        exact = [name for name in names if name.lower() == word]
        return exact or [name for name in names if name.lower().startswith(word)]

    def keyword(self, *choices: str) -> str:
        """Take one of the keywords, abbreviated or not."""
        if not self.more:
            raise IncompleteCommand
        found = self.candidates(choices)
        if not found:
            raise self.invalid()
        if len(found) > 1:
            raise AmbiguousCommand
        self.at += 1
        return found[0]

    def maybe(self, *choices: str) -> str | None:
        """Take one of the keywords if it is next; None leaves the word where it is."""
        found = self.candidates(choices)
        if len(found) != 1:
            return None
        self.at += 1
        return found[0]

    def word(self, longest: int | None = None) -> str:
        """Take any word; longer than ``longest`` characters is invalid (ios-facts 2.1: names have at most 40)."""
        if not self.more:
            raise IncompleteCommand
        text = self.peek()
        if longest is not None and len(text) > longest:
            raise self.invalid()
        self.at += 1
        return text

    def number(self, low: int, high: int) -> int:
        """Take a whole number within the range."""
        if not self.more:
            raise IncompleteCommand
        text = self.peek()
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise self.invalid()
        self.at += 1
        return int(text)

    @property
    def next_is_number(self) -> bool:
        """True when the next word is a number."""
        return self.peek().isascii() and self.peek().isdigit()

    def dscp(self) -> int:
        """Take a DSCP, number or name (ios-facts N3)."""
        return self._code_point(63, DSCP_NUMBERS, DSCP_NAMES)

    def precedence(self) -> int:
        """Take an IP precedence, number or name."""
        return self._code_point(7, PRECEDENCE_NUMBERS, PRECEDENCE_NAMES)

    def _code_point(self, high: int, numbers: dict[str, int], names: dict[int, str]) -> int:
        if self.next_is_number:
            return self.number(0, high)
        return numbers[self.keyword(*names.values())]

    def interface(self) -> str:
        """Take an interface name, in one word or two, abbreviated or not; returns the full spelling."""
        if not self.more:
            raise IncompleteCommand
        found = re.fullmatch(r"([A-Za-z-]+?)(\d[\d/:.]*)?", self.peek())
        if not found:
            raise self.invalid()
        types = interface_type(found.group(1))
        if not types:
            raise self.invalid()
        if len(types) > 1:
            raise AmbiguousCommand
        start = self.at
        self.at += 1
        unit = found.group(2)
        if unit is None:
            unit = self.word()
        if not re.fullmatch(r"\d+(/\d+)*(:\d+)?(\.\d+)?", unit):
            self.at = start
            raise self.invalid()
        return types[0] + unit
