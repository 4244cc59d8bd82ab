"""What a plan is made of: lines, the gaps IOS forces, and the objects a plan refuses to touch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Step(StrEnum):
    """The place of a line in the order that keeps every prefix safe (architecture.md, "Diff is ours")."""

    ACCESS_LIST = "access-list"
    CLASS_MAP = "class-map"
    CHILD_POLICY = "child-policy"
    POLICY = "policy"
    DECREASE = "decrease"
    INCREASE = "increase"
    BINDING = "binding"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Line:
    """One configuration line as it is sent: without indentation, `depth` only for reading.

    `joined` means it goes in one write with the line before it; that is how a swap of a bound
    service-policy keeps its gap as short as IOS allows (ios-facts 2.8).
    """

    text: str
    depth: int = 0
    joined: bool = False
    step: Step | None = None

    def __str__(self) -> str:
        return " " * self.depth + self.text

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "depth": self.depth,
            "joined": self.joined,
            "step": None if self.step is None else self.step.value,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Line:
        step = data.get("step")
        return cls(data["text"], data["depth"], data["joined"], None if step is None else Step(step))


@dataclass(frozen=True, slots=True)
class Gap:
    """The swap of one bound service-policy: what the interface lacks between its two lines, and how long.

    `after_line` is the index of the command after which the gap is open; the next command closes it.
    """

    interface: str
    pvc: str | None
    direction: str
    old: str
    new: str
    after_line: int
    unmarked: bool
    unpoliced: bool
    lasts: str
    text: str

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Gap:
        return cls(**{name: data[name] for name in cls.__slots__})


class ConflictKind(StrEnum):
    """Why an object on the router is left alone (architecture.md, "Ownership is a row")."""

    FOREIGN = "foreign"
    HAND_EDIT = "hand-edit"
    FOREIGN_BINDING = "foreign-binding"
    MISSING_INTERFACE = "missing-interface"
    IN_USE = "in-use"


@dataclass(frozen=True, slots=True)
class Conflict:
    """An object the plan may not touch: whose it is, what was expected and what is there, as text."""

    kind: ConflictKind
    object_kind: str
    name: str
    expected: str
    found: str
    text: str

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "object_kind": self.object_kind,
            "name": self.name,
            "expected": self.expected,
            "found": self.found,
            "text": self.text,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Conflict:
        return cls(
            ConflictKind(data["kind"]),
            data["object_kind"],
            data["name"],
            data["expected"],
            data["found"],
            data["text"],
        )


@dataclass(frozen=True, slots=True)
class Takeover:
    """An object found with exactly the intended content and without an ownership row: adopted, not rewritten."""

    object_kind: str
    name: str
    digest: str

    def to_json(self) -> dict[str, Any]:
        return {"object_kind": self.object_kind, "name": self.name, "digest": self.digest}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Takeover:
        return cls(data["object_kind"], data["name"], data["digest"])


def write_units(lines: Sequence[Line]) -> tuple[tuple[Line, ...], ...]:
    """Group lines into what goes out in one write each: a joined line stays with the line before it."""
    units: list[list[Line]] = []
    for line in lines:
        if line.joined and units:
            units[-1].append(line)
        else:
            units.append([line])
    return tuple(tuple(unit) for unit in units)


def as_text(lines: Sequence[Line]) -> str:
    """The lines for a person to read, indented by depth, one per row; empty for none."""
    return "".join(f"{line}\n" for line in lines)
