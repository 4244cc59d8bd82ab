"""``show policy-map interface`` of every era, line by line (ios-facts 4.1)."""

from __future__ import annotations

import re
from typing import Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.counters.policer import PolicerLines
from provisioning.pipeline.counters.queues import MarkLines, QueueLines
from provisioning.pipeline.counters.values import (
    ChildPolicyCounters,
    ClassCounters,
    InterfacePolicyCounters,
    QueueCounters,
)
from provisioning.pipeline.ios.lines import split_lines

_POLICY: Final = re.compile(r"[Ss]ervice-policy\s*(?P<direction>input|output)?\s*:\s*(?P<name>\S+)")
_CLASS: Final = re.compile(r"[Cc]lass-map\s*:\s*(?P<name>\S+)\s+\((?P<mode>match-\w+)\)")
_INTERFACE: Final = re.compile(
    r"(?:Interface )?(?P<name>(?:[A-Z]|(?=(?:atm|pos|serial|[a-z]*ethernet)[0-9])[a-z])[A-Za-z-]+ ?[0-9](?:[0-9/.:]*[0-9])?)"
    r"(?: ?: (?P<circuit>[A-Za-z].*?))?(?: -)?\Z"
)
_SESSION: Final = re.compile(r"(?P<name>SSS session identifier \d+|Service Group \d+)(?: -)?\Z")
_WRAPPED: Final = re.compile(r"\(?\d[^:]*\Z|(?:drop|bytes|thresh|prob|pkts/bytes)\b[^:]*\Z")
"""The rest of a line that a narrow terminal has broken: a number, or a column's heading, at the left margin."""
_WRAPPED_FROM: Final = 40
_TOTAL: Final = re.compile(r"(\d+) packets(?:, (\d+) bytes)?\Z")
_OFFERED: Final = re.compile(r"(\d+) (second|minute) (?:offered )?rate (\d+) bps(?:, drop rate (\d+) bps)?")
_REFUSED: Final = re.compile(r"% ?(?:Invalid|Incomplete|Ambiguous|Unknown)|Command authorization failed")
_SECONDS: Final = {"second": 1, "minute": 60}


class _Class:
    """The lines of one class."""

    def __init__(self, number: int, name: str, mode: str) -> None:
        self.number, self.name, self._mode = number, name, mode
        self.packets: int | None = None
        self._bytes: int | None = None
        self._rates: tuple[int | None, int | None, int | None] = (None, None, None)
        self._matches: list[str] = []
        self._policer: PolicerLines | None = None
        self._marks = MarkLines()
        self._marking = False
        self._queue = QueueLines()
        self.children: list[_Policy] = []
        self._other: list[str] = []

    def line(self, text: str) -> None:
        lowered = text.lower()
        if lowered.startswith("match"):
            self._matches.append(" ".join(text.partition(":")[2].split()))
        elif lowered.startswith("police"):
            self._policer, self._marking = PolicerLines(), False
            self._policer.take(text.partition(":")[2].strip())
        elif lowered.startswith("qos set"):
            self._marking = True
        elif not self._totals(text) and not self._part(text):
            self._other.append(" ".join(text.split()))

    def _totals(self, text: str) -> bool:
        total = _TOTAL.match(text)
        if total is not None:
            if self.packets is None and not self._matches:
                self.packets = int(total[1])
                self._bytes = int(total[2]) if total[2] else None
            return True
        offered = _OFFERED.match(text)
        if offered is None:
            return False
        if not self._matches:
            drop = int(offered[4]) if offered[4] else None
            self._rates = (int(offered[1]) * _SECONDS[offered[2]], int(offered[3]), drop)
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
            tuple(self._matches),
            self._policer.counters if self._policer else None,
            self._marks.marks,
            self._queue.counters,
            tuple(child.nested for child in self.children),
            tuple(self._other),
        )


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

    def read(self, lines: list[str]) -> tuple[InterfacePolicyCounters, ...]:
        for number, raw in _unwrapped(lines):
            text = raw.strip()
            if text:
                self._line(number, len(raw) - len(raw.lstrip()), text)
        if not self._roots:
            raise ParseFailure(
                "no service-policy is in this text: it is no output of show policy-map interface"
            )
        last = self._class
        if last is not None and last.packets is None:
            raise ParseFailure(f"class {last.name} has no packet count: cut off", line=last.number)
        return tuple(root.bound for root in self._roots)

    def _line(self, number: int, indent: int, text: str) -> None:
        if _REFUSED.match(text):
            raise ParseFailure(f"the router refused the command: {text}", line=number)
        policy = _POLICY.match(text)
        if policy is not None:
            self._open_policy(number, indent, policy)
            return
        found = _CLASS.match(text)
        if found is not None:
            self._open_class(number, indent, found)
        elif text.lower().startswith("queue stats for") and self._stack:
            self._shared = QueueLines()
            self._stack[-1].shared.append(self._shared)
        elif self._header(text):
            self._stack, self._class, self._shared = [], None, None
        elif self._shared is not None:
            self._shared.take(text)
        elif self._class is not None:
            self._class.line(text)

    def _header(self, text: str) -> bool:
        if text == "Control Plane":
            self._interface = ("control-plane", None)
            return True
        found = _SESSION.match(text) or _INTERFACE.match(text)
        if found is None:
            return False
        circuit = found.groupdict().get("circuit")
        if (
            circuit is not None
        ):  # an ATM PVC is its numbers; other circuits (DLCI 100, EVC 10) keep their kind
            circuit = circuit.removeprefix("VC ").strip()
        name = found["name"] if found.re is _SESSION else found["name"].replace(" ", "")
        self._interface = (name, circuit)
        return True

    def _open_policy(self, number: int, indent: int, found: re.Match[str]) -> None:
        self._shared = None
        direction = found["direction"]
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
        self._class = _Class(number, found["name"], found["mode"])
        policy.classes.append(self._class)

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


def _unwrapped(lines: list[str]) -> list[tuple[int, str]]:
    """The lines with their numbers, those that a narrow terminal has broken in two put together again."""
    whole: list[tuple[int, str]] = []
    for number, raw in enumerate(lines, start=1):
        before = whole[-1][1] if whole else ""
        broken = len(before) >= _WRAPPED_FROM and before[0] == " "
        if broken and raw[:1].strip() and _WRAPPED.match(raw):
            whole[-1] = (whole[-1][0], f"{before.rstrip()} {raw}")
        else:
            whole.append((number, raw))
    return whole


def parse(text: str) -> tuple[InterfacePolicyCounters, ...]:
    """What the router counted, in the order it printed; empty when it printed nothing (no policy is bound).

    Raises ParseFailure with its line for a text that is no such output, for one that is cut off in a class,
    and for a router's refusal.
    """
    return _Reader().read(split_lines(text)) if text.strip() else ()
