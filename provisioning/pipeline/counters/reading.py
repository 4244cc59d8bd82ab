"""``show policy-map interface`` of every era, line by line (ios-facts 4.1)."""

from __future__ import annotations

import re
from typing import Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.counters.classes import ClassLines, PolicyLines
from provisioning.pipeline.counters.places import Place, unusual_place, usual_place
from provisioning.pipeline.counters.queues import QueueLines
from provisioning.pipeline.counters.screen import whole_lines
from provisioning.pipeline.counters.values import (
    InterfacePolicyCounters,
)
from provisioning.pipeline.ios.lines import split_lines

_POLICY: Final = re.compile(
    r"[Ss]ervice-[Pp]olicy(?: (?!input\b|output\b)[a-z-]+)*\s*(?P<direction>input|output)?\s*:\s*(?P<name>\S+)"
)
_CLASS: Final = re.compile(
    r"[Cc]lass-[Mm]ap\s*:\s*(?P<name>\S+)\s+\((?P<mode>match[- ]\w+)\)(?:\s*\(\d+/\d+\))?\s*(?P<rest>.*)\Z"
)
_ANY_HEADING: Final = re.compile(r"[Ss]ervice-[Pp]olicy\b|[Cc]lass-[Mm]ap\s*:")
_REFUSED: Final = re.compile(r"% ?(?:Invalid|Incomplete|Ambiguous|Unknown)|Command authorization failed")
_MAY_GO_ON: Final = re.compile(r"(?:[\d.]|packets)\Z")
"""How a line ends that may have been longer: in a number, or before the bytes."""


class _Reader:
    def __init__(self) -> None:
        self._interface: tuple[str, str | None] = ("", None)
        self._roots: list[PolicyLines] = []
        self._stack: list[PolicyLines] = []
        self._class: ClassLines | None = None
        self._shared: QueueLines | None = None
        self._before: tuple[int, str] | None = None
        self._understood = True

    def read(self, lines: list[str], *, ended: bool) -> tuple[InterfacePolicyCounters, ...]:
        number, text = 0, ""
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
        if last is not None and last.is_cut_off:
            raise ParseFailure(f"the policer of class {last.name} is cut off", line=last.number)
        if not ended and text and (not self._understood or _MAY_GO_ON.search(text)):
            raise ParseFailure("the last line has no end: it may be cut off", line=number)
        return tuple(root.bound for root in self._roots)

    def _line(self, number: int, indent: int, text: str) -> bool:
        """Reads one line; True where it is no heading of a policy, class or place."""
        self._understood = True
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
            self._understood = self._shared.take(text)
        elif self._class is not None:
            self._understood = self._class.line(text)
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
            child = PolicyLines(found["name"], indent, None)
            (self._stack[-1].classes[-1] if self._stack[-1].classes else self._class).children.append(child)
            self._stack.append(child)
        elif direction is None:
            raise ParseFailure(f"policy {found['name']} has no direction and stands in no class", line=number)
        else:
            root = PolicyLines(found["name"], indent, (*self._interface, direction))
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
        self._class = ClassLines(number, found["name"], found["mode"].replace(" ", "-"))
        policy.classes.append(self._class)
        if found["rest"]:  # some captures have the counts beside the heading
            self._class.line(found["rest"])

    @staticmethod
    def _is_over(policy: PolicyLines, indent: int) -> bool:
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

    Raises ParseFailure with its line for a text that is no such output, for one that is cut off in a class, a policer or
    a line, and for a router's refusal. Where it ends between two classes, or a policy has none, what stands there is read:
    not every era prints class-default.
    """
    if not text.strip():
        return ()
    return _Reader().read(split_lines(text), ended=text.endswith(("\n", "\r")))
