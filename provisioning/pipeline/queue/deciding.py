"""The rule: what of a router's work is planned together now (ADR 16).

1. A plan that carries what is no longer to be done (it was withdrawn, it is done) is put aside, unless its lines are
   being sent already.
2. While lines are being sent nothing is planned; what comes meanwhile is in the next batch.
3. Everything due is planned together, oldest first. A plan that is due and approved, or being read, stands; newcomers
   wait for it. Otherwise newcomers replace it: one plan for all. What was approved ahead is a plan of its own, before the
   rest: it waits for nobody. What is kept back though it is approved stands, and the rest is planned beside it: what it
   waits for may be among that.
4. What failed together is tried one by one.
5. When nothing is due, the next instant within the lead time is planned ahead: what begins and what ends at that very
   instant. A plan ahead keeps nothing that is due from being planned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from provisioning.pipeline.queue.values import MOST_TOGETHER, Decision, QueuedPlan, Standing, Work

GONE = "what it puts on or takes off is no longer to be done"
REPLACED = "replaced by a plan that carries more of what is due"


def decide(work: Iterable[Work], plans: Iterable[QueuedPlan], *, now: datetime, lead: timedelta) -> Decision:
    """Return what happens next in the queue of one router; the same whoever asks, and in whatever order.

    `plans` are those that are not over, `lead` how far ahead what is not due yet is planned.
    """
    work = list(work)
    found = _decide(work, plans, now, lead)
    again = [each.again for each in work if each.held and each.again is not None and each.again > now]
    return replace(found, look_at=min([*again, *_some(found.look_at)], default=None))


def _decide(work: Sequence[Work], plans: Iterable[QueuedPlan], now: datetime, lead: timedelta) -> Decision:
    ready = sorted((each for each in work if not each.held), key=lambda each: (each.due, each.member.request))
    wanted = {each.member for each in ready}
    standing = sorted(plans, key=lambda plan: plan.id)
    aside = [
        (plan.id, GONE)
        for plan in standing
        if plan.standing is not Standing.UNDER_WAY and not plan.members <= wanted
    ]
    gone = {number for number, _why in aside}
    standing = [plan for plan in standing if plan.id not in gone]
    if any(plan.standing is Standing.UNDER_WAY for plan in standing):
        return Decision(tuple(aside), (), None)
    kept = [plan for plan in standing if plan.kept]
    carried = {member for plan in kept for member in plan.members}
    standing = [plan for plan in standing if not plan.kept]
    ready = [each for each in ready if each.member not in carried]
    due = [each for each in ready if each.due <= now]
    current = [plan for plan in standing if plan.due <= now]
    if due or current:
        return _of_due(_together(due), current, aside, _next(ready, now, lead), now)
    return _ahead(ready, standing, aside, now, lead)


def _of_due(
    batch: Sequence[Work],
    current: Sequence[QueuedPlan],
    aside: list[tuple[int, str]],
    following: datetime | None,
    now: datetime,
) -> Decision:
    standing = [plan for plan in current if plan.stands(now)]
    if standing:
        frozen = [until for plan in standing if (until := plan.frozen_until()) is not None and until > now]
        return Decision(tuple(aside), (), min([*frozen, *_some(following)], default=None))
    members = {each.member for each in batch}
    if any(plan.members == members for plan in current):
        return Decision(tuple(aside), (), following)
    return Decision((*aside, *((plan.id, REPLACED) for plan in current)), tuple(batch), following)


def _ahead(
    ready: Sequence[Work],
    standing: Sequence[QueuedPlan],
    aside: list[tuple[int, str]],
    now: datetime,
    lead: timedelta,
) -> Decision:
    following = _next(ready, now, lead)
    soon = [each for each in ready if each.due <= now + lead]
    if not soon:
        return Decision(tuple(aside), (), following)
    batch = _together([each for each in soon if each.due == soon[0].due])
    members = {each.member for each in batch}
    same = [plan for plan in standing if plan.due == soon[0].due]
    for plan in same:
        if plan.members == members:
            return Decision(tuple(aside), (), following)
        if plan.stands(now):
            frozen = plan.frozen_until()
            later = [frozen] if frozen is not None and frozen > now else []
            return Decision(tuple(aside), (), min([*later, *_some(following)], default=None))
    return Decision((*aside, *((plan.id, REPLACED) for plan in same)), tuple(batch), following)


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
