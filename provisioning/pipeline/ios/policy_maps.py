"""``policy-map`` sections, their classes and the actions of each (ios-facts N14-N30)."""

from __future__ import annotations

from typing import ClassVar

from provisioning.errors import ParseFailure
from provisioning.pipeline.ios.actions import read_action
from provisioning.pipeline.ios.policer import COLOURS, Policer
from provisioning.pipeline.ios.sections import TOP_LEVEL, Line, Section
from provisioning.pipeline.ios.wred import Wred
from provisioning.pipeline.mqc import Action, PolicyClass, PolicyMap
from provisioning.pipeline.mqc.policies import TIES


class _Class:
    """The actions of one class while they are read; a later line replaces an earlier one of its kind, as on
    a router.
    """

    def __init__(self, name: str, strict: bool) -> None:
        self.name = name
        self._strict = strict
        self._actions: dict[object, Action] = {}
        self._policer: Policer | None = None
        self._wred: Wred | None = None
        self._in_policer = False

    def read(self, line: Line) -> None:
        number, first, text = line.number, line.first, line.text
        if first in COLOURS or (self._in_policer and first.startswith(("conform-", "exceed-", "violate-"))):
            if self._policer is None or not self._in_policer:
                raise ParseFailure(f"{first} without police", line=number)
            self._policer.add(number, text)
            return
        self._in_policer = first == "police"
        if first == "police":
            self._policer = Policer(number, text, strict=self._strict)
        elif first == "random-detect":
            self._wred = self._wred or Wred()
            self._wred.add(text)
        elif text != "exit":
            key, action = read_action(first, text, strict=self._strict)
            self._actions[key] = action

    @property
    def entry(self) -> PolicyClass:
        actions = set(self._actions.values())
        if self._policer is not None:
            actions.add(self._policer.action)
        if self._wred is not None:
            actions.add(self._wred.action)
        return PolicyClass(self.name, frozenset(actions))


class PolicyMapSection(Section):
    """Reads one policy-map; entered a second time it continues the first."""

    words: ClassVar[frozenset[str]] = frozenset(COLOURS) | {
        "account",
        "bandwidth",
        "class",
        "compress",
        "compression",
        "description",
        "drop",
        "estimate",
        "fair-queue",
        "netflow-sampler",
        "police",
        "priority",
        "queue-buffers",
        "queue-limit",
        "random-detect",
        "service-policy",
        "set",
        "shape",
        "trust",
    }

    def __init__(self, number: int, indent: int, header: str, *, strict: bool) -> None:
        super().__init__(number, indent, header)
        self._strict = strict
        words = header.split()
        if len(words) != 2:
            raise ParseFailure("a policy-map has one name", line=number)
        self.name = words[1]
        self._classes: dict[str, _Class] = {}
        self._current: _Class | None = None
        self._description = ""
        self._other: set[str] = set()

    def reopened(self, number: int, indent: int) -> None:
        """The same policy-map is entered again."""
        self.number, self.indent, self._current, self.continued = number, indent, None, True

    def takes(self, line: Line) -> bool:
        return line.first not in TOP_LEVEL and super().takes(line)

    def read(self, line: Line) -> None:
        first, text = line.first, line.text
        if first == "class":
            self._open_class(line.number, text)
        elif self._current is not None:
            self._current.read(line)
        elif first == "description":
            self._description = text[len(first) :]
        elif first in self.words:
            raise ParseFailure(f"`{first}` before any class of policy-map {self.name}", line=line.number)
        elif text != "exit":
            self._other.add(text)

    def _open_class(self, number: int, text: str) -> None:
        """``class NAME``, ``class NAME insert-before OTHER``, and the lines by which an ASR1000 ties a queue of
        several subinterfaces together: ``class class-default fragment TIE`` in the policy of each of them, ``class
        NAME service-fragment TIE`` or ``class service-fragment TIE`` in that of the port.
        """
        words = text.split()
        name = " ".join(words[1:3]) if words[1:2] == ["service-fragment"] else " ".join(words[1:2])
        rest = words[1 + len(name.split(" ")) :]
        before = rest[1] if len(rest) == 2 and rest[0] == "insert-before" else None
        fragment = rest if len(rest) == 2 and rest[0] in TIES else None
        if not name or (rest and before is None and fragment is None):
            raise ParseFailure(f"`{text}` names no class", line=number)
        known = self._classes.get(name)
        self._current = known or _Class(name, self._strict)
        if known is None:
            self._insert(self._current, before)
        if fragment is not None:
            self._current.read(Line(number, 0, fragment[0], " ".join(fragment)))

    def _insert(self, opened: _Class, before: str | None) -> None:
        """Puts a new class before another of the policy-map, or at the end."""
        following = []
        if before in self._classes:
            names = list(self._classes)
            following = [(name, self._classes.pop(name)) for name in names[names.index(before) :]]
        self._classes[opened.name] = opened
        self._classes.update(following)

    @property
    def policy_map(self) -> PolicyMap:
        """The finished policy-map. Raises ParseFailure or InvalidInput."""
        return PolicyMap(
            self.name,
            tuple(each.entry for each in self._classes.values()),
            self._description,
            frozenset(self._other),
        )
