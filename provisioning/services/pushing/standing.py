"""Where a router stands in a plan: after how many of its lines, or nowhere that was approved. Pure, no I/O.

A push that was cut off leaves a router somewhere between two approved states. The successor compares what the router
shows with the state after every prefix of the approved commands (and of the undo, when that had begun); only when one
matches exactly may it go on from there (architecture.md, "What is approved is what is pushed").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from provisioning.pipeline.change import ChangePlan, Write, scope_digest
from provisioning.pipeline.diff import ACCESS_LIST, Line, Step
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.safety import LineNotAccepted, simulate


def position(plan: ChangePlan, observed: RunningConfig) -> int | None:
    """After how many commands the router looks like this: the largest such number, None when after none.

    The largest, because lines that only enter a mode change nothing and need not go out twice.
    """
    counts = plan.standing_at(observed)
    return max(counts) if counts else None


def stands(plan: ChangePlan, observed: RunningConfig, count: int) -> bool:
    """Whether the router looks as it must after exactly so many commands."""
    return scope_digest(observed, plan.scope) == plan.prefix_digests[count]


def undo_position(
    plan: ChangePlan, before: RunningConfig, undo_from: int, observed: RunningConfig, profile: Profile
) -> int | None:
    """After how many lines of the undo of `undo_from` commands the router looks like this; None when after none.

    The largest such number, but of those at which as many of the lists without entries are left as the router shows.
    """
    try:
        start = simulate(before, plan.commands[:undo_from], profile)
        begun = start[-1] if start else before
        states = (begun, *simulate(begun, plan.undo[undo_from], profile))
    except LineNotAccepted:
        return None  # what cannot be followed line by line cannot be found in it either
    now, shown = scope_digest(observed, plan.scope), _lists(plan, observed)
    counts = [count for count, state in enumerate(states) if scope_digest(state, plan.scope) == now]
    alike = [count for count in counts if _lists(plan, states[count]) == shown]
    return max(alike or counts, default=None)


def _lists(plan: ChangePlan, config: RunningConfig) -> set[str]:
    """The access lists of a plan that are there, those without entries too: `scope_digest` takes them for absent."""
    return {name for kind, name in plan.scope.objects if kind == ACCESS_LIST and name in config.access_lists}


def remainder(lines: Sequence[Line], start: int) -> tuple[tuple[Line, ...], int]:
    """Return what is still to be sent from line `start` on, and how many of its first lines only lead back into a mode.

    A line inside a policy-map means something only there, so the approved lines that enter its modes go out again
    first; they change nothing on an object that exists.
    """
    if start >= len(lines):
        return (), 0
    leading: list[Line] = []
    depth = lines[start].depth
    for line in reversed(lines[:start]):
        if depth == 0:
            break
        if line.depth < depth:
            leading.insert(0, replace(line, joined=False))
            depth = line.depth
    return (*leading, replace(lines[start], joined=False), *lines[start + 1 :]), len(leading)


def stages(lines: Sequence[Line]) -> tuple[int, ...]:
    """Return the ends of the stretches after which the router is read before anything else is sent.

    Everything is built, then read; then it is bound, and read again, because a line card may refuse a binding after
    the prompt (ios-facts 2.2); only then is the old removed. Ends are counts of lines, the last is len(lines).
    """
    bindings = [index for index, line in enumerate(lines) if line.step is Step.BINDING]
    if not bindings:
        return (len(lines),) if lines else ()
    first = bindings[0]
    while first > 0 and lines[first].depth > 0:
        first -= 1
    last = bindings[-1] + 1
    while last < len(lines) and lines[last].depth > 0:
        last += 1
    return tuple(sorted({end for end in (first, last, len(lines)) if end > 0}))


@dataclass(frozen=True, slots=True)
class Stretch:
    """What goes out before the router is read again: `lines`, the first of them perhaps leading back into a mode, `base` how many
    commands of the plan are before them, `end` how many are in after them; `together` are ranges of `lines` that are blocks.
    """

    end: int
    base: int
    lines: tuple[Line, ...]
    together: tuple[tuple[int, int], ...]


def stretches(plan: ChangePlan, start: int) -> Iterator[Stretch]:
    """What is to be sent of a plan from command `start` on, between one look at the router and the next (`stages`)."""
    for end in stages(plan.commands):
        if end <= start:
            continue
        lines, leading = remainder(plan.commands[:end], start)
        base = start - leading
        together = [
            (first - base, last - base)
            for block in plan.blocks
            for first, last in block.together
            if start <= first and last <= end
        ]
        yield Stretch(end, base, lines, tuple(together))
        start = end


def write_ends(units: Sequence[Write]) -> tuple[int, ...]:
    """Return, for every write, how many lines are out once it is answered."""
    return tuple(accumulate(len(unit.lines) for unit in units))
