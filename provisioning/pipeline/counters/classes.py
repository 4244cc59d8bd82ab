"""The lines of one class of ``show policy-map interface``, and the classes of one policy, while they are read (ios-facts 4.1)."""

from __future__ import annotations

import re
from typing import Final

from provisioning.pipeline.counters.policer import PolicerLines
from provisioning.pipeline.counters.queues import MarkLines, QueueLines
from provisioning.pipeline.counters.values import (
    ChildPolicyCounters,
    ClassCounters,
    InterfacePolicyCounters,
    MatchCounters,
    QueueCounters,
)

_TOTAL: Final = re.compile(r"(\d+) packets(?:, (\d+) bytes)?\Z")
_OFFERED: Final = re.compile(
    r"(?:(\d+) (second|minute)s? (?:offered )?|offered )rate (\d+) bps(?:, drop rate (\d+) bps)?"
)
_SLOT: Final = re.compile(r"Earl in slot \d+")
"""Where a 6500 or 7600 counts in hardware: once in each slot, bytes only."""
_SLOT_BYTES: Final = re.compile(r"(\d+) bytes\Z")
_POLICE: Final = re.compile(r"police(?:\s|:|\Z)", re.IGNORECASE)
_SECONDS: Final = {"second": 1, "minute": 60}


class ClassLines:
    """The lines of one class."""

    def __init__(self, number: int, name: str, mode: str) -> None:
        self.number, self.name, self._mode = number, name, mode
        self.packets: int | None = None
        self._bytes: int | None = None
        self._rates: tuple[int | None, int | None, int | None] = (None, None, None)
        self._matches: list[MatchCounters] = []
        self._policer: PolicerLines | None = None
        self._marks = MarkLines()
        self._marking = False
        self._in_slot = False
        self._queue = QueueLines()
        self.children: list[PolicyLines] = []
        self._other: list[str] = []

    def line(self, text: str) -> bool:
        """Reads a line; False where it says nothing that is known, and is kept as it is."""
        lowered = text.lower()
        if lowered.startswith("match"):
            self._matches.append(MatchCounters(" ".join(text.partition(":")[2].split())))
        elif _POLICE.match(text):
            self._policer, self._marking = PolicerLines(), False
            self._policer.take(text.partition(":")[2].strip())
        elif lowered.startswith("qos set"):
            self._marking = True
        elif lowered.startswith("set ") and self._marks.take(text[4:].rstrip(": ")):
            pass
        elif not self._totals(text) and not self._part(text):
            self._other.append(" ".join(text.split()))
            return False
        return True

    @property
    def is_cut_off(self) -> bool:
        """Whether the last lines of its policer are missing, where nothing follows it."""
        return self._policer is not None and not self._in_slot and not self._policer.is_whole

    @property
    def is_counted(self) -> bool:
        """Whether anything after its heading was read; a class in hardware has no count of packets."""
        return self.packets is not None or bool(self._matches)

    def disown(self, text: str) -> None:
        """Takes back the last line, which turned out to be no line of this class."""
        if self._other and self._other[-1] == " ".join(text.split()):
            self._other.pop()

    def _totals(self, text: str) -> bool:
        if _SLOT.match(text):
            self._in_slot = True
            return True
        if self._in_slot:
            return self._slot(text)
        total = _TOTAL.match(text)
        if total is not None:
            self._count(int(total[1]), int(total[2]) if total[2] else None)
            return True
        offered = _OFFERED.match(text)
        if offered is None:
            return False
        if not self._matches:
            drop = int(offered[4]) if offered[4] else None
            self._rates = (_interval(offered), int(offered[3]), drop)
        return True

    def _count(self, packets: int, size: int | None) -> None:
        """Above the match lines it is the class's count; below one, that of this match."""
        if not self._matches:
            if self.packets is None:
                self.packets, self._bytes = packets, size
        elif self._policer is None and self._matches[-1].packets is None:
            self._matches[-1] = MatchCounters(self._matches[-1].match, packets, size)

    def _slot(self, text: str) -> bool:
        """What one slot counted is added to what the others did."""
        if counted := _SLOT_BYTES.match(text):
            self._bytes = (self._bytes or 0) + int(counted[1])
        elif offered := _OFFERED.match(text):
            self._rates = (_interval(offered), (self._rates[1] or 0) + int(offered[3]), None)
        else:
            return text.startswith("aggregate-forward") and self._policer is None
        return True

    def _part(self, text: str) -> bool:
        if self._marking and self._marks.take(text):
            return True
        if self._policer is not None and self._policer.take(text):
            return True
        return self._queue.take(text)

    @property
    def counters(self) -> ClassCounters:
        interval, offered, drop = self._rates
        return ClassCounters(
            self.name,
            self._mode,
            self.packets,
            self._bytes,
            interval,
            offered,
            drop,
            tuple(each.match for each in self._matches),
            tuple(self._matches),
            self._policer.counters if self._policer else None,
            self._marks.marks,
            self._queue.counters,
            tuple(child.nested for child in self.children),
            tuple(self._other),
        )


def _interval(offered: re.Match[str]) -> int | None:
    return int(offered[1]) * _SECONDS[offered[2]] if offered[1] else None


class PolicyLines:
    """One policy while its classes are read; ``class_indent`` is where its classes stand, once the first is
    seen.
    """

    def __init__(self, name: str, indent: int, place: tuple[str, str | None, str] | None) -> None:
        self.name, self.indent, self._place = name, indent, place
        self.class_indent: int | None = None
        self.classes: list[ClassLines] = []
        self.shared: list[QueueLines] = []

    @property
    def _shared_queues(self) -> tuple[QueueCounters, ...]:
        return tuple(queue for lines in self.shared if (queue := lines.counters) is not None)

    @property
    def nested(self) -> ChildPolicyCounters:
        return ChildPolicyCounters(
            self.name, tuple(each.counters for each in self.classes), self._shared_queues
        )

    @property
    def bound(self) -> InterfacePolicyCounters:
        interface, pvc, direction = self._place or ("", None, "")
        classes = tuple(each.counters for each in self.classes)
        return InterfacePolicyCounters(interface, pvc, direction, self.name, classes, self._shared_queues)
