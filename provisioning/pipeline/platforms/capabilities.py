"""What one router can do, as it said itself when it was asked: not what its release should be able to (`gates`, `profiles`).

The questions change nothing. At the privileged prompt they are `show` commands, and a command that is not whole: IOS executes
only whole ones, so `% Incomplete command.` says that it knows the words, `% Invalid input` that it does not. What is typed in
configuration mode is asked in an object that exists, likewise by a line that is not whole. No question mark is sent: it is acted
on without a newline and leaves what was typed on the line, and nothing that a router prints says that the line was cleared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

ARCHIVE: Final = "archive"
REPLACE: Final = "configure replace"
REVERT: Final = "configure terminal revert timer"
PERCENT: Final = "police cir percent"
FLOW_LABEL: Final = "flow-label"

EXEC_QUESTIONS: Final[Mapping[str, str]] = {
    ARCHIVE: "show archive | include not enabled|configurations",
    REVERT: "show archive config rollback timer",
    REPLACE: "configure replace",
}
"""Command by capability, at the privileged prompt (Cisco, Configuration Rollback Confirmed Change; ios-facts 3.8). The names
of kept copies are not asked for: a path may hold a password."""
LINE_QUESTIONS: Final[Mapping[str, str]] = {
    PERCENT: "police cir percent",
    FLOW_LABEL: "permit ipv6 any any flow-label",
}
"""Line that is not whole by capability: in a class of a policy-map, and in an IPv6 access list."""
MEANING: Final[Mapping[str, str]] = {
    ARCHIVE: "keeps copies of its configuration",
    REPLACE: "goes back to a kept configuration as a whole",
    REVERT: "takes a change back by itself unless it is confirmed in time",
    PERCENT: "polices by a percentage of the interface",
    FLOW_LABEL: "tells IPv6 packets apart by their flow label",
}

_SHOWN: Final[Mapping[str, re.Pattern[str]]] = {
    PERCENT: re.compile(r"^ *police cir percent \d.*$", re.M),
    FLOW_LABEL: re.compile(r"^ *(?:sequence \d+ )?permit ipv6 .*\bflow-label \d+.*$", re.M),
}
_TYPED: Final[Mapping[str, re.Pattern[str]]] = {
    PERCENT: re.compile(r"^police (?:cir )?percent\b"),
    FLOW_LABEL: re.compile(r"\bflow-label \d+"),
}
_UNKNOWN: Final = re.compile(r"% ?(?:Invalid input detected|Unrecognized command|Unknown command)")
_INCOMPLETE: Final = re.compile(r"% ?Incomplete command")
_ARCHIVE_SHOWN: Final = re.compile(r"Archive feature not enabled|archive configurations|\A\s*\Z", re.I)
_TIMER_SHOWN: Final = re.compile(r"No Rollback Confirmed Change pending|^ *Timer (?:type|value)", re.I | re.M)
_LONGEST: Final = 160


@dataclass(frozen=True, slots=True)
class Answer:
    """What a router said of one capability. `can` is None where its answer proves neither; `ios` is the release it said it runs,
    `at` when it was asked, by the database's clock.
    """

    capability: str
    can: bool | None
    asked: str
    said: str
    ios: str
    at: datetime

    def to_json(self) -> dict[str, Any]:
        return {
            "can": self.can,
            "asked": self.asked,
            "said": self.said,
            "ios": self.ios,
            "at": self.at.isoformat(),
        }

    @classmethod
    def from_json(cls, capability: str, data: Mapping[str, Any]) -> Answer:
        return cls(
            capability,
            data["can"],
            data["asked"],
            data["said"],
            data["ios"],
            datetime.fromisoformat(data["at"]),
        )

    def __str__(self) -> str:
        return f"asked {self.at:%Y-%m-%d %H:%M} UTC with `{self.asked}`, {self.ios} said {self.said!r}"


def understood(capability: str, said: str) -> bool | None:
    """Whether an answer says that the router knows what it was asked for; None where it says neither, as a refused right does."""
    if _UNKNOWN.search(said):
        return False
    if capability in (ARCHIVE, REVERT):
        return True if (_ARCHIVE_SHOWN if capability == ARCHIVE else _TIMER_SHOWN).search(said) else None
    return True if _INCOMPLETE.search(said) else None


def told(capability: str, asked: str, said: str, *, ios: str, at: datetime) -> Answer:
    """The answer to a question, its first words kept."""
    words = "; ".join(line.strip() for line in said.splitlines() if line.strip(" ^"))
    return Answer(capability, understood(capability, said), asked, words[:_LONGEST], ios, at)


def shown(running: str, *, ios: str, at: datetime) -> Iterator[Answer]:
    """What a running-config proves: the router printed such a line itself."""
    for capability, pattern in _SHOWN.items():
        if (found := pattern.search(running)) is not None:
            yield Answer(capability, True, "show running-config", found[0].strip()[:_LONGEST], ios, at)


def beyond(lines: Iterable[str], lacking: Mapping[str, Answer]) -> tuple[str, ...]:
    """What of these configuration lines a router has said it does not know, in words, each with its evidence."""
    found = []
    for number, line in enumerate(lines, 1):
        for capability, answer in lacking.items():
            if capability in _TYPED and _TYPED[capability].search(line):
                found.append(f"line {number}, `{line}`: the router does not know `{capability}`: {answer}")
    return tuple(found)
