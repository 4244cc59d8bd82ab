"""The rule: what of a router's work is planned together now (ADR 16).

1. A plan that carries what is no longer to be done (it was withdrawn, it is done) is put aside, unless its lines are
   being sent already.
2. While lines are being sent nothing is planned; what comes meanwhile is in the next batch.
3. Everything due is planned together, oldest first, and what goes before what comes at one instant. A plan that is due and
   approved, or being read, stands; newcomers wait for it. Otherwise newcomers replace it: one plan for all. What was approved
   ahead is a plan of its own, before the rest: it waits for nobody.
   What must wait until something is seen gone that its plan does not take off is planned after what need not, never with
   it: two routers of which each takes off what the other waits for would wait for ever. An approved plan that waits stands,
   and the rest is planned beside it; one of which only a part must wait is put aside. What is left out so is looked at
   again soon.
4. What failed together is tried one by one.
5. When nothing is due, the next instant within the lead time is planned ahead: what begins and what ends at that very
   instant. A plan ahead keeps nothing that is due from being planned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from provisioning.pipeline.queue.values import (
    LOOKED_AT_AFTER,
    MOST_TOGETHER,
    Decision,
    Member,
    QueuedPlan,
    Standing,
    Work,
)

GONE = "what it puts on or takes off is no longer to be done"
REPLACED = "replaced by a plan that carries more of what is due"
DIVIDED = "a part of it must wait for another router, and what need not is planned without it"

MustWait = Callable[[Sequence[Work]], Collection[Member]]
"""Which of the work that is planned together must not be sent until something is seen gone that is not among it."""


def decide(
    work: Iterable[Work],
    plans: Iterable[QueuedPlan],
    *,
    now: datetime,
    lead: timedelta,
    must_wait: MustWait = lambda _together: (),
) -> Decision:
    """Return what happens next in the queue of one router; the same whoever asks, and in whatever order.

    `plans` are those that are not over, `lead` how far ahead what is not due yet is planned. `must_wait` says for what
    comes whether it follows something that is over and may still be on a router, its own or another.
    """
    work = list(work)
    found = _decide(work, plans, now, lead, must_wait)
    again = [each.again for each in work if each.held and each.again is not None and each.again > now]
    return replace(found, look_at=min([*again, *_some(found.look_at)], default=None))


def _decide(
    work: Sequence[Work], plans: Iterable[QueuedPlan], now: datetime, lead: timedelta, must_wait: MustWait
) -> Decision:
    ready = {each.member: each for each in sorted(work, key=_order) if not each.held}
    standing = sorted(plans, key=lambda plan: plan.id)
    aside, waiting = _unfit(ready, standing, now, must_wait)
    if any(plan.standing is Standing.UNDER_WAY for plan in standing):
        return Decision(tuple(aside.items()), (), None)
    carried = {member for plan in waiting for member in plan.members}
    left = [each for each in ready.values() if each.member not in carried]
    standing = [plan for plan in standing if plan.id not in aside and plan not in waiting]
    due = [each for each in left if each.due <= now]
    current = [plan for plan in standing if plan.due <= now]
    if not due and not current:
        soonest = next((each.due for each in left if each.due <= now + lead), None)
        due = [each for each in left if each.due == soonest]
        current = [plan for plan in standing if plan.due == soonest]
    batch = _together(due)
    waits = must_wait(batch) if batch else ()
    again = None
    if waits and len(waits) < len(batch):
        batch = [each for each in batch if each.member not in waits]
        again = now + LOOKED_AT_AFTER
    found = _settle(batch, current, now)
    instants = [*_some(found.look_at), *_some(_next(left, now, lead)), *_some(again)]
    look_at = min(instants, default=None)
    return Decision((*aside.items(), *found.put_aside), found.batch, look_at)


def _unfit(
    ready: Mapping[Member, Work], standing: Sequence[QueuedPlan], now: datetime, must_wait: MustWait
) -> tuple[dict[int, str], list[QueuedPlan]]:
    """The plans to put aside as they are, with the reason; and those that are approved and wait with all they carry."""
    aside: dict[int, str] = {}
    waiting = []
    for plan in standing:
        if plan.standing is Standing.UNDER_WAY:
            continue
        if not plan.members <= ready.keys():
            aside[plan.id] = GONE
        elif plan.standing is Standing.APPROVED and plan.due <= now:
            later = must_wait([ready[member] for member in sorted(plan.members)])
            if len(later) == len(plan.members):
                waiting.append(plan)
            elif later:
                aside[plan.id] = DIVIDED
    return aside, waiting


def _settle(batch: Sequence[Work], plans: Sequence[QueuedPlan], now: datetime) -> Decision:
    """One plan for the batch, unless a plan stands or is that one already."""
    if any(plan.stands(now) for plan in plans):
        frozen = [plan.frozen_until() for plan in plans if plan.stands(now)]
        thaws = [until for until in frozen if until is not None and until > now]
        return Decision((), (), min(thaws, default=None))
    members = {each.member for each in batch}
    if any(plan.members == members for plan in plans):
        return Decision((), (), None)
    return Decision(tuple((plan.id, REPLACED) for plan in plans), tuple(batch), None)


def _order(work: Work) -> tuple[datetime, bool, int]:
    return work.due, work.member.puts_on, work.member.request


def _together(ready: Sequence[Work]) -> Sequence[Work]:
    """What of `ready`, oldest first, goes into one plan."""
    alone = [each for each in ready if each.alone]
    others = [each for each in ready if not each.alone]
    # What was approved ahead does not wait for somebody to approve the rest; what has never failed not behind what has.
    given = [each for each in others if each.given]
    return (given or others or alone[:1])[:MOST_TOGETHER]


def _next(ready: Iterable[Work], now: datetime, lead: timedelta) -> datetime | None:
    """The next instant at which something falls due, or comes within the lead time."""
    instants = [moment for each in ready for moment in (each.due - lead, each.due) if moment > now]
    return min(instants, default=None)


def _some(moment: datetime | None) -> list[datetime]:
    return [] if moment is None else [moment]
