"""``class-map`` sections (ios-facts N1-N10, N28)."""

from __future__ import annotations

import re
from typing import ClassVar, Final

from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline.ios.sections import TOP_LEVEL, Line, Section
from provisioning.pipeline.mqc import ClassMap, Match
from provisioning.pipeline.mqc.classes import DSCP_KINDS, NUMBER_KINDS, PRECEDENCE_KINDS
from provisioning.pipeline.mqc.interface_names import interface_named
from provisioning.pipeline.mqc.numbers import is_number

MODES: Final = frozenset({"match-all", "match-any", "match-none"})
_LONGEST_KIND: Final = 3
_QUOTED: Final = re.compile(r'(?:"[^"]*"|[^\s"])+|"')
"""The words of a line in which a quoted text is one word, its blanks kept (``match protocol http url``)."""


def read_match(words: list[str]) -> Match:
    """The match of the words after ``match``; a form without a name of its own is opaque. Raises
    InvalidInput.
    """
    negated = bool(words) and words[0] == "not"
    if negated:
        words = words[1:]
    if words == ["any"]:
        return Match("any", negated=negated)
    if words[:1] == ["access-group"] and len(words) > 1:
        values = words[2:] if words[1] == "name" else words[1:]
        if len(values) == 1 and (words[1] == "name" or is_number(values[0])):
            return Match("access-group", frozenset(values), negated)
    for length in range(min(_LONGEST_KIND, len(words) - 1), 0, -1):
        kind = " ".join(words[:length])
        values = words[length:]
        if kind in DSCP_KINDS or kind in PRECEDENCE_KINDS:
            return Match(kind, frozenset(values), negated)
        if kind in NUMBER_KINDS and all(is_number(value) for value in values):
            return Match(kind, frozenset(values), negated)
        if kind == "input-interface":
            return Match(kind, frozenset({interface_named("".join(values))}), negated)
        if kind in ("protocol", "class-map"):
            return Match(kind, frozenset({" ".join(values)}), negated)
    rest = " ".join(words)
    if rest in DSCP_KINDS or rest in PRECEDENCE_KINDS:
        raise InvalidInput(f"`match {rest}` needs a value", field="match")
    return Match("opaque", frozenset({rest}), negated)


class ClassMapSection(Section):
    """Reads one class-map; ``class_map`` is the finished one."""

    words: ClassVar[frozenset[str]] = frozenset({"match", "description"})

    def __init__(self, number: int, indent: int, header: str, default_mode: str, *, strict: bool) -> None:
        super().__init__(number, indent, header)
        words = header.split()[1:]
        self.mode = words.pop(0) if words and words[0] in MODES else default_mode
        if len(words) != 1:
            raise ParseFailure("a class-map has one name", line=number)
        self.name = words[0]
        self._strict = strict
        self._matches: set[Match] = set()
        self._description = ""
        self._other: set[str] = set()

    def takes(self, line: Line) -> bool:
        return line.first not in TOP_LEVEL and super().takes(line)

    def read(self, line: Line) -> None:
        first, text = line.first, line.text
        words = _QUOTED.findall(text) if '"' in text else text.split()
        if first == "match":
            if len(words) == 1:
                raise ParseFailure("match without a criterion", line=line.number)
            self._matches.add(self._match(words[1:]))
        elif first == "description":
            self._description = text[len(first) :]
        elif text != "exit":
            self._other.add(text)

    def _match(self, words: list[str]) -> Match:
        """In what a router printed, a value not known here is kept; in what somebody intends it is an
        error.
        """
        try:
            return read_match(words)
        except InvalidInput:
            if self._strict:
                raise
        negated = words[0] == "not"
        return Match("opaque", frozenset({" ".join(words[negated:])}), negated)

    def merged_into(self, earlier: ClassMap | None) -> ClassMap:
        """The class-map; entered a second time its lines add to the earlier ones, as on a router."""
        earlier = earlier or ClassMap(self.name, self.mode)
        return ClassMap(
            self.name,
            self.mode,
            earlier.matches | self._matches,
            self._description or earlier.description,
            earlier.other_lines | self._other,
        )
