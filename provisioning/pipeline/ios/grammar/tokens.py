"""The words of one line with their columns, taken one after the other; what cannot be taken is refused where it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Final, NoReturn

from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline.mqc import dscp, precedence
from provisioning.pipeline.mqc.numbers import is_decimal, is_number
from provisioning.pipeline.platforms import LONGEST_NAME

_WORD: Final = re.compile(r'(?:"[^"]*"|[^\s"])+|"')
"""A quoted text is one word, its blanks kept."""
_NAME: Final = re.compile(r"[A-Za-z0-9_#][A-Za-z0-9_.:/+#@&%$*=(),~-]*\Z")
_SHOWN: Final = 6
"""Of what could stand in a place, so many are named."""


class Tokens:
    """One line. ``number`` is its 1-based number, ``indent`` how many characters of it stand before ``text``."""

    def __init__(self, text: str, number: int = 0, indent: int = 0) -> None:
        self._number, self._indent = number, indent
        found = list(_WORD.finditer(text))
        self.words = [each.group() for each in found]
        self._starts = [each.start() for each in found]
        self._length = len(text)
        self.at = 0

    @property
    def more(self) -> bool:
        """Whether words are left."""
        return self.at < len(self.words)

    @property
    def next(self) -> str:
        """The next word, in small letters; empty at the end."""
        return self.words[self.at].lower() if self.more else ""

    @property
    def next_is_number(self) -> bool:
        """Whether the next word is a whole number."""
        return is_number(self.next)

    def refuse(self, reason: str, *, at: int | None = None) -> NoReturn:
        """Raises ParseFailure at the next word, or at the word of that index; past the last one behind the line."""
        place = self.at if at is None else at
        start = self._starts[place] if place < len(self._starts) else self._length
        raise ParseFailure(reason, line=self._number, column=self._indent + start + 1)

    def missing(self, what: str) -> NoReturn:
        """Raises ParseFailure: the line ends before ``what``."""
        self.refuse(f"`{' '.join(self.words)}` ends where {what} is missing")

    def end(self) -> None:
        """The line is over; raises ParseFailure at a word that is left."""
        if self.more:
            self.refuse(
                f"`{self.words[self.at]}`: nothing can follow `{' '.join(self.words[: self.at])}` here"
            )

    def skip(self) -> None:
        """What is left is free text."""
        self.at = len(self.words)

    def take(self, what: str) -> str:
        """Any word, as typed."""
        if not self.more:
            self.missing(what)
        self.at += 1
        return self.words[self.at - 1]

    def maybe(self, *keywords: str) -> str | None:
        """One of these keywords if it is next."""
        word = self.next
        if word not in keywords:
            return None
        self.at += 1
        return word

    def keyword(self, keywords: Collection[str], what: str = "") -> str:
        """One of these keywords; what is no keyword is refused with those it may have been meant for."""
        if not self.more:
            self.missing(what or _among(sorted(keywords)))
        word = self.next
        if word not in keywords:
            self.refuse(_no_keyword(self.words[self.at], keywords, what))
        self.at += 1
        return word

    def number(self, least: int, most: int, what: str, source: str = "") -> int:
        """A whole number of that range, both ends included; ``source`` says whose range it is."""
        if not self.more:
            self.missing(what)
        word = self.words[self.at]
        if not is_number(word):
            self.refuse(f"`{word}` is no number: {what} is missing")
        if not least <= int(word) <= most:
            self.refuse(f"`{word}`: {what} is {least}-{most}{source}")
        self.at += 1
        return int(word)

    def percent(self, what: str = "a percentage") -> None:
        """A share above 0 and up to 100. Whether it may have a fraction is the platform's to judge (`platforms.rules`)."""
        if not self.more:
            self.missing(what)
        word = self.words[self.at]
        if not is_decimal(word):
            self.refuse(f"`{word}` is no number: {what} is missing")
        if not 0 < float(word) <= 100:
            self.refuse(f"`{word}`: {what} is 1-100")
        self.at += 1

    def name(self, what: str) -> str:
        """A name of at most 40 characters, of those that IOS takes in one."""
        word = self.take(f"the name of {what}")
        if len(word) > LONGEST_NAME:
            self.refuse(
                f"`{word[:LONGEST_NAME]}...`: a name has at most {LONGEST_NAME} characters", at=self.at - 1
            )
        if not _NAME.match(word):
            self.refuse(f"`{word}` cannot be the name of {what}", at=self.at - 1)
        return word

    def dscp(self) -> None:
        """A DSCP, as a number or by its name."""
        self._codepoint(dscp, "a DSCP")

    def precedence(self) -> None:
        """An IP precedence, as a number or by its name."""
        self._codepoint(precedence, "an IP precedence")

    def _codepoint(self, read: object, what: str) -> None:
        word = self.take(what)
        assert callable(read)
        try:
            read(word)
        except InvalidInput as wrong:
            self.refuse(f"`{word}` is no {what.split(' ', 1)[1]}: {wrong.reason}", at=self.at - 1)


def _no_keyword(word: str, keywords: Iterable[str], what: str) -> str:
    choices = sorted(keywords)
    near = get_close_matches(word.lower(), choices, n=1, cutoff=0.6)
    if near:
        return f"`{word}` is not understood: is `{near[0]}` meant?"
    return f"`{word}` is not understood: {what or _among(choices)} is expected"


def _among(choices: list[str]) -> str:
    shown = [f"`{each}`" for each in choices[:_SHOWN]]
    if len(choices) > _SHOWN:
        return f"{', '.join(shown)} or one of {len(choices) - _SHOWN} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
