"""One pass over the lines of a configuration: sections opened, fed and closed; text blocks skipped."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline.ios.blocks import DELIMITERS, TextBlocks
from provisioning.pipeline.ios.contents import Contents, Finished
from provisioning.pipeline.ios.dialects import (
    SUSPECT_BEGINNINGS,
    begins_whole,
    is_prompt,
    may_be_of_another,
    refuse_comment,
    refuse_line,
)
from provisioning.pipeline.ios.grammar import Understanding
from provisioning.pipeline.ios.interfaces import InterfaceSection
from provisioning.pipeline.ios.lines import lines_holding
from provisioning.pipeline.ios.plain_interfaces import plain_interface
from provisioning.pipeline.ios.plain_lists import plain_list
from provisioning.pipeline.ios.references import USERS, references_of
from provisioning.pipeline.ios.sections import Line, Section, failure_in
from provisioning.pipeline.ios.words import both, finder
from provisioning.pipeline.mqc import Reference, RunningConfig

_CONTINUES: Final = re.compile(r"\s*(?:class-map|policy-map|interface|version|hostname) \S")
_OURS: Final = ("interface ", "class-map ", "policy-map ", "ip access-list ", "ipv6 access-list ")
_OPENING: Final = (*_OURS, "access-list ", "router ", "line ")
"""How lines begin that no section before them takes for its own."""
_LAST_LINE: Final = re.compile(rf"\n(?! |!?(?:\n|\Z))(?P<opens>{'|'.join(_OPENING)})?")
"""The end of the last line of a section whose header stands at the margin: a deeper line or a lone ``!`` goes on.
``opens`` is there where the line after it can be no line of that section.
"""


Span = tuple[str, int]
"""A whole section: its lines as one text, and the index after the last."""


class _OtherSection(Section):
    """A section that is not ours: only what it uses of ours is noted."""

    words = frozenset({"service-policy"})
    heeded = finder(both(USERS, dict.fromkeys(Section.alone)))

    def __init__(self, number: int, indent: int, header: str, references: set[Reference]) -> None:
        super().__init__(number, indent, header)
        self._references = references
        self.accepts_flat = header.startswith("control-plane")

    def takes(self, line: Line) -> bool:
        return line.indent > self.indent or (self.accepts_flat and line.first in self.words)

    def read(self, line: Line) -> None:
        self._references.update(references_of(" ".join(self.header.split()), line.first, line.text))


class Reader:
    """Reads one text. ``strict`` refuses every top-level line that is neither an MQC object, an access list
    nor an interface, and every ``no`` among them: nothing of a list of intended objects may be passed over. With an
    ``understanding`` every line of ours is held against that before it is read.
    """

    def __init__(
        self,
        text: str,
        *,
        strict: bool,
        default_mode: str,
        known: dict[str, Finished] | None = None,
        understanding: Understanding | None = None,
    ) -> None:
        self._text, self._lines = text, text.split("\n")
        self._offsets = [0, *accumulate(map(len, self._lines))]
        self._odd = [len(self._lines), *reversed(lines_holding(DELIMITERS, text))]
        self._blocks = TextBlocks(self._lines)
        self._strict = strict
        self._contents = Contents(strict=strict, default_mode=default_mode)
        self._known = known
        self._understanding = understanding
        self._section: Section | None = None
        self._span: Span | None = None
        self._ahead: Span | None = None
        self._references: set[Reference] = set()
        self._hostname = self._version = ""
        self._first_top: tuple[int, int] | None = None
        self._whole = self._ended = False

    def read(self) -> RunningConfig:
        """What the text holds. Raises ParseFailure with the line where it cannot be read."""
        index, last = 0, len(self._lines)
        while index < last and not self._ended:
            if self._section is not None:
                index = self._deeper(index, self._section)
            index = self._taken_over(index)
            if index < last:
                index = self._alone(index) + 1
        if self._ended:
            self._nothing_follows(index)
        self._close(index)
        if self._whole and not self._ended:
            raise ParseFailure(
                "a running-config begins here but its `end` is missing: cut off", line=len(self._lines)
            )
        return self._contents.result(self._hostname, self._version, self._references, whole=self._whole)

    def _deeper(self, index: int, section: Section) -> int:
        """Feeds the open section its lines from ``index`` on, as long as they stand deeper than its header and
        can be nothing else; returns the index of the first line to be read alone.

        What ``_alone`` would do with each of them, without its questions.
        """
        if section.heeded is not None and section.indent == 0 and self._all_passed_over(section):
            index = self._heeded(section, section.heeded, index)
        lead, alone = " " * (section.indent + 1), section.alone
        lines, stop = self._lines, self._next_odd(index)
        for place in range(index, stop):
            raw = lines[place]
            if raw.startswith(lead):
                words = raw.split(None, 1)
                if not words:
                    continue
                first = words[0]
                if first in alone or first.startswith(SUSPECT_BEGINNINGS):
                    return place
                self._feed(section, place, raw, first)
            elif raw and raw != "!":
                return place
        return stop

    def _all_passed_over(self, section: Section) -> bool:
        """Whether the lines that a section does not heed need not be seen."""
        return self._understanding is None or isinstance(section, _OtherSection)

    def _heeded(self, section: Section, heeded: re.Pattern[str], index: int) -> int:
        """`_deeper` for a section at the margin, as long as few of its lines say something to it."""
        at, place = self._offsets[index] + index - 1, index - 1
        found = _LAST_LINE.search(self._text, at)
        stop = len(self._text) if found is None else found.start()
        end = index + self._text.count("\n", at, stop)
        odd = self._next_odd(index)
        if odd < end:
            end, stop = odd, self._offsets[odd] + odd - 1
        for line in heeded.finditer(self._text, at, stop):
            place += self._text.count("\n", at, line.start() + 1)
            at, first = line.start() + 1, line[1]
            if first in section.alone or first in SUSPECT_BEGINNINGS:
                return place
            self._feed(section, place, self._lines[place], first)
            if section.heeded is None:
                return place + 1
        return end

    def _next_odd(self, index: int) -> int:
        """The first line from ``index`` on that may delimit a text, or the number of lines."""
        while self._odd[-1] < index:
            self._odd.pop()
        return self._odd[-1]

    def _feed(self, section: Section, index: int, raw: str, first: str) -> None:
        self._give(section, Line(index + 1, raw.find(first), first, raw.strip()))

    def _give(self, section: Section, line: Line) -> None:
        """Lets the section read one of its lines; raises SectionFailure."""
        try:
            if self._understanding is not None:
                self._understanding.line(section, line)
            section.read(line)
        except InvalidInput as wrong:
            raise failure_in(section.number, line.number, wrong) from wrong

    def _alone(self, index: int) -> int:
        """Reads one line, with all the questions a line can raise; returns the index of the last line done."""
        raw = self._lines[index]
        text = raw.strip()
        if not text:
            return index
        try:
            block_end = self._line(index, raw, text)
        except ParseFailure:
            raise
        except InvalidInput as wrong:
            raise ParseFailure(str(wrong), line=index + 1) from wrong
        return index if block_end is None else block_end

    def _line(self, index: int, raw: str, text: str) -> int | None:
        number = index + 1
        if text[0] == "!":
            refuse_comment(text, number)
            return None
        first = text.split(None, 1)[0]
        if self._ahead is not None:  # the header can be nothing else
            self._top(Line(number, 0, first, text))
            return None
        block_end = self._blocks.end_of(index, first, text)
        if block_end is not None:
            self._span = None
            return block_end
        line = Line(number, len(raw) - len(raw.lstrip()), first, text)
        refuse_line(first, text, number, of_ios=bool(self._version))
        if self._strict and first == "no" and not isinstance(self._section, InterfaceSection):
            raise ParseFailure(f"`{text}` removes something; a list of objects holds none", line=number)
        section = self._section
        opens_mqc = first in ("class-map", "policy-map")
        if section is not None and not opens_mqc and section.takes(line):
            self._span = None
            self._give(section, line)
        elif text == "end":
            self._ended = True
        else:
            self._top(line)
        return None

    def _top(self, line: Line) -> None:
        """A line of the top level: closes the section before and opens one."""
        self._close(line.number - 1)
        number, indent, words = line.number, line.indent, line.text.split()
        if self._first_top is None:
            self._first_top = (number, indent)
        elif indent < self._first_top[1] and self._first_top[1] > 1:
            raise ParseFailure(
                "the text begins inside a section: its beginning is missing", line=self._first_top[0]
            )
        try:
            if self._understanding is not None:
                self._understanding.header(line, words)
            if self._contents.add_entry(line, words):
                return
            self._section = self._contents.open(line, words)
        except InvalidInput as wrong:
            raise failure_in(number, number, wrong) from wrong
        self._section = self._section or self._other(line, words)
        self._span = self._ahead

    def _taken_over(self, index: int) -> int:
        """The index after the sections that open here, one after another, as long as the very text of each is known or
        plain and is all there is of its object; then it is taken as if it had been read.
        """
        known, last, self._ahead = self._known, len(self._lines), None
        while known is not None and index < last and (span := self._span_of(index)) is not None:
            text, end = span
            value = known.get(text)
            if value is None and may_be_of_another(text):
                break
            self._ahead = span
            if self._first_top is None or self._first_top[1] > 1:
                break
            if value is None:
                value = plain_interface(text) or plain_list(text, strict=self._strict)
                if value is None:
                    break
                known[text] = value
            if self._section is not None:
                self._close(index)
            if not self._contents.take(value):
                break
            index, self._ahead = end, None
        return index

    def _span_of(self, index: int) -> Span | None:
        """The section of ours that opens on this line; None where what follows might still be of it."""
        if not self._lines[index].startswith(_OURS):
            return None
        start = self._offsets[index] + index
        found = _LAST_LINE.search(self._text, start)
        stop = len(self._text) if found is None else found.start()
        if found is not None and found["opens"] is None:
            return None
        text = self._text[start:stop]
        end = index + 1 + text.count("\n")
        return None if end > self._next_odd(index) else (text, end)

    def _other(self, line: Line, words: list[str]) -> Section | None:
        number, indent, first, text = line
        whole = begins_whole(text)
        if self._strict and is_prompt(text):
            return None  # nothing belongs to it
        if self._strict and not whole and text not in ("exit", "configure terminal", "conf t"):
            raise ParseFailure(f"`{text}` is no MQC object, access list or interface", line=number)
        self._whole = self._whole or whole
        if first == "hostname" and len(words) == 2:
            self._hostname = words[1]
        elif first == "version" and len(words) == 2 and whole:
            self._version = words[1]
        self._references.update(references_of("", first, text))
        return _OtherSection(number, indent, text, self._references)

    def _close(self, end: int) -> None:
        """The open section ends before the line of this index."""
        section, self._section = self._section, None
        span, self._span = self._span, None
        if span is not None and span[1] != end:
            span = None
        if section is not None:
            value = self._contents.close(section, keep=span is not None)
            if span is not None and self._known is not None and value is not None:
                self._known[span[0]] = value

    def _nothing_follows(self, start: int) -> None:
        """After ``end`` comes a prompt or nothing; another configuration would be read by nobody."""
        for place in range(start, len(self._lines)):
            if _CONTINUES.match(self._lines[place]):
                raise ParseFailure("a configuration continues after `end`", line=place + 1)
