"""The difference between two configurations for a terminal and for a script; comments begin with `!`, so it can be pasted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from provisioning.management.mqc_marks import Marks
from provisioning.pipeline.diff import EqualToday, Line, NotCompared, Remediation
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.units import how_many

if TYPE_CHECKING:
    from provisioning.pipeline.change.doubts import Doubt
    from provisioning.pipeline.safety import Told, ToldLine

REFUSES = "the platform refuses this"
SHOWN = 8
"""Of what is wrong after one line, so much is printed."""


@dataclass(frozen=True)
class Explained:
    """What each line of a difference does to the interfaces, there and back."""

    forward: Told
    back: Told
    marks: Marks

    def to_json(self) -> dict[str, Any]:
        by = self.marks.markings
        marks = {"premium": sorted(by.premium), "allowed": sorted(by.allowed), "assumed": self.marks.assumed}
        return {"commands": self.forward.to_json(), "rollback": self.back.to_json(), "marks": marks}


def explain(running: RunningConfig, found: Remediation, profile: Profile | None, marks: Marks) -> Explained:
    """Let the interpreter carry out the lines, and from where they lead the way back; BW as configured on the router."""
    from provisioning.pipeline.safety import roles_of, tell_lines  # not for who wants no explanation

    roles = roles_of(running, found.result)
    known = configured_bps(running)

    def told(start: RunningConfig, lines: Sequence[Line]) -> Told:
        joined = [index for index, line in enumerate(lines) if line.joined]
        return tell_lines(
            start, lines, roles, joined=joined, bandwidths=known, profile=profile, marks=marks.markings
        )

    return Explained(told(running, found.commands), told(found.result, found.rollback), marks)


def configured_bps(running: RunningConfig) -> dict[str, int]:
    """BW in bit/s of every interface with a `bandwidth` line."""
    return {
        name: state.bandwidth_kbit * 1000
        for name, state in running.interfaces.items()
        if state.bandwidth_kbit is not None
    }


def doubted(doubt: Doubt) -> str:
    """What the platform would not take, or probably not, with its evidence."""
    return f"{REFUSES if doubt.finding.certain else 'the platform may refuse this'}: {doubt.text}"


def as_text(found: Remediation, explained: Explained | None = None) -> str:
    """The commands, a line `! rollback`, the way back; with an explanation what each line changes, below it."""
    if explained is None:
        lines = [*map(str, found.commands), "! rollback", *map(str, found.rollback)]
    else:
        lines = [
            *told_as_text(found.commands, explained.forward),
            f"! {explained.marks.text}",
            "! rollback",
            *told_as_text(found.rollback, explained.back),
        ]
    return "\n".join(lines)


def as_json(
    found: Remediation,
    same: Sequence[EqualToday],
    explained: Explained | None = None,
    doubts: Sequence[Doubt] = (),
    notes: Sequence[str] = (),
    left: Sequence[NotCompared] = (),
) -> dict[str, Any]:
    """All of it for a script; `platform` is what that would not take, `not_compared` what `equal` says nothing of,
    `explanation` only there when asked for.
    """
    data = {
        "equal": found.empty,
        "commands": [line.to_json() for line in found.commands],
        "rollback": [line.to_json() for line in found.rollback],
        "gaps": [gap.to_json() for gap in found.gaps],
        "conflicts": [conflict.to_json() for conflict in found.conflicts],
        "warnings": [*found.warnings, *notes, *(each.text for each in same)],
        "equal_today": [each.to_json() for each in same],
        "platform": [each.to_json() for each in doubts],
        "not_compared": [each.to_json() for each in left],
    }
    return data if explained is None else {**data, "explanation": explained.to_json()}


def told_as_text(lines: Sequence[Line], told: Told) -> Iterator[str]:
    """Lines as they are typed, and below each as a comment what it changes; framed by the state before and after."""
    moved = {each.interface for line in told.lines for each in line.changed}
    yield from _standing("start", told.start, moved)
    wrong: tuple[str, ...] = ()
    for index, line in enumerate(lines):
        yield str(line)
        if index < len(told.lines):
            yield from _after(told.lines[index], wrong)
            wrong = told.lines[index].violations
    yield from _standing("end", told.end, moved)
    yield from (f"! UNSAFE: {text}" for text in told.problems)


def _standing(title: str, standings: Any, moved: set[str]) -> Iterator[str]:
    from provisioning.pipeline.safety import together

    yield f"! {title}"
    for each in together([one for one in standings if one.interface in moved]):
        yield f"!   {each.names}: {each.text}"
    still = sum(one.interface not in moved for one in standings)
    if still:
        yield f"!   {how_many(still, 'other interface')} with a policy: not touched"
    if not standings:
        yield "!   no policy is bound to any interface"


def _after(line: ToldLine, wrong_before: tuple[str, ...]) -> Iterator[str]:
    """What the line changes; of what is wrong after it only what was not wrong before it."""
    from provisioning.pipeline.safety import GapMark

    word = {GapMark.OPENS: "GAP OPENS ", GapMark.CLOSES: "GAP CLOSES ", None: ""}[line.gap]
    for each in line.together:
        yield f"!   -> {word}{each.names}: {each.text}"
    if line.gap is GapMark.OPENS:
        yield "!      the next line goes out in the same write and closes it"
    new = [text for text in line.violations if text not in wrong_before]
    yield from (f"!   -> UNSAFE: {text}" for text in new[:SHOWN])
    if len(new) > SHOWN:
        yield f"!   -> UNSAFE: ... and {len(new) - SHOWN} more (--json lists them)"
    if wrong_before and not line.violations:
        yield "!   -> safe again"
