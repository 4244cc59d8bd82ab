"""The moments at which a worker is killed: what the practice router is told so that it can be met, and how it is seen."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NAMES = ("random", "line", "binding", "undo", "read-back", "save", "successor")
WEIGHTS = (4, 4, 2, 4, 2, 2, 3)
HOLD_SECONDS = 1.0
"""So long the reply to the line of a moment is held back: the kill falls into it."""
SAVING_SECONDS = 3.0


@dataclass
class Seen:
    """What the router was asked and told since the push was let go, and whether it is being taken back."""

    log: list[Mapping[str, Any]] = field(default_factory=list)
    asked: list[Mapping[str, Any]] = field(default_factory=list)
    leased_for: float = 0.0
    undoing: bool = False

    @property
    def lines(self) -> list[str]:
        return [str(each["line"]) for each in self.log if each["user"] != "console" and each["line"] != "end"]

    def asks(self, word: str) -> bool:
        return any(str(each["line"]).startswith(word) for each in self.asked if each["user"] != "console")


@dataclass(frozen=True)
class Moment:
    """`faults` are given to the router before the push is let go; `reached` says when to kill."""

    name: str
    words: str
    faults: tuple[Mapping[str, object], ...]
    reached: Callable[[Seen], bool]


def choose(dice: random.Random, commands: Sequence[str], name: str | None = None) -> Moment:
    """One that this plan has."""
    name = name or dice.choices(NAMES, WEIGHTS)[0]
    if name in ("random", "successor") or not commands:
        wait = dice.uniform(0.0, 5.0)
        return Moment(name, f"{wait:.1f} s after it was taken", (), lambda seen: seen.leased_for >= wait)
    if name == "binding":
        return _binding(dice, commands)
    if name == "undo":
        return _undo(dice, commands)
    if name == "read-back":
        slow = {"kind": "slow", "match": "^show policy-map interface", "where": "exec"}
        return Moment(
            name,
            "before the read-back",
            ({**slow, "seconds": HOLD_SECONDS, "times": 1},),
            lambda seen: len(seen.lines) >= len(commands),
        )
    if name == "save":
        slow = {"kind": "slow", "match": "^write memory", "where": "exec"}
        return Moment(
            name,
            "in write memory",
            ({**slow, "seconds": SAVING_SECONDS, "times": 1},),
            lambda seen: seen.asks("write memory"),
        )
    number = dice.randrange(1, len(commands) + 1)
    slow = {"kind": "slow", "line": number, "seconds": HOLD_SECONDS, "times": 1}
    return Moment(name, f"after line {number}", (slow,), lambda seen: len(seen.lines) >= number)


def _binding(dice: random.Random, commands: Sequence[str]) -> Moment:
    """After a line that binds a policy, or takes one off: traffic meets another thing from then on."""
    bindings = [line for line in commands if "service-policy" in line and "police" not in line]
    if not bindings:
        return choose(dice, commands, "line")
    line = dice.choice(bindings)
    slow = {"kind": "slow", "match": f"^{re.escape(line)}$", "seconds": HOLD_SECONDS, "times": 1}
    return Moment("binding", f"after {line!r}", (slow,), lambda seen: line in seen.lines)


def _undo(dice: random.Random, commands: Sequence[str]) -> Moment:
    """A line in the last third is refused for as long as the first worker lives; it dies after some line of the undo."""
    plain = [line for line in commands if not re.match(r"(policy-map|class|class-map|interface|ipv6) ", line)]
    line = dice.choice((plain or list(commands))[-max(1, len(plain) // 3) :])
    after = dice.randrange(1, 4)
    refuse = {
        "kind": "refuse",
        "match": f"^{re.escape(line)}$",
        "message": "QoS: this is not supported here",
        "times": 20,
    }
    slow = {"kind": "slow", "match": "^no ", "seconds": HOLD_SECONDS, "times": 20}
    undoing: list[int] = []

    def reached(seen: Seen) -> bool:
        if not seen.undoing:
            return False
        undoing.append(len(seen.lines))
        return undoing[-1] - undoing[0] >= after or len(undoing) > 40

    return Moment("undo", f"in the undo, {line!r} was refused", (refuse, slow), reached)
