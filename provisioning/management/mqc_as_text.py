"""The difference between two configurations for a terminal and for a script; comments begin with `!`, so it can be pasted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from provisioning.pipeline.change import Doubt
from provisioning.pipeline.diff import EqualToday, Line, Remediation
from provisioning.pipeline.mqc import OpaqueAction, RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.safety import GapMark, Told, ToldLine, roles_of, tell_lines, together
from provisioning.pipeline.units import how_many

SHOWN = 8
"""Of what is wrong after one line, so much is printed."""


@dataclass(frozen=True)
class Explained:
    """What each line of a difference does to the interfaces, there and back."""

    forward: Told
    back: Told

    def to_json(self) -> dict[str, Any]:
        return {"commands": self.forward.to_json(), "rollback": self.back.to_json()}


def explain(running: RunningConfig, found: Remediation, profile: Profile | None) -> Explained:
    """Let the interpreter carry out the lines, and from where they lead the way back; BW as configured on the router."""
    roles = roles_of(running, found.result)
    known = configured_bps(running)

    def told(start: RunningConfig, lines: Sequence[Line]) -> Told:
        joined = [index for index, line in enumerate(lines) if line.joined]
        return tell_lines(start, lines, roles, joined=joined, bandwidths=known, profile=profile)

    return Explained(told(running, found.commands), told(found.result, found.rollback))


def configured_bps(running: RunningConfig) -> dict[str, int]:
    """BW in bit/s of every interface with a `bandwidth` line."""
    return {
        name: state.bandwidth_kbit * 1000
        for name, state in running.interfaces.items()
        if state.bandwidth_kbit is not None
    }


def doubted(doubt: Doubt) -> str:
    """What the platform would not take, or probably not, with its evidence."""
    return f"the platform {'refuses' if doubt.finding.certain else 'may refuse'} this: {doubt.text}"


def not_understood(running: RunningConfig, intended: RunningConfig) -> Iterator[str]:
    """Lines of what is intended that the model has no name for, where the router does not hold them already."""
    for name, entry in intended.class_maps.items():
        if running.class_maps.get(name) != entry:
            opaque = (" ".join(map(str, match.values)) for match in entry.matches if match.kind == "opaque")
            for line in (*sorted(entry.other_lines), *(f"match {words}" for words in sorted(opaque))):
                yield f"class-map {name}: `{line}` is not understood, and sent as it is"
    for name, policy in intended.policy_maps.items():
        if running.policy_maps.get(name) != policy:
            said = [(f"policy-map {name}", line) for line in sorted(policy.other_lines)]
            for each in policy.classes:
                texts = (action.text for action in each.actions if isinstance(action, OpaqueAction))
                said += [(f"class {each.name} of {name}", text) for text in sorted(texts)]
            for place, line in said:
                yield f"{place}: `{line}` is not understood, and sent as it is"


def as_text(found: Remediation, explained: Explained | None = None) -> str:
    """The commands, a line `! rollback`, the way back; with an explanation what each line changes, below it."""
    if explained is None:
        lines = [*map(str, found.commands), "! rollback", *map(str, found.rollback)]
    else:
        lines = [
            *told_as_text(found.commands, explained.forward),
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
) -> dict[str, Any]:
    """All of it for a script; `platform` is what that would not take, `explanation` only there when asked for."""
    data = {
        "equal": found.empty,
        "commands": [line.to_json() for line in found.commands],
        "rollback": [line.to_json() for line in found.rollback],
        "gaps": [gap.to_json() for gap in found.gaps],
        "conflicts": [conflict.to_json() for conflict in found.conflicts],
        "warnings": [*found.warnings, *notes, *(each.text for each in same)],
        "equal_today": [each.to_json() for each in same],
        "platform": [each.to_json() for each in doubts],
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
