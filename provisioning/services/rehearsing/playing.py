"""One router's plans, played on the practice router that stands in for it. No database in here: a part is a value, so is its end.

The same course as a push (`pushing.course`): read, say what goes out between two looks, judge every reply, read back, compare,
look at what is at work. What a push writes about itself has no place here, and nothing is saved: startup-config tells nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from provisioning import drivers
from provisioning.drivers.base import RouterDriver, Target, TranscriptLine, UnitReply
from provisioning.errors import DeviceError, LineRefused, ParseFailure
from provisioning.models import RehearsalOutcome
from provisioning.pipeline import ios
from provisioning.pipeline.change import ChangePlan, Write, writes
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import LineNotAccepted, simulate
from provisioning.services.patience import timeouts
from provisioning.services.practice.lending import Unknown
from provisioning.services.pushing import standing
from provisioning.services.pushing.sending import say
from provisioning.services.pushing.working import counted, uncounted
from provisioning.services.reading import read_session
from provisioning.services.rehearsing.judging import concerning, differences, header_of, lines_in_words, some


@dataclass(frozen=True, slots=True)
class Part:
    """One push as it is played: its key, its phase in words, its plan."""

    push: int
    phase: str
    plan: ChangePlan


@dataclass(frozen=True, slots=True)
class Cast:
    """Everything about one router that its parts are played with: `running` is the text it was read as."""

    target: Target
    profile: Profile
    running: str
    unknown: tuple[Unknown, ...]
    renderer: Renderer
    parts: tuple[Part, ...]
    knows: Callable[[Sequence[str]], bool]
    """Whether any practice router knows the last of these lines (`lending.Lent.knows`)."""


@dataclass(frozen=True, slots=True)
class Played:
    """What became of one part; see `models.RehearsedPush`."""

    push: int
    outcome: RehearsalOutcome
    said: str
    line: int | None = None
    reply: str = ""
    lines: tuple[tuple[int, str, str], ...] = ()
    differs: tuple[dict[str, Any], ...] = ()
    transcript: tuple[TranscriptLine, ...] = ()
    seconds: float = 0.0


@dataclass(slots=True)
class _Course:
    """One part under way: what the router held before it, and what was answered, by number of the line."""

    cast: Cast
    part: Part
    driver: RouterDriver
    before: RunningConfig
    answers: dict[int, tuple[str, str]] = field(default_factory=dict)

    def end(self, outcome: RehearsalOutcome, said: str, **fields: Any) -> Played:
        lines = tuple((number, *self.answers[number]) for number in sorted(self.answers))
        return Played(self.part.push, outcome, said, lines=lines, **fields)


def play(cast: Cast) -> list[Played]:
    """Play the parts of one router in their order, each in a session of its own; a part after one that did not go as planned is
    not rehearsed. Never raises for what the practice router does.
    """
    played: list[Played] = []
    try:
        before = ios.parse(cast.running, cast.profile)
    except ParseFailure as error:
        return [
            not_rehearsed(part.push, f"what was read cannot be read again: {error}") for part in cast.parts
        ]
    for number, part in enumerate(cast.parts):
        if played and played[-1].outcome is not RehearsalOutcome.REHEARSED:
            earlier = cast.parts[number - 1].phase
            played.append(
                not_rehearsed(
                    part.push, f"{earlier} did not go as planned, and this is made for what is there after it"
                )
            )
            continue
        played.append(_play(cast, part, before))
        before = _after(part.plan, before, cast.profile)
    return played


def not_rehearsed(push: int, why: str) -> Played:
    """What is said of a push that nobody could play."""
    return Played(push, RehearsalOutcome.NOT_REHEARSED, f"not rehearsed: {why}")


def _play(cast: Cast, part: Part, before: RunningConfig) -> Played:
    began = time.monotonic()
    try:
        with drivers.connect(cast.target, timeout=timeouts(cast.profile)) as driver:
            course = _Course(cast, part, driver, before)
            try:
                done = _course(course)
            except (DeviceError, ParseFailure) as error:
                done = course.end(
                    RehearsalOutcome.NOT_REHEARSED,
                    f"not rehearsed to its end: the practice router: {error}",
                    line=max(course.answers, default=None),
                )
            return replace(done, transcript=driver.transcript, seconds=round(time.monotonic() - began, 3))
    except DeviceError as error:
        return not_rehearsed(part.push, f"no session with the practice router: {error}")


def _course(course: _Course) -> Played:
    plan, driver = course.part.plan, course.driver
    seen = read_session(driver, course.cast.target, read_at=datetime.now(UTC)).config
    if not standing.stands(plan, seen, 0):
        return _another_start(course, seen)
    for stretch in standing.stretches(plan, 0):
        # Without its alternatives: what is sent where a line is refused is for a live edge, and here the line has an answer.
        units = writes(stretch.lines, (), stretch.together)
        replies: list[UnitReply] = []
        refusal = say(
            driver,
            units,
            before=lambda _index, **_closing: None,
            answered=lambda _count: None,
            replies=replies,
        )
        number = _note(course, stretch.base, units, replies)
        if refusal is not None:
            return _refused(course, number, refusal.reason)
        seen = _look(driver)
        if not standing.stands(plan, seen, stretch.end):
            return _differs(course, seen, stretch.end)
    return _at_work(course, seen)


def _look(driver: RouterDriver) -> RunningConfig:
    return ios.parse(driver.running_config())


def _note(course: _Course, base: int, units: Sequence[Write], replies: Sequence[UnitReply]) -> int:
    """Keep what was said to every line; the number of the last line that was answered, or of the one that was refused."""
    number, last = base, base
    for unit, reply in zip(units, replies, strict=False):
        if not reply.sent:  # said late, of the line before
            text, said = course.answers.get(last, ("", ""))
            course.answers[last] = (text, "\n".join(filter(None, (said, reply.refused))))
            return last
        for offset, (line, said) in enumerate(zip(reply.sent, reply.replies, strict=False), 1):
            last = number + offset
            course.answers.setdefault(last, (line, _words(said)))
        if reply.refused is not None:
            return min(number + reply.taken + 1, number + len(unit.lines))
        number += len(unit.lines)
    return last


def _words(reply: str) -> str:
    """A reply without the caret, which points at a place in the line that only a terminal shows."""
    return "\n".join(line.strip() for line in reply.splitlines() if line.strip() not in ("", "^"))


def _refused(course: _Course, number: int, reason: str) -> Played:
    """The router did not take a line. That says nothing about the line where the router does not have what it is about, or where
    no practice router knows it.
    """
    header = header_of(course.part.plan.commands, number)
    missing = [each for each in course.cast.unknown if each.line.split()[:2] == header.split()[:2]]
    if missing:
        said = (
            f"not rehearsed: line {number}; the practice router does not have {header!r} ({missing[0].text})"
        )
        return course.end(RehearsalOutcome.NOT_REHEARSED, said, line=number, reply=reason)
    lines = [line.text for line in course.part.plan.commands[:number]]
    if not course.cast.knows(lines):
        rest = lines_in_words(range(number, len(course.part.plan.commands) + 1))
        said = f"not rehearsed: {rest}; no practice router knows {lines[-1]!r}"
        return course.end(RehearsalOutcome.NOT_REHEARSED, said, line=number, reply=reason)
    said = f"line {number} was refused: {reason}"
    return course.end(RehearsalOutcome.REFUSED, said, line=number, reply=reason)


def _another_start(course: _Course, seen: RunningConfig) -> Played:
    """The practice router does not hold what was read: whatever it made of the lines would be about another router."""
    found = _differences(course, course.before, seen)
    names = {each.object.split()[-1] for each in found} | {each.object.split()[0] for each in found}
    because = concerning(course.cast.unknown, course.cast.running, names)
    why = (
        f"; it does not know {some([each.text for each in because])} of the running-config" if because else ""
    )
    said = (
        f"not rehearsed: {lines_in_words(range(1, len(course.part.plan.commands) + 1))}; the practice router does not hold what "
        f"was read: {some([each.object for each in found])}{why}"
    )
    return course.end(RehearsalOutcome.NOT_REHEARSED, said, differs=tuple(each.to_json() for each in found))


def _differs(course: _Course, seen: RunningConfig, count: int) -> Played:
    """Every line was answered without complaint, and the router shows something else than they say."""
    part = replace(course.part.plan, commands=course.part.plan.commands[:count])
    found = _differences(course, _after(part, course.before, course.cast.profile), seen)
    named = (
        some([each.text for each in found])
        or "it holds what these lines say, and the plan says something else"
    )
    said = f"after line {count} it is not as planned: {named}"
    return course.end(
        RehearsalOutcome.DIFFERS, said, line=count, differs=tuple(each.to_json() for each in found)
    )


def _at_work(course: _Course, seen: RunningConfig) -> Played:
    """Whether what was bound is counted by the router, as after a push."""
    plan = course.part.plan
    try:
        missing = uncounted(plan, seen, counted(course.driver, plan))
    except (ParseFailure, LineRefused) as error:
        missing = [f"anything of it that could be read ({error})"]
    if missing:
        said = f"as planned, but `show policy-map interface` does not show {some(missing)}"
        return course.end(RehearsalOutcome.DIFFERS, said, line=len(plan.commands))
    return course.end(RehearsalOutcome.REHEARSED, "every line was taken, and it ends as planned")


def _differences(course: _Course, expected: RunningConfig, seen: RunningConfig) -> Any:
    plan, cast = course.part.plan, course.cast
    return differences(expected, seen, plan.scope, plan.commands, cast.renderer, cast.profile)


def _after(plan: ChangePlan, before: RunningConfig, profile: Profile) -> RunningConfig:
    """What a router holds after a plan; as it was, where its lines cannot be followed (the router says so then)."""
    try:
        states = simulate(before, plan.commands, profile)
    except LineNotAccepted:
        return before
    return states[-1] if states else before
