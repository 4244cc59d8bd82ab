"""What one section of a running-config looks like to the reader: a header and the lines that belong to it."""

from __future__ import annotations

import re
from typing import ClassVar, Final, NamedTuple

from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline.ios.blocks import OPENERS
from provisioning.pipeline.ios.dialects import SUSPECTS


class Line(NamedTuple):
    """One line of a text: its 1-based number, the blanks before it, its first word, and it without outer
    blanks.
    """

    number: int
    indent: int
    first: str
    text: str


TOP_LEVEL: Final = frozenset(
    {"access-list", "hostname", "interface", "ip", "ipv6", "line", "router", "version"}
)
"""Words that begin no line of a class-map or policy-map, however deep they stand."""


ANYWHERE: Final = OPENERS | SUSPECTS | {"class-map", "policy-map"}
"""First words that mean something of their own, however deep they stand."""


class SectionFailure(ParseFailure):
    """A section that cannot be read, in a text that can; ``header`` is the 1-based number of its first line."""

    def __init__(self, reason: str, *, line: int, column: int = 0, header: int) -> None:
        super().__init__(reason, line=line, column=column)
        self.header = header


def failure_in(header: int, line: int, wrong: InvalidInput) -> SectionFailure:
    """What is wrong with the section of that header, at that line unless the error names another."""
    if isinstance(wrong, SectionFailure):
        return wrong
    if isinstance(wrong, ParseFailure):
        return SectionFailure(wrong.reason, line=wrong.line or line, column=wrong.column, header=header)
    return SectionFailure(str(wrong), line=line, header=header)


class Section:
    """A section opened by a header line ``indent`` blanks in.

    A line deeper than the header belongs to it. So does a line that begins with one of ``words``, whatever
    its indentation: these are no commands of the top level, and indentation differs between releases
    (ios-facts 1.1).
    """

    words: ClassVar[frozenset[str]] = frozenset()
    alone: ClassVar[frozenset[str]] = ANYWHERE | TOP_LEVEL | {"no"}
    """First words of deeper lines that may be no line of this section."""
    continued = False
    """Whether it goes on with what an earlier section began."""
    heeded: re.Pattern[str] | None = None
    """Finds the deeper lines that say something to it or begin with one of ``alone``; the others need not be read.
    None while all may.
    """

    def __init__(self, number: int, indent: int, header: str) -> None:
        self.number = number
        self.indent = indent
        self.header = header

    def takes(self, line: Line) -> bool:
        """Whether the line belongs to this section."""
        return line.indent > self.indent or line.first in self.words

    def read(self, line: Line) -> None:
        """Reads one line of the section; raises ParseFailure or InvalidInput."""
        raise NotImplementedError
