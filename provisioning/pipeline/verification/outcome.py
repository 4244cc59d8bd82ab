"""The three things that can be said of a router after reading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from provisioning.pipeline.diff import Conflict, EqualToday, Key, Takeover


@dataclass(frozen=True, slots=True)
class Difference:
    """One object or binding that is not as wanted; `expected` and `found` are text to read, empty for absent."""

    object: str
    expected: str
    found: str

    def to_json(self) -> dict[str, str]:
        return {"object": self.object, "expected": self.expected, "found": self.found}


@dataclass(frozen=True)
class InSync:
    """Everything wanted is there, nothing of ours is there that is not wanted.

    `objects` maps (kind, name) of what is ours now to its digest, for the ownership rows; `takeovers` are those that
    had no row.
    """

    intent_revision: str
    objects: Mapping[Key, str]
    takeovers: tuple[Takeover, ...] = ()


@dataclass(frozen=True, slots=True)
class Differs:
    """What is not as wanted, item by item, and what is in the way; `equal_today` is part of what differs."""

    intent_revision: str
    items: tuple[Difference, ...]
    conflicts: tuple[Conflict, ...] = ()
    equal_today: tuple[EqualToday, ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """The router could not be read or what it sent could not be understood; `reason` says which."""

    reason: str


Outcome = InSync | Differs | Unknown
