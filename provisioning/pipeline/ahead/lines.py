"""The lines of a plan as they are compared between two days: each with the headers above it, entries without their numbers.

An access list's entries get their sequence numbers when a plan is made, by what else is in the list then. Where a list
holds only permits (and, last, a deny of all the rest) neither the numbers nor the order of its entries decide anything,
so both are left out and an entry that goes is named by its words. In every other list the numbers count.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.diff import Line
from provisioning.pipeline.mqc import AccessList, RunningConfig, closes
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.safety import simulate

_LIST = re.compile(r"(ipv6|ip) access-list (?:(?:standard|extended) )?(\S+)\Z")
_NUMBERED = re.compile(r"(no )?(?:sequence )?(\d+)(?: (.+))?\Z")
THERE, BACK = "there", "back"


@dataclass(frozen=True, slots=True, order=True)
class PlannedLine:
    """One line of a plan, or of its way back, that is more than a header.

    `above` are the headers it stands under. `joined`: it goes in one write with the line before. `ordered`: its place
    among the other ordered lines is part of what was approved; False for the entries of a list of permits.
    """

    way: str
    above: tuple[str, ...]
    text: str
    joined: bool = False
    ordered: bool = True

    def __str__(self) -> str:
        sign = "way back: " if self.way == BACK else ""
        return sign + " / ".join((*self.above, self.text))

    def to_json(self) -> list[Any]:
        return [self.way, list(self.above), self.text, self.joined, self.ordered]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> PlannedLine:
        way, above, text, joined, ordered = data
        return cls(way, tuple(above), text, joined, ordered)


def lines_of(
    plans: Iterable[ChangePlan], before: RunningConfig, profile: Profile | None = None
) -> tuple[PlannedLine, ...]:
    """The lines of the plans of one router, in the order of their phases, and their ways back; `before` is what the router
    holds before the first. Raises LineNotAccepted for a line that no router would take.
    """
    found: list[PlannedLine] = []
    held = before
    for plan in plans:
        after = (simulate(held, plan.commands, profile) or (held,))[-1]
        found += _lines(THERE, plan.commands, held, after)
        found += _lines(BACK, plan.rollback, after, held)
        held = after
    return tuple(found)


def digest_of(lines: Iterable[PlannedLine]) -> str:
    """sha256 (hex) of the lines, in their order."""
    said = json.dumps([line.to_json() for line in lines], separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()


def text_of(lines: Iterable[PlannedLine], way: str = THERE) -> str:
    """The lines of one way for a person to read, each header once, indented."""
    rows: list[str] = []
    last: tuple[str, ...] = ()
    for line in lines:
        if line.way != way:
            continue
        same = 0
        while same < min(len(last), len(line.above)) and last[same] == line.above[same]:
            same += 1
        rows += [f"{' ' * depth}{line.above[depth]}" for depth in range(same, len(line.above))]
        rows.append(f"{' ' * len(line.above)}{line.text}")
        last = line.above
    return "".join(f"{row}\n" for row in rows)


def _lines(way: str, lines: Sequence[Line], before: RunningConfig, after: RunningConfig) -> list[PlannedLine]:
    found: list[PlannedLine] = []
    above: tuple[str, ...] = ()
    for index, line in enumerate(lines):
        above = above[: line.depth]
        following = lines[index + 1] if index + 1 < len(lines) else None
        if following is None or following.depth <= line.depth:
            found.append(_line(way, above, line, before, after))
        above = (*above, line.text)
    return found


def _line(
    way: str, above: tuple[str, ...], line: Line, before: RunningConfig, after: RunningConfig
) -> PlannedLine:
    header = _LIST.match(above[-1]) if above else None
    if header is not None:
        family = 6 if header[1] == "ipv6" else 4
        held, left = (_list(config, header[2], family) for config in (before, after))
        if _commutes(held) and _commutes(left):
            text = _without_number(line.text, _texts(held))
            if text is not None:
                return PlannedLine(way, above, text, line.joined, ordered=False)
    return PlannedLine(way, above, line.text, line.joined)


def _without_number(text: str, held: Mapping[int, str]) -> str | None:
    """The entry by its words; None when a number says nothing that is known."""
    found = _NUMBERED.match(text)
    if found is None:
        return text
    no, number, words = found[1] or "", int(found[2]), found[3]
    if words is None:
        words = held.get(number)
    return None if words is None else f"{no}{words}"


def _list(config: RunningConfig, name: str, family: int) -> AccessList | None:
    for key in (name, f"ipv6 {name}"):
        held = config.access_lists.get(key)
        if held is not None and held.family == family:
            return held
    return None


def _texts(held: AccessList | None) -> dict[int, str]:
    return {} if held is None else {entry.sequence: entry.text for entry in held.entries}


def _commutes(held: AccessList | None) -> bool:
    """Whether the order of entries decides nothing: permits and remarks, and a deny of all the rest at the very end."""
    if held is None or not held.entries:
        return True
    entries = held.entries[:-1] if closes(held) else held.entries
    return all(entry.action in ("permit", "remark") for entry in entries)
