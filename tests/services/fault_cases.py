"""Every fault of a practice router: at every line of a push, at every command around it, in its undo, at the door and through
the whole of it; then pairs of them. Each says what it is by its kind and its stage.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Any

Fault = dict[str, Any]

LINE, COMMAND, UNDO, DOOR, HALF_WAY, WHOLE, PAIR = (
    "a line", "a command", "the undo", "the door", "half way", "throughout", "two at once",
)  # fmt: skip
"""The stages: one line of it; one command around it; a line that takes it back; no session before the first line; none any more
after a line; something that lasts; two of these."""
SILENT_REFUSAL = "CBWFQ : Not enough available bandwidth for all classes"
PEER = "10.0.0.2"
"""The BGP neighbour that the routers of the matrix have, for one that can be lost."""
AT_A_LINE: dict[str, Fault] = {
    "refused": {"kind": "refuse", "message": "% Invalid input detected", "times": 1},
    "refused always": {"kind": "refuse", "message": SILENT_REFUSAL},
    "refused late": {"kind": "refuse", "message": "SLOT 1:%QOS-3-FAIL: no room", "late": 0.3, "times": 1},
    "ignored": {"kind": "ignore", "times": 1},
    "dropped before": {"kind": "drop", "when": "before", "times": 1},
    "dropped after": {"kind": "drop", "when": "after", "times": 1},
    "hangs": {"kind": "hang", "times": 1},
    "hangs always": {"kind": "hang"},
    "slow": {"kind": "slow", "seconds": 5, "times": 1},
    "noise": {"kind": "noise", "times": 1},
}
AT_A_COMMAND: dict[str, Fault] = {
    "refused": {"kind": "refuse", "message": "% Invalid input detected", "times": 1, "where": "exec"},
    "dropped": {"kind": "drop", "when": "before", "times": 1, "where": "exec"},
    "dropped always": {"kind": "drop", "when": "before", "where": "exec"},
    "hangs": {"kind": "hang", "times": 1, "where": "exec"},
    "slow": {"kind": "slow", "seconds": 20, "times": 1, "where": "exec"},
}
COMMANDS = {
    "show version": 2, "show interfaces": 2, "show running-config": 4, "show startup-config": 2,
    "show policy-map interface": 1, "configure terminal": 3, "write memory": 1,
}  # fmt: skip
"""What a push asks in exec mode, and how many times at most."""
OF_A_TIMER = {
    "show archive config rollback timer": 3, "configure terminal revert timer 5": 1, "configure confirm": 1,
    "configure revert now": 1,
}  # fmt: skip
"""The same of one that the router takes back by itself unless it is told to keep it."""
AT_THE_DOOR: dict[str, Fault] = {
    "unreachable": {"kind": "unreachable"},
    "vty closed": {"kind": "vty-closed"},
    "vty refused": {"kind": "vty-refused", "message": "% Connection refused by remote host"},
    "wrong password": {"kind": "wrong-password"},
    "enable refused": {"kind": "enable-refused"},
    "another chassis": {"kind": "replaced", "message": "74999999"},
}
WHOLE_PUSH: dict[str, Fault] = {
    "save refused": {"kind": "write-fails", "times": 1},
    "save always refused": {"kind": "write-fails"},
    "another image": {"kind": "other-image"},
    "echo cut short": {"kind": "truncate-echo", "width": 40},
    "busy": {"kind": "busy", "percent": 97},
    "neighbour lost before": {"kind": "neighbour-lost", "neighbour": PEER},
    "minutes too short": {"kind": "short-minutes", "seconds": 0.2},
}
IN_THE_UNDO = ("refused", "ignored", "dropped before", "dropped after", "hangs")
HALF_WAYS = 3
"""After so many lines of a push, spread over it, there is no session any more."""


@dataclass(frozen=True)
class Case:
    """Faults of one push; `name` says which, where, at which occurrence. `then` come when the session has broken off."""

    name: str
    kind: str
    stage: str
    faults: tuple[Fault, ...]
    then: tuple[Fault, ...] = ()
    foreign: bool = False
    """Whether somebody else's line is unsaved before the push begins."""

    @property
    def kinds(self) -> set[str]:
        """The kinds of faults of the practice router that it plants."""
        return {str(each["kind"]) for each in (*self.faults, *self.then)}

    @property
    def only_at_lines(self) -> bool:
        """Whether nothing of it is noticed before the first line."""
        quiet = self.stage in (LINE, UNDO) or (
            self.stage == PAIR and all("match" in each for each in self.faults)
        )
        return quiet and not any(each.get("where") == "exec" for each in self.faults)


def cases(
    lines: Sequence[str],
    undo: Sequence[str],
    *,
    pairs: int,
    bound: Sequence[tuple[str, str, str]] = (),
    timed: bool = False,
    every_line: bool = True,
) -> list[Case]:
    """The cases of a push of these lines, and of these that take it back; `pairs` of two faults, drawn with one seed.

    `bound` are the interface, direction and policy of each binding that it makes. With `timed` the router is told to keep it;
    without `every_line` only the last of the lines and each seventh are tried.
    """
    chosen = [*range(0, len(lines), 1 if every_line else 7), len(lines) - 1]
    single = [*_at_lines(lines, set(chosen)), *_at_commands(COMMANDS | (OF_A_TIMER if timed else {}))]
    single += [Case(name, name, WHOLE, (fault,)) for name, fault in WHOLE_PUSH.items()]
    single += [Case(name, name, DOOR, (fault,)) for name, fault in AT_THE_DOOR.items()]
    single += _of_bindings(bound)
    more = [*_half_way(lines), *_while_undone(lines, undo if every_line else undo[-2:])]
    dice = Random(10)
    every = list(combinations(single, 2))
    drawn = dice.sample(every, min(pairs, len(every)))
    both = [Case(f"{one.name} + {two.name}", PAIR, PAIR, (*one.faults, *two.faults)) for one, two in drawn]
    found = [*single, *more, *both]
    return [replace(each, foreign=number % 3 == 2) for number, each in enumerate(found)]


def _at_lines(lines: Sequence[str], chosen: set[int]) -> Iterator[Case]:
    met: Counter[str] = Counter()
    for number, line in enumerate(lines, 1):
        for kind, fault in AT_A_LINE.items() if number - 1 in chosen else ():
            skip = {"skip": met[line]} if met[line] else {}
            if skip and fault["kind"] != "refuse":
                continue  # only a refusal counts the occurrences of a line
            yield Case(f"line {number} {line!r} {kind}", kind, LINE, (fault | matching(line) | skip,))
        met[line] += 1


def _at_commands(commands: dict[str, int]) -> Iterator[Case]:
    for command, times in commands.items():
        for time in range(times):
            for kind, fault in AT_A_COMMAND.items():
                if time and fault["kind"] != "refuse":
                    continue
                skip = {"skip": time} if fault["kind"] == "refuse" else {}
                name = f"{command!r} {kind}, time {time + 1}"
                yield Case(name, kind, COMMAND, (fault | matching(command) | skip,))


def _of_bindings(bound: Sequence[tuple[str, str, str]]) -> Iterator[Case]:
    """What a policy does to its router once it is bound, and what becomes of it."""
    for interface, direction, policy in bound:
        place, match = f"{policy} {direction} on {interface}", f"^{re.escape(policy)}$"
        gone = {"kind": "vanish", "interface": interface, "direction": direction, "seconds": 0, "times": 1}
        yield Case(f"{place} vanishes", "vanishes", WHOLE, (gone,))
        yield Case(
            f"{place}: busy", "busy with it", WHOLE, ({"kind": "busy", "percent": 97, "match": match},)
        )
        lost = {"kind": "neighbour-lost", "neighbour": PEER, "match": match}
        yield Case(f"{place}: neighbour lost", "neighbour lost with it", WHOLE, (lost,))
        yield Case(
            f"{place}: cut off", "cut off by it", WHOLE, ({"kind": "cut-off", "interface": interface},)
        )


def _half_way(lines: Sequence[str]) -> Iterator[Case]:
    """The session is lost after a line, and from then on there is none."""
    step = max(1, len(lines) // HALF_WAYS)
    for number in sorted({*range(0, len(lines), step), len(lines) - 1}):
        lost = AT_A_LINE["dropped after"] | matching(lines[number])
        for kind, fault in AT_THE_DOOR.items():
            yield Case(f"after line {number + 1}: {kind}", kind, HALF_WAY, (lost,), (fault,))


def _while_undone(lines: Sequence[str], undo: Sequence[str]) -> Iterator[Case]:
    """The last line is refused always, and one of those that take the others back meets a fault of its own."""
    refused = AT_A_LINE["refused always"] | matching(lines[-1])
    for line in dict.fromkeys(undo):
        for kind in IN_THE_UNDO:
            faults = (refused, AT_A_LINE[kind] | matching(line))
            yield Case(f"undo {line!r} {kind}", kind, UNDO, faults)


def matching(line: str) -> Fault:
    return {"match": f"^{re.escape(line)}$"}
