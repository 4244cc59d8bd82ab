"""Whether parts that were approved ahead are, together, exactly a plan: by its lines, or by its effect.

Parts may share lines: what the first and the second reservation on a link both need is approved with each of them. No
line of the plan is without somebody's approval, and no approved line is missing from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from provisioning.pipeline.ahead.effect import Effect, InterfaceEffect
from provisioning.pipeline.ahead.lines import PlannedLine

Member = tuple[int, bool]
"""A request (its key), and whether it is put on."""
SHOWN = 12
"""Lines that differ, named one by one; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one person approved for one member: `key` names it, `confirmed` and `overridden` say that its gaps and doubts
    were accepted.
    """

    key: int
    member: Member
    person: int
    lines: tuple[PlannedLine, ...]
    effect: Effect
    confirmed: bool = False
    overridden: bool = False


@dataclass(frozen=True, slots=True)
class Covered:
    """The parts (their keys) that together are the plan, or in what the plan differs from them."""

    parts: tuple[int, ...] = ()
    differs: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.differs


def covers_lines(
    parts: Iterable[Part], members: Iterable[Member], lines: Sequence[PlannedLine], effect: Effect
) -> Covered:
    """Whether the plan of these members consists of exactly the lines of their approved parts, in an order that keeps the
    order of each part, with no gap and no doubt that was not accepted.

    Of a member that was approved several times, every approval whose lines are all in the plan counts.
    """
    wanted, places = set(lines), {line: place for place, line in enumerate(lines)}
    if len(wanted) != len(lines):
        return Covered(differs=("the plan sends a line twice",))
    used: list[Part] = []
    differs: list[str] = []
    for member, found in _by_member(parts, members).items():
        within = [part for part in found if set(part.lines) <= wanted and _in_order(part.lines, places)]
        used += within
        if not within:
            differs += _without_part(member, found, wanted)
    if not differs:
        given = set(chain.from_iterable(part.lines for part in used))
        differs = _named([f"not approved: {line}" for line in lines if line not in given])
    differs = differs or _not_accepted(used, effect)
    return Covered(differs=tuple(differs)) if differs else Covered(tuple(sorted(part.key for part in used)))


def covers_effect(parts: Iterable[Part], members: Iterable[Member], effect: Effect) -> Covered:
    """Whether the plan of these members does exactly what their approved parts do: the same interfaces, each in the same
    state in the end, the same sources let in and cut off, no gap that was not accepted, and nothing doubtful.
    """
    if effect.doubts:
        return Covered(differs=tuple(f"a router may refuse it: {text}" for text in sorted(effect.doubts)))
    used: list[Part] = []
    differs: list[str] = []
    for member, found in _by_member(parts, members).items():
        within = [part for part in found if not part.effect.doubts and _within(part.effect, effect)]
        used += within
        if not within:
            differs.append(f"{_named_member(member)}: {_other_effect(found, effect)}")
    if not differs:
        differs += _beyond(used, effect)
    differs = differs or _not_accepted(used, effect)
    return Covered(differs=tuple(differs)) if differs else Covered(tuple(sorted(part.key for part in used)))


def _by_member(parts: Iterable[Part], members: Iterable[Member]) -> Mapping[Member, list[Part]]:
    found: dict[Member, list[Part]] = {member: [] for member in sorted(members)}
    for part in parts:
        if part.member in found:
            found[part.member].append(part)
    return found


def _in_order(lines: Iterable[PlannedLine], places: Mapping[PlannedLine, int]) -> bool:
    held = [places[line] for line in lines if line.ordered]
    return held == sorted(held)


def _without_part(member: Member, found: Sequence[Part], wanted: set[PlannedLine]) -> list[str]:
    if not found:
        return [f"{_named_member(member)}: its lines were not approved ahead"]
    # The newest approval is what people remember.
    newest = max(found, key=lambda part: part.key)
    gone = [line for line in newest.lines if line not in wanted]
    if not gone:
        return [f"{_named_member(member)}: its lines come in another order than approved"]
    return _named([f"approved for {_named_member(member)}, not in the plan: {line}" for line in gone])


def _not_accepted(used: Iterable[Part], effect: Effect) -> list[str]:
    parts = list(used)
    gaps = set(chain.from_iterable(part.effect.gaps for part in parts if part.confirmed))
    doubts = set(chain.from_iterable(part.effect.doubts for part in parts if part.overridden))
    return [
        *(f"a gap that was not confirmed: {gap}" for gap in sorted(effect.gaps - gaps)),
        *(f"a doubt that was not overridden: {text}" for text in sorted(effect.doubts - doubts)),
    ]


def _within(part: Effect, plan: Effect) -> bool:
    for key, each in part.interfaces.items():
        held = plan.interfaces.get(key)
        if held is None or held.end != each.end:
            return False
        if not (each.let_in <= held.let_in and each.cut_off <= held.cut_off):
            return False
    return True


def _beyond(used: Sequence[Part], plan: Effect) -> list[str]:
    """What the plan does that no part does."""
    found: list[str] = []
    for key, held in plan.interfaces.items():
        mine: list[InterfaceEffect] = [
            part.effect.interfaces[key] for part in used if key in part.effect.interfaces
        ]
        if not mine:
            found.append(f"{key}: the plan changes it, nothing that was approved does")
            continue
        for word, entries, given in (
            ("let in", held.let_in, frozenset().union(*(each.let_in for each in mine))),
            ("cut off", held.cut_off, frozenset().union(*(each.cut_off for each in mine))),
        ):
            found += [f"{key}: {word} and not approved: {entry}" for entry in sorted(entries - given)]
    return found


def _other_effect(found: Sequence[Part], plan: Effect) -> str:
    if not found:
        return "its lines were not approved ahead"
    newest = max(found, key=lambda part: part.key).effect
    for key, each in newest.interfaces.items():
        held = plan.interfaces.get(key)
        if held is None:
            return f"{key} is not changed, approved was that it is"
        if held.end != each.end:
            return f"{key} ends otherwise than approved (EF at {held.ef_rate}, approved {each.ef_rate})"
        if missing := sorted((each.let_in - held.let_in) | (each.cut_off - held.cut_off)):
            return f"{key}: approved and not in the plan: {missing[0]}"
    return "a router may refuse what was approved"


def _named(sentences: Sequence[str]) -> list[str]:
    more = len(sentences) - SHOWN
    return [*sentences[:SHOWN], *([f"and {more} lines more"] if more > 0 else [])]


def _named_member(member: Member) -> str:
    return f"PIP-{member[0]} {'on' if member[1] else 'off'}"
