"""One pass over the lines of a configuration: sections opened, fed and closed; text blocks skipped."""

from __future__ import annotations

import re
from typing import Final

from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline.ios.access_lists import AccessListSection, EntryList, list_header
from provisioning.pipeline.ios.blocks import DELIMITERS, TextBlocks
from provisioning.pipeline.ios.class_maps import ClassMapSection
from provisioning.pipeline.ios.dialects import MARKS, begins_whole, refuse_comment, refuse_line
from provisioning.pipeline.ios.interfaces import InterfaceSection
from provisioning.pipeline.ios.lines import lines_holding
from provisioning.pipeline.ios.policy_maps import PolicyMapSection
from provisioning.pipeline.ios.references import USERS, references_of
from provisioning.pipeline.ios.sections import Line, Section
from provisioning.pipeline.mqc import ClassMap, Reference, RunningConfig

_CONTINUES: Final = re.compile(r"\s*(?:class-map|policy-map|interface|version|hostname) \S")
_INTERFACE: Final = re.compile(r"interface [A-Za-z][\w-]*(?: ?\d|\b)")


class _OtherSection(Section):
    """A section that is not ours: only what it uses of ours is noted."""

    words = frozenset({"service-policy"})
    heeds = USERS

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
    nor an interface, and every ``no`` among them: nothing of a list of intended objects may be passed over.
    """

    def __init__(self, text: str, *, strict: bool, default_mode: str) -> None:
        self._lines = text.split("\n")
        self._odd = [len(self._lines), *reversed(lines_holding((*MARKS, *DELIMITERS), text))]
        self._blocks = TextBlocks(self._lines)
        self._strict = strict
        self._default_mode = default_mode
        self._section: Section | None = None
        self._class_maps: dict[str, ClassMap] = {}
        self._policies: dict[str, PolicyMapSection] = {}
        self._entry_lists: dict[tuple[int, str], EntryList] = {}
        self._interfaces: dict[str, InterfaceSection] = {}
        self._references: set[Reference] = set()
        self._hostname = self._version = ""
        self._first_top: tuple[int, int] | None = None
        self._whole = self._ended = False

    def read(self) -> RunningConfig:
        """What the text holds. Raises ParseFailure with the line where it cannot be read."""
        index, last = 0, len(self._lines)
        while index < last and not self._ended:
            index = self._deeper(index)
            if index < last:
                index = self._alone(index) + 1
        if self._ended:
            self._nothing_follows(index)
        self._close()
        if self._whole and not self._ended:
            raise ParseFailure(
                "a running-config begins here but its `end` is missing: cut off", line=len(self._lines)
            )
        return self._result()

    def _deeper(self, index: int) -> int:
        """Feeds the open section its lines from ``index`` on, as long as they stand deeper than its header and
        can be nothing else; returns the index of the first line to be read alone.

        What ``_alone`` would do with each of them, without its questions.
        """
        section = self._section
        if section is None:
            return index
        lead, alone = " " * (section.indent + 1), section.alone
        stop = self._next_odd(index)
        for place in range(index, stop):
            raw = self._lines[place]
            if raw.startswith(lead):
                words = raw.split(None, 1)
                if not words:
                    continue
                first, heeds = words[0], section.heeds
                if first in alone or (heeds is None and first[0] == "!"):
                    return place
                if heeds is None or first in heeds:
                    self._feed(section, place, raw, first)
            elif raw and raw != "!":
                return place
        return stop

    def _next_odd(self, index: int) -> int:
        """The first line from ``index`` on that holds a mark, or the number of lines."""
        while self._odd[-1] < index:
            self._odd.pop()
        return self._odd[-1]

    def _feed(self, section: Section, index: int, raw: str, first: str) -> None:
        line = Line(index + 1, len(raw) - len(raw.lstrip()), first, raw.strip())
        try:
            section.read(line)
        except ParseFailure:
            raise
        except InvalidInput as wrong:
            raise ParseFailure(str(wrong), line=index + 1) from wrong

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
        block_end = self._blocks.end_of(index, first, text)
        if block_end is not None:
            return block_end
        line = Line(number, len(raw) - len(raw.lstrip()), first, text)
        refuse_line(first, text, number, of_ios=bool(self._version))
        if self._strict and first == "no" and not isinstance(self._section, InterfaceSection):
            raise ParseFailure(f"`{text}` removes something; a list of objects holds none", line=number)
        section = self._section
        opens_mqc = first in ("class-map", "policy-map")
        if section is not None and not opens_mqc and section.takes(line):
            section.read(line)
        elif text == "end":
            self._ended = True
        else:
            self._top(line)
        return None

    def _top(self, line: Line) -> None:
        """A line of the top level: closes the section before and opens one."""
        self._close()
        number, indent, first, text = line
        words = text.split()
        if self._first_top is None:
            self._first_top = (number, indent)
        elif indent < self._first_top[1] and self._first_top[1] > 1:
            raise ParseFailure(
                "the text begins inside a section: its beginning is missing", line=self._first_top[0]
            )
        if first in ("class-map", "policy-map") and words[1:2] != ["type"]:
            self._open_mqc(line)
        elif first == "interface":
            self._open_interface(line)
        elif first in ("ip", "ipv6", "access-list") and (header := list_header(words)) is not None:
            self._open_list(line, words, header)
        else:
            self._other(line, words)

    def _open_mqc(self, line: Line) -> None:
        number, indent, first, text = line
        if first == "class-map":
            self._section = ClassMapSection(number, indent, text, self._default_mode, strict=self._strict)
            return
        opened = PolicyMapSection(number, indent, text, strict=self._strict)
        section = self._policies.setdefault(opened.name, opened)
        section.reopened(number, indent)
        self._section = section

    def _open_interface(self, line: Line) -> None:
        opened = InterfaceSection(line.number, line.indent, line.text)
        section = self._interfaces.setdefault(opened.name, opened)
        section.reopened(line.number, line.indent)
        self._section = section

    def _open_list(self, line: Line, words: list[str], header: tuple[str, int, bool]) -> None:
        name, family, standard = header
        entries = self._entry_lists.setdefault(
            (family, name), EntryList(name, family, standard, strict=self._strict)
        )
        inline = words[3:] if words[0] == "ipv6" else words[2:] if words[0] == "access-list" else []
        if inline:
            entries.add(line.number, " ".join(inline))
            self._section = None
        else:
            self._section = AccessListSection(line.number, line.indent, line.text, entries)

    def _other(self, line: Line, words: list[str]) -> None:
        number, indent, first, text = line
        whole = begins_whole(text)
        if self._strict and not whole and text not in ("exit", "configure terminal", "conf t"):
            raise ParseFailure(f"`{text}` is no MQC object, access list or interface", line=number)
        self._whole = self._whole or whole
        if first == "hostname" and len(words) == 2:
            self._hostname = words[1]
        elif first == "version" and len(words) == 2 and whole:
            self._version = words[1]
        self._references.update(references_of("", first, text))
        self._section = _OtherSection(number, indent, text, self._references)

    def _close(self) -> None:
        section, self._section = self._section, None
        if isinstance(section, ClassMapSection):
            try:
                self._class_maps[section.name] = section.merged_into(self._class_maps.get(section.name))
            except InvalidInput as wrong:
                raise ParseFailure(str(wrong), line=section.number) from wrong

    def _nothing_follows(self, start: int) -> None:
        """After ``end`` comes a prompt or nothing; another configuration would be read by nobody."""
        for place in range(start, len(self._lines)):
            if _CONTINUES.match(self._lines[place]):
                raise ParseFailure("a configuration continues after `end`", line=place + 1)

    def _result(self) -> RunningConfig:
        policies = {}
        for section in self._policies.values():
            try:
                policies[section.name] = section.policy_map
            except ParseFailure:
                raise
            except InvalidInput as wrong:
                raise ParseFailure(str(wrong), line=section.number) from wrong
        lists = {}
        for family, name in sorted(self._entry_lists):
            key = f"ipv6 {name}" if family == 6 and (4, name) in self._entry_lists else name
            lists[key] = self._entry_lists[(family, name)].access_list
        found = [policies, lists, self._class_maps, self._interfaces, self._hostname, self._version]
        if not any(found):
            raise ParseFailure("no IOS configuration is in this text")
        return RunningConfig(
            self._hostname,
            self._version,
            lists,
            self._class_maps,
            policies,
            {name: section.interface for name, section in self._interfaces.items()},
            frozenset(binding for section in self._interfaces.values() for binding in section.bindings),
            frozenset(self._references.union(*(each.references for each in self._interfaces.values()))),
            self._whole,
        )
