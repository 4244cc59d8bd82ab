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
from collections.abc import Sequence
from dataclasses import dataclass

from provisioning.pipeline.diff.bindings import Move
from provisioning.pipeline.diff.lines import Gap, Line, Step
from provisioning.pipeline.mqc import share

# Who is newly authorised comes after the rate that makes room, and after one that cannot be compared with the old rate.
_EDITING = (Step.DECREASE, Step.INCREASE, Step.ACCESS_LIST)


@dataclass(frozen=True, slots=True, eq=False)
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


class _Waiting:
    """Edits and moves that are not written yet, the next one first; looked up by policy, so that many cost no more each."""

    def __init__(self, steps: Sequence[Edit | Move]) -> None:
        self._steps = list(steps)
        self._edits: dict[str, set[Edit]] = {}
        self._moves: dict[str, Counter[str | None]] = {}
        for step in steps:
            if isinstance(step, Edit):
                for policy in step.policies:
                    self._edits.setdefault(policy, set()).add(step)
            elif step.old is not None:
                self._moves.setdefault(step.old, Counter())[step.new] += 1

    def __bool__(self) -> bool:
        return bool(self._steps)

    def take(self) -> Edit | Move:
        """The first that need not wait for another, the first of all where each waits; it is done from then on."""
        place = next((place for place, step in enumerate(self._steps) if not self._waits(step)), 0)
        step = self._steps.pop(place)
        if isinstance(step, Edit):
            for policy in step.policies:
                self._edits[policy].remove(step)
        elif step.old is not None:
            self._moves[step.old] -= Counter((step.new,))
        return step

    def _waits(self, step: Edit | Move) -> bool:
        if isinstance(step, Edit):
            return self._follows(step) or any(
                not (step.step is Step.DECREASE and new in step.policies)
                for old in step.policies
                for new in self._moves.get(old, ())
            )
        if step.new is None:
            return False
        return any(
            edit.step is Step.DECREASE or edit.either or step.old not in edit.policies
            for edit in self._edits.get(step.new, ())
        )

    def _follows(self, step: Edit) -> bool:
        """Whether somebody moves from this list to another one of the same policy: in there first, then out here."""
        return bool(step.go) and any(
            share(leaves, joins)
            for policy in step.policies
            for other in self._edits[policy]
            if other is not step
            for leaves in step.go
            for joins in other.come
        )


def in_order(
    edits: Sequence[Edit], moves: Sequence[Move], *, offset: int
) -> tuple[list[Line], tuple[Gap, ...]]:
    """Return all lines, and the gaps with their line numbers counted from `offset` before the first of them.

    Decreases, swaps that let less in, increases, who is newly authorised, other moves as they come, but for the rule above: a
    link has room for who goes or for who comes. Where two edited policies exchange interfaces no order satisfies it; the
    resolution makes a new version then, so it does not get here.
    """
    waiting = _Waiting(sorted([*edits, *moves], key=_turn))
    lines: list[Line] = []
    gaps: list[Gap] = []
    last: Edit | Move | None = None
    while waiting:
        step = waiting.take()
        if isinstance(step, Move) and step.gap is not None:
            gaps.append(dataclasses.replace(step.gap, after_line=offset + len(lines) + step.gap.after_line))
        lines += step.lines[1:] if _goes_on(last, step) else step.lines
        last = step
    return lines, tuple(gaps)


def _goes_on(last: Edit | Move | None, step: Edit | Move) -> bool:
    """Whether the router is in the mode of the same access list still."""
    return (
        isinstance(last, Edit)
        and isinstance(step, Edit)
        and step.lines[0].step is Step.ACCESS_LIST
        and step.lines[0] == last.lines[0]
    )


def _turn(step: Edit | Move) -> tuple[int, bool]:
    """When its turn is, if it need not wait."""
    if isinstance(step, Edit):
        return _EDITING.index(step.step) * 2, not step.either
    return (1 if step.less else 2 * len(_EDITING)), False
