"""A proof told line by line: the state to begin with, what each line changes on which interface, the state in the end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from provisioning.pipeline.intent import Markings, Role, interface_key
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.safety.checking import check
from provisioning.pipeline.safety.interpreter import ConfigurationLine
from provisioning.pipeline.safety.states import InterfaceQos, LineState
from provisioning.pipeline.safety.words import dangerous, in_full, what_changed

NAMES_SHOWN = 4


class GapMark(StrEnum):
    """Where the swap of a bound policy leaves an interface without one, and where it has one again."""

    OPENS = "opens"
    CLOSES = "closes"


@dataclass(frozen=True, slots=True)
class Standing:
    """One interface in words; `bad` when unauthorised EF could enter there or EF is not policed."""

    interface: str
    text: str
    bad: bool
    state: InterfaceQos

    def to_json(self) -> dict[str, Any]:
        return {
            "interface": self.interface,
            "text": self.text,
            "dangerous": self.bad,
            "state": self.state.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Together:
    """Interfaces of which the same is to be said, in their order."""

    interfaces: tuple[str, ...]
    text: str
    bad: bool

    @property
    def names(self) -> str:
        """The first few names, then how many more."""
        more = len(self.interfaces) - NAMES_SHOWN
        if more <= 1:
            return ", ".join(self.interfaces)
        return f"{', '.join(self.interfaces[:NAMES_SHOWN])} and {more} more"


@dataclass(frozen=True, slots=True)
class ToldLine:
    """What one line changes; `number` counts from 1."""

    number: int
    text: str
    changed: tuple[Standing, ...]
    gap: GapMark | None
    violations: tuple[str, ...]

    @property
    def together(self) -> tuple[Together, ...]:
        """The changes, interfaces of which the same is said taken together."""
        return together(self.changed)

    def to_json(self) -> dict[str, Any]:
        return {
            "line": self.text,
            "changed": [each.to_json() for each in self.changed],
            "gap": None if self.gap is None else self.gap.value,
            "violations": list(self.violations),
        }


@dataclass(frozen=True, slots=True)
class Told:
    """A whole proof in words. `problems` concern no single line: a refusal of the platform, two results that disagree."""

    start: tuple[Standing, ...]
    lines: tuple[ToldLine, ...]
    end: tuple[Standing, ...]
    problems: tuple[str, ...] = ()

    @property
    def unsafe(self) -> bool:
        """Whether any line, or the whole, violates anything."""
        return bool(self.problems) or any(line.violations for line in self.lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "start": [each.to_json() for each in self.start],
            "lines": [line.to_json() for line in self.lines],
            "end": [each.to_json() for each in self.end],
            "problems": list(self.problems),
            "safe": not self.unsafe,
        }


def tell(proof: Sequence[LineState], bandwidths: Mapping[str, int] | None = None) -> Told:
    """Tell a proof as `check` returns it; `bandwidths` maps interface names to bit/s, to turn percent into rates."""
    known = bandwidths or {}
    now = {state.key: state for state in (proof[0].states if proof else ())}
    start = tuple(_standing(state, known) for state in now.values())
    lines: list[ToldLine] = []
    problems: list[str] = []
    open_gaps: set[str] = set()
    for entry in proof[1:]:
        if entry.line is None:
            problems += entry.violations
            continue
        changed = tuple(
            Standing(
                state.key,
                what_changed(now[state.key], state, known.get(state.interface)),
                dangerous(state),
                state,
            )
            for state in entry.states
        )
        closed = {state.key for state in entry.states} & open_gaps
        open_gaps -= closed
        if entry.gap:
            open_gaps |= {state.key for state in entry.states}
        gap = GapMark.OPENS if entry.gap else GapMark.CLOSES if closed else None
        lines.append(ToldLine(len(lines) + 1, entry.line, changed, gap, entry.violations))
        now |= {state.key: state for state in entry.states}
    return Told(
        start, tuple(lines), tuple(_standing(state, known) for state in now.values()), tuple(problems)
    )


def tell_lines(
    running: RunningConfig,
    lines: Sequence[ConfigurationLine],
    roles: Mapping[str, Role],
    *,
    joined: Collection[int] = (),
    bandwidths: Mapping[str, int] | None = None,
    profile: Profile | None = None,
    marks: Markings | None = None,
) -> Told:
    """Prove and tell lines that carry no proof of their own, such as a way back.

    `marks` are what an edge is judged by, 6NET's unless said. `joined` are the indexes of lines that go out in one
    write with the line before: only there is a gap excused.
    """
    gaps = frozenset(index - 1 for index in joined)
    marks = marks or Markings()
    proof = check(
        running,
        lines,
        roles,
        gap_lines=gaps,
        bandwidths=bandwidths,
        premium=marks.premium,
        allowed=marks.allowed,
        profile=profile,
    )
    return tell(proof, bandwidths)


def roles_of(*configs: RunningConfig) -> dict[str, Role]:
    """Roles by what is bound in any of the configs, where no inventory says them.

    What has a policy inbound anywhere is an edge; what only ever has one outbound is core.
    """
    found: dict[str, Role] = {}
    for config in configs:
        for bound in config.bindings:
            key = interface_key(bound.interface, bound.pvc)
            if bound.direction == "input":
                found[key] = Role.ACCESS
            else:
                found.setdefault(key, Role.CORE)
    return dict(sorted(found.items()))


def together(standings: Sequence[Standing]) -> tuple[Together, ...]:
    """Gather interfaces of which the same is said; the first named decides the order."""
    gathered: dict[tuple[str, bool], list[str]] = {}
    for each in standings:
        gathered.setdefault((each.text, each.bad), []).append(each.interface)
    return tuple(Together(tuple(names), text, bad) for (text, bad), names in gathered.items())


def _standing(state: InterfaceQos, bandwidths: Mapping[str, int]) -> Standing:
    return Standing(state.key, in_full(state, bandwidths.get(state.interface)), dangerous(state), state)
