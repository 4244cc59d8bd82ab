"""Every fault of a practice router at every line of a push, and at every command around it; then pairs of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

Fault = dict[str, Any]

SILENT_REFUSAL = "CBWFQ : Not enough available bandwidth for all classes"
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
WHOLE: dict[str, Fault] = {
    "save refused": {"kind": "write-fails", "times": 1},
    "save always refused": {"kind": "write-fails"},
}


@dataclass(frozen=True)
class Case:
    """Faults of one push; `name` says which, where, at which occurrence."""

    name: str
    kind: str
    faults: tuple[Fault, ...]
    foreign: bool = False
    """Whether somebody else's line is unsaved before the push begins."""


def cases(lines: Sequence[str], undo: Sequence[str], *, pairs: int) -> list[Case]:
    """The cases of a push of these lines, and of these that take it back; `pairs` of two faults, drawn with one seed."""
    single = [*_at_lines(lines), *_at_commands()]
    single += [Case(name, name, (fault,)) for name, fault in WHOLE.items()]
    undone = list(_while_undone(lines, undo))
    dice = Random(10)
    every = list(combinations([*single], 2))
    drawn = dice.sample(every, min(pairs, len(every)))
    both = [Case(f"{one.name} + {two.name}", "two at once", (*one.faults, *two.faults)) for one, two in drawn]
    found = [*single, *undone, *both]
    return [
        Case(each.name, each.kind, each.faults, foreign=number % 3 == 2) for number, each in enumerate(found)
    ]


def _at_lines(lines: Sequence[str]) -> Iterator[Case]:
    met: Counter[str] = Counter()
    for number, line in enumerate(lines, 1):
        for kind, fault in AT_A_LINE.items():
            skip = {"skip": met[line]} if met[line] else {}
            if skip and fault["kind"] != "refuse":
                continue  # only a refusal counts the occurrences of a line
            yield Case(f"line {number} {line!r} {kind}", kind, (fault | matching(line) | skip,))
        met[line] += 1


def _at_commands() -> Iterator[Case]:
    for command, times in COMMANDS.items():
        for time in range(times):
            for kind, fault in AT_A_COMMAND.items():
                if time and fault["kind"] != "refuse":
                    continue
                skip = {"skip": time} if fault["kind"] == "refuse" else {}
                yield Case(
                    f"{command!r} {kind}, time {time + 1}",
                    f"{kind} (exec)",
                    (fault | matching(command) | skip,),
                )


def _while_undone(lines: Sequence[str], undo: Sequence[str]) -> Iterator[Case]:
    """The last line is refused always, and one of those that take the others back meets a fault of its own."""
    refused = AT_A_LINE["refused always"] | matching(lines[-1])
    for line in dict.fromkeys(undo):
        for kind in ("refused", "ignored", "dropped before", "dropped after", "hangs"):
            yield Case(f"undo {line!r} {kind}", f"undo: {kind}", (refused, AT_A_LINE[kind] | matching(line)))


def matching(line: str) -> Fault:
    return {"match": f"^{re.escape(line)}$"}
