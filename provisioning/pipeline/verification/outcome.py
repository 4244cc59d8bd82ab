"""The three things that can be said of a router after reading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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

    def to_json(self) -> dict[str, Any]:
        return {
            "state": "in-sync",
            "intent_revision": self.intent_revision,
            "objects": [[kind, name, digest] for (kind, name), digest in sorted(self.objects.items())],
            "takeovers": [takeover.to_json() for takeover in self.takeovers],
        }


@dataclass(frozen=True, slots=True)
class Differs:
    """What is not as wanted, item by item, and what is in the way; `equal_today` is part of what differs."""

    intent_revision: str
    items: tuple[Difference, ...]
    conflicts: tuple[Conflict, ...] = ()
    equal_today: tuple[EqualToday, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "state": "differs",
            "intent_revision": self.intent_revision,
            "items": [item.to_json() for item in self.items],
            "conflicts": [conflict.to_json() for conflict in self.conflicts],
            "equal_today": [each.to_json() for each in self.equal_today],
        }


@dataclass(frozen=True, slots=True)
class Unknown:
    """The router could not be read or what it sent could not be understood; `reason` says which."""

    reason: str

    def to_json(self) -> dict[str, Any]:
        return {"state": "unknown", "reason": self.reason}


Outcome = InSync | Differs | Unknown


def outcome_from_json(data: Mapping[str, Any]) -> Outcome:
    """The outcome that `to_json` wrote; raises KeyError or ValueError for anything else."""
    match data["state"]:
        case "in-sync":
            return InSync(
                data["intent_revision"],
                {(kind, name): digest for kind, name, digest in data["objects"]},
                tuple(Takeover.from_json(takeover) for takeover in data["takeovers"]),
            )
        case "differs":
            return Differs(
                data["intent_revision"],
                tuple(Difference(item["object"], item["expected"], item["found"]) for item in data["items"]),
                tuple(Conflict.from_json(conflict) for conflict in data["conflicts"]),
                tuple(EqualToday.from_json(each) for each in data.get("equal_today", ())),
            )
        case "unknown":
            return Unknown(data["reason"])
        case other:
            raise ValueError(f"{other!r} is not an outcome of verification")
