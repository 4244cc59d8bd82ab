"""Where a router stands but for one place at which its plan binds a policy: with none there, or with an approved alternative.

A line card may drop a policy after the prompt, when the lines after it are out already; and where new and old of a swap are both
refused a third policy holds the interface. Everything else is as after a prefix of the approved lines, so the approved
undo of that prefix is right for everything else; at that place it begins with what is bound. Pure, no I/O.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from provisioning.pipeline.change import ChangePlan, Place, in_contexts, writes
from provisioning.pipeline.diff import Line, Step
from provisioning.pipeline.mqc import Binding, RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.services.pushing import standing


def position(plan: ChangePlan, observed: RunningConfig) -> int | None:
    """After how many commands the router looks like this, one place left aside; None when after none."""
    for _place, _held, usual in _set_aside(plan, observed):
        if (count := standing.position(plan, usual)) is not None:
            return count
    return None


def undo_rest(
    plan: ChangePlan, before: RunningConfig, undo_from: int, observed: RunningConfig, profile: Profile
) -> tuple[tuple[Line, ...] | None, int]:
    """What is left of the undo of `undo_from` commands where a place is left aside, and how many of its lines are in; None where
    the router stands in none of its states."""
    for place, held, usual in _set_aside(plan, observed):
        done = standing.undo_position(plan, before, undo_from, usual, profile)
        if done is not None:
            rest, _leading = standing.remainder(plan.undo[undo_from], done)
            return _beginning_with(plan, rest, place, held), done
    return None, 0


def closing(plan: ChangePlan, observed: RunningConfig, places: Sequence[Place]) -> tuple[Line, ...]:
    """The lines that bind at each of these bare places the first of its alternatives that is on the router."""
    lines: list[Line] = []
    for place in places:
        here = [each.policy for each in plan.alternatives if each.place == place]
        policy = next((name for name in here if name in observed.policy_maps), None)
        if policy is not None:
            lines += _lines_at(place, None, policy)
    return tuple(lines)


def _set_aside(
    plan: ChangePlan, observed: RunningConfig
) -> Iterator[tuple[Place, str | None, RunningConfig]]:
    """Every place with what is bound there (None: nothing), and the configuration with what was bound there before the plan, or
    is after it, or nothing, in its stead."""
    bound = {(each.interface, each.pvc, each.direction): each for each in observed.bindings}
    for place, (old, new) in _bound_by(plan).items():
        binding = bound.get(place)
        held = None if binding is None else binding.policy
        if held is not None and held not in {
            each.policy for each in plan.alternatives if each.place == place
        }:
            continue
        others = observed.bindings - ({binding} if binding is not None else set())
        for policy in dict.fromkeys((new, old, None)):
            if policy != held:
                there = {Binding(*place, policy)} if policy is not None else set()
                yield place, held, dataclasses.replace(observed, bindings=frozenset(others | there))


def _beginning_with(
    plan: ChangePlan, rest: Sequence[Line], place: Place, held: str | None
) -> tuple[Line, ...]:
    """The lines of an undo, beginning at this place with what is bound there: it ends with what was there before all the same."""
    old = _bound_by(plan)[place][0]
    if old is None:
        return tuple(_without_taking_off(rest, place))
    lines: list[Line] = []
    found = False
    for write in writes(rest, plan.alternatives):
        if write.place != place:
            lines += write.lines
            continue
        if not found:
            depth = write.lines[-1].depth
            lines += (line for line in _lines_at(place, held, old, depth) if line.depth == depth)
        found = True
    return tuple(lines) if found else (*_lines_at(place, held, old), *lines)


def _bound_by(plan: ChangePlan) -> dict[Place, tuple[str | None, str]]:
    """Each place at which a plan binds a policy: what was bound there before (None: nothing), and what it binds."""
    swapped = {(gap.interface, gap.pvc, gap.direction): (gap.old, gap.new) for gap in plan.gaps}
    first = {
        write.place: (None, write.lines[-1].text.split()[-1])
        for write in writes(plan.commands, plan.alternatives)
        if write.place is not None and len(write.lines) == 1
    }
    return {**first, **swapped}


def _without_taking_off(lines: Sequence[Line], place: Place) -> Iterator[Line]:
    """The lines without the one that takes a policy off this place: there is none any more."""
    for line, interface, pvc in in_contexts(lines):
        takes_off = line.text.startswith(f"no service-policy {place[2]} ")
        if not (takes_off and (interface, pvc) == place[:2]):
            yield line


def _lines_at(place: Place, held: str | None, policy: str, depth: int | None = None) -> tuple[Line, ...]:
    """From what is bound at a place (None: nothing) to this policy; nothing where it is bound already."""
    interface, pvc, direction = place
    if held == policy:
        return ()
    inside = depth if depth is not None else 1 if pvc is None else 2
    context = [Line(f"interface {interface}", step=Step.BINDING)]
    if pvc is not None:
        context.append(Line(f"pvc {pvc}", 1, step=Step.BINDING))
    off = [] if held is None else [Line(f"no service-policy {direction} {held}", inside, step=Step.BINDING)]
    on = Line(f"service-policy {direction} {policy}", inside, bool(off), Step.BINDING)
    return (*context, *off, on)
