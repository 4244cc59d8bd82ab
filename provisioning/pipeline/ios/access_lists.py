"""Access lists, named and numbered, IPv4 and IPv6 (ios-facts N31-N35)."""

from __future__ import annotations

import re
from typing import ClassVar, Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.ios.sections import Line, Section
from provisioning.pipeline.mqc import AccessEntry, AccessList
from provisioning.pipeline.mqc.numbers import is_number

STANDARD_NUMBERS: Final = frozenset(range(1, 100)) | frozenset(range(1300, 2000))
EXTENDED_NUMBERS: Final = frozenset(range(100, 200)) | frozenset(range(2000, 2700))
_DECIDING: Final = frozenset({"permit", "deny", "evaluate", "dynamic"})
_ENTRY_WORDS: Final = _DECIDING | {"remark"}
_INLINE: Final = frozenset({"permit", "deny", "remark", "sequence"})
_TRAILING_SEQUENCE: Final = re.compile(
    r"(?P<rest>.*\S)\s+(?:sequence|priority)\s+(?P<sequence>[0-9]{1,18})\Z"
)


class EntryList:
    """The entries of one list while they are read: each finds its sequence number."""

    def __init__(self, name: str, family: int, standard: bool, *, strict: bool) -> None:
        self.name = name
        self.family = family
        self.standard = standard
        self._strict = strict
        self._entries: dict[int, AccessEntry] = {}
        self._sharing: list[AccessEntry] = []
        self._last = 0
        self._last_deciding = 0

    def add(self, number: int, text: str) -> None:
        """One entry, with ``10 permit`` or ``sequence 10 permit`` or without a number: then the next on the
        grid.

        A line of an unknown kind is kept as its text, except where ``strict``. Like a remark it takes no place
        on the grid (classic IOS numbers what decides) and may have the number of the entry after it
        (IOS-XE). Raises ParseFailure.
        """
        words = text.split(None, 2)
        sequence: int | None = None
        if words[0] == "sequence" and len(words) == 3 and is_number(words[1]):
            sequence, text = int(words[1]), words[2]
        elif is_number(words[0]) and len(words) > 1:
            sequence, text = int(words[0]), text.split(None, 1)[1]
        first = text.split(None, 1)[0]
        if first not in _ENTRY_WORDS and self._strict:
            raise ParseFailure(f"`{text}` is no entry of access list {self.name}", line=number)
        if sequence is None and self.family == 6 and first != "remark":
            trailing = "sequence" in text or "priority" in text
            found = _TRAILING_SEQUENCE.match(text) if trailing else None
            if found is not None:
                sequence, text = int(found["sequence"]), found["rest"]
        decides = first in _DECIDING
        entry = AccessEntry(self._next(decides) if sequence is None else sequence, text)
        sequence = entry.sequence
        if sequence in self._entries:
            entry = self._beside(number, self._entries.pop(sequence), entry)
        self._entries[sequence] = entry
        self._last = max(self._last, sequence)
        if decides:
            self._last_deciding = max(self._last_deciding, sequence)

    def _beside(self, number: int, there: AccessEntry, entry: AccessEntry) -> AccessEntry:
        """The one of two entries that keeps the number they share: a remark gives way to the other, beside
        it in an IPv4 list, before it in an IPv6 list.
        """
        if there.decides:
            there, entry = entry, there
        free = next((place for place in range(there.sequence - 1, 0, -1) if place not in self._entries), None)
        if there.decides or (self.family == 6 and free is None):
            raise ParseFailure(f"access list {self.name} uses sequence {entry.sequence} twice", line=number)
        if self.family == 4 or free is None:
            self._sharing.append(there)
        else:
            self._entries[free] = AccessEntry(free, there.text)
        return entry

    def _next(self, decides: bool) -> int:
        if not decides:
            return self._last + 1
        on_grid = self._last_deciding + 10
        return on_grid if on_grid > self._last else self._last + 10

    @property
    def empty(self) -> bool:
        """Whether there is no entry yet."""
        return not self._entries

    @property
    def access_list(self) -> AccessList:
        """The finished list."""
        entries = (*self._sharing, *self._entries.values())
        return AccessList(self.name, self.family, entries, self.standard)


class AccessListSection(Section):
    """Reads the lines under ``ip access-list ...`` or ``ipv6 access-list ...``."""

    words: ClassVar[frozenset[str]] = _ENTRY_WORDS | {"sequence"}

    def __init__(self, number: int, indent: int, header: str, entries: EntryList) -> None:
        super().__init__(number, indent, header)
        self.entries = entries

    def takes(self, line: Line) -> bool:
        return line.indent > self.indent or line.first in self.words or is_number(line.first)

    def read(self, line: Line) -> None:
        if line.text != "exit":
            self.entries.add(line.number, line.text)


def list_header(words: list[str]) -> tuple[str, int, bool] | None:
    """Name, family and whether it is standard, of the list that a line of these words opens; None for other
    lines.
    """
    if words[:2] == ["ip", "access-list"] and len(words) == 4 and words[2] in ("extended", "standard"):
        return words[3], 4, words[2] == "standard"
    if words[:2] == ["ipv6", "access-list"] and (len(words) == 3 or (words[3:4] and words[3] in _INLINE)):
        return words[2], 6, False
    if words[0] == "access-list" and len(words) > 2 and is_number(words[1]):
        value = int(words[1])
        if value in STANDARD_NUMBERS or value in EXTENDED_NUMBERS:
            return words[1], 4, value in STANDARD_NUMBERS
    return None
