"""Edits of policies in use and moves of interfaces between them, so that nobody meets a rate that is not theirs.

An interface that leaves a policy goes before the policy (or the access list behind it) is edited, one that joins
comes after: in between it would have a rate, or sources, it had neither before nor shall have afterwards. One that
moves between two policies which both meet what is edited (a policy and its next version, over one access list) goes
before what lets more in and after what lets less in: fewer sources are never given the higher rate of the two.
A source that moves from one list of a policy to another is let in there before it goes here.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from provisioning.pipeline.diff.bindings import Move
from provisioning.pipeline.diff.lines import Gap, Line, Step
from provisioning.pipeline.mqc import share

# Who is newly authorised comes after the rate that makes room, and after one that cannot be compared with the old rate.
_EDITING = (Step.DECREASE, Step.INCREASE, Step.ACCESS_LIST)


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines that change an object in use; `policies` are those whose packets meet it, before or afterwards.

    `step` is DECREASE for what lets less in (a lower rate, a source less), INCREASE for any other rate, ACCESS_LIST for
    what authorises somebody. `either` when it is not known whether more or less comes in: it waits for what either
    would wait for, after decreases and before increases. `come` and `go` are the permit entries an edited list gains and
    loses.
    """

    policies: frozenset[str]
    step: Step
    lines: tuple[Line, ...]
    either: bool = False
    come: tuple[str, ...] = ()
    go: tuple[str, ...] = ()

    def follows(self, other: Edit) -> bool:
        """Whether somebody moves from this list to the other one of the same policy: in there first, then out here."""
        return (
            not self.policies.isdisjoint(other.policies)
            and self is not other
            and any(share(leaves, joins) for leaves in self.go for joins in other.come)
        )


def in_order(
    edits: Sequence[Edit], moves: Sequence[Move], *, offset: int
) -> tuple[list[Line], tuple[Gap, ...]]:
    """Return all lines, and the gaps with their line numbers counted from `offset` before the first of them.

    Decreases, increases, who is newly authorised, moves as they come, but for the rule above. Where two edited policies exchange
    interfaces no order satisfies it; the resolution makes a new version then, so it does not get here.
    """
    ranked = sorted(edits, key=lambda edit: (_EDITING.index(edit.step), not edit.either))
    waiting: list[Edit | Move] = [*ranked, *moves]
    moving = Counter((move.old, move.new) for move in moves if move.old is not None)
    editing = {id(edit): edit for edit in ranked}
    lines: list[Line] = []
    gaps: list[Gap] = []
    while waiting:
        step = next(
            (step for step in waiting if not _has_to_wait(step, moving, editing.values())), waiting[0]
        )
        waiting.remove(step)
        if isinstance(step, Edit):
            del editing[id(step)]
        elif step.old is not None:
            moving[step.old, step.new] -= 1
            if not moving[step.old, step.new]:
                del moving[step.old, step.new]
        if isinstance(step, Move) and step.gap is not None:
            gaps.append(dataclasses.replace(step.gap, after_line=offset + len(lines) + step.gap.after_line))
        lines += step.lines
    return lines, tuple(gaps)


def _has_to_wait(
    step: Edit | Move, moving: Iterable[tuple[str, str | None]], editing: Iterable[Edit]
) -> bool:
    if isinstance(step, Edit):
        return any(step.follows(other) for other in editing) or any(
            old in step.policies and not (step.step is Step.DECREASE and new in step.policies)
            for old, new in moving
        )
    return any(
        step.new in edit.policies
        and not (edit.step is not Step.DECREASE and not edit.either and step.old in edit.policies)
        for edit in editing
    )
