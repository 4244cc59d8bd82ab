"""``show policy-map interface`` of every era, line by line (ios-facts 4.1)."""

from __future__ import annotations

import re
from typing import Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.counters.places import Place, unusual_place, usual_place
from provisioning.pipeline.counters.policer import PolicerLines
from provisioning.pipeline.counters.queues import MarkLines, QueueLines
from provisioning.pipeline.counters.screen import whole_lines
from provisioning.pipeline.counters.values import (
    ChildPolicyCounters,
    ClassCounters,
    InterfacePolicyCounters,
    MatchCounters,
    QueueCounters,
)
from provisioning.pipeline.ios.lines import split_lines

_POLICY: Final = re.compile(
    r"[Ss]ervice-[Pp]olicy(?: (?!input\b|output\b)[a-z-]+)*\s*(?P<direction>input|output)?\s*:\s*(?P<name>\S+)"
)
_CLASS: Final = re.compile(
    r"[Cc]lass-[Mm]ap\s*:\s*(?P<name>\S+)\s+\((?P<mode>match[- ]\w+)\)(?:\s*\(\d+/\d+\))?\s*(?P<rest>.*)\Z"
)
_ANY_HEADING: Final = re.compile(r"[Ss]ervice-[Pp]olicy\b|[Cc]lass-[Mm]ap\s*:")
_TOTAL: Final = re.compile(r"(\d+) packets(?:, (\d+) bytes)?\Z")
_OFFERED: Final = re.compile(
    r"(?:(\d+) (second|minute)s? (?:offered )?|offered )rate (\d+) bps(?:, drop rate (\d+) bps)?"
)
_SLOT: Final = re.compile(r"Earl in slot \d+")
"""Where a 6500 or 7600 counts in hardware: once in each slot, bytes only."""
_SLOT_BYTES: Final = re.compile(r"(\d+) bytes\Z")
_POLICE: Final = re.compile(r"police(?:\s|:|\Z)", re.IGNORECASE)
_REFUSED: Final = re.compile(r"% ?(?:Invalid|Incomplete|Ambiguous|Unknown)|Command authorization failed")
_SECONDS: Final = {"second": 1, "minute": 60}


class _Class:
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
        self.children: list[_Policy] = []
        self._other: list[str] = []

    def line(self, text: str) -> None:
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


class _Policy:
    """One policy while its classes are read; ``class_indent`` is where its classes stand, once the first is
    seen.
    """

    def __init__(self, name: str, indent: int, place: tuple[str, str | None, str] | None) -> None:
        self.name, self.indent, self._place = name, indent, place
        self.class_indent: int | None = None
        self.classes: list[_Class] = []
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


class _Reader:
    def __init__(self) -> None:
        self._interface: tuple[str, str | None] = ("", None)
        self._roots: list[_Policy] = []
        self._stack: list[_Policy] = []
        self._class: _Class | None = None
        self._shared: QueueLines | None = None
        self._before: tuple[int, str] | None = None

    def read(self, lines: list[str]) -> tuple[InterfacePolicyCounters, ...]:
        for number, raw in whole_lines(lines):
            text, indent = raw.strip(), len(raw) - len(raw.lstrip())
            if text:
                self._before = (indent, text) if self._line(number, indent, text) else None
        if not self._roots:
            raise ParseFailure(
                "no service-policy is in this text: it is no output of show policy-map interface"
            )
        last = self._class
        if last is not None and not last.is_counted:
            raise ParseFailure(f"class {last.name} has no packet count: cut off", line=last.number)
        return tuple(root.bound for root in self._roots)

    def _line(self, number: int, indent: int, text: str) -> bool:
        """Reads one line; True where it is no heading of a policy, class or place."""
        if _REFUSED.match(text):
            raise ParseFailure(f"the router refused the command: {text}", line=number)
        if _ANY_HEADING.match(text):
            self._heading(number, indent, text)
            return False
        place = usual_place(text)
        if place is not None:
            self._open_place(place)
            return False
        if text.lower().startswith("queue stats for") and self._stack:
            self._shared = QueueLines()
            self._stack[-1].shared.append(self._shared)
        elif self._shared is not None:
            self._shared.take(text)
        elif self._class is not None:
            self._class.line(text)
        return True

    def _heading(self, number: int, indent: int, text: str) -> None:
        policy = _POLICY.match(text)
        if policy is not None:
            self._open_policy(number, indent, policy)
            return
        found = _CLASS.match(text)
        if found is None:
            raise ParseFailure(f"the heading of a class or policy cannot be read: {text}", line=number)
        self._open_class(number, indent, found)

    def _open_place(self, place: Place) -> None:
        self._interface = place
        self._stack, self._class, self._shared = [], None, None

    def _unusual_place(self, indent: int) -> None:
        """The line directly above a policy is its place even where it is of no usual kind."""
        named = (
            bool(self._interface[0]) and not self._stack
        )  # by the heading of a place, with no policy since
        if self._before is None or named:
            return
        stood, text = self._before
        place = unusual_place(text, outside=stood < indent)
        if place is not None and stood <= indent:
            if self._class is not None:
                self._class.disown(text)
            self._open_place(place)

    def _open_policy(self, number: int, indent: int, found: re.Match[str]) -> None:
        self._shared = None
        direction = found["direction"]
        if direction is not None:
            self._unusual_place(indent)
        deeper = (
            bool(self._stack) and indent > (self._stack[-1].class_indent or 0) and self._class is not None
        )
        if self._class is not None and (direction is None or deeper):
            self._leave_deeper(indent)
            child = _Policy(found["name"], indent, None)
            (self._stack[-1].classes[-1] if self._stack[-1].classes else self._class).children.append(child)
            self._stack.append(child)
        elif direction is None:
            raise ParseFailure(f"policy {found['name']} has no direction and stands in no class", line=number)
        else:
            root = _Policy(found["name"], indent, (*self._interface, direction))
            self._roots.append(root)
            self._stack = [root]
        self._class = None

    def _leave_deeper(self, indent: int) -> None:
        """Policies whose classes stand deeper than this nested policy are finished."""
        while len(self._stack) > 1 and (self._stack[-1].class_indent or 0) > indent:
            self._stack.pop()

    def _open_class(self, number: int, indent: int, found: re.Match[str]) -> None:
        if not self._stack:
            raise ParseFailure(
                f"class {found['name']} stands in no policy: the beginning is missing", line=number
            )
        self._shared = None
        while len(self._stack) > 1 and self._is_over(self._stack[-1], indent):
            self._stack.pop()
        policy = self._stack[-1]
        policy.class_indent = indent if policy.class_indent is None else policy.class_indent
        self._class = _Class(number, found["name"], found["mode"].replace(" ", "-"))
        policy.classes.append(self._class)
        if found["rest"]:  # some captures have the counts beside the heading
            self._class.line(found["rest"])

    @staticmethod
    def _is_over(policy: _Policy, indent: int) -> bool:
        """Whether a class at this indentation is no longer of the nested policy.

        In a text without indentation a policy ends with its class-default, which is always last.
        """
        if policy.class_indent is None:
            return indent < policy.indent
        if indent < policy.class_indent:
            return True
        flat = policy.class_indent <= policy.indent
        return flat and any(each.name == "class-default" for each in policy.classes)


def parse(text: str) -> tuple[InterfacePolicyCounters, ...]:
    """What the router counted, in the order it printed; empty when it printed nothing (no policy is bound).

    Raises ParseFailure with its line for a text that is no such output, for one that is cut off in a class,
    and for a router's refusal.
    """
    return _Reader().read(split_lines(text)) if text.strip() else ()
