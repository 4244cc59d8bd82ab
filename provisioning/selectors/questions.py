"""What stands between a change and its approval or push, in words; the services enforce the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from provisioning.models import Actor, Change, ChangeKind, RouterPush, Verb
from provisioning.pipeline.authority import Why
from provisioning.pipeline.platforms import Tag
from provisioning.pipeline.states import ChangeState, PushState
from provisioning.selectors.approvals import given_to, missing_of
from provisioning.selectors.authority import overridable, to_approving, to_role
from provisioning.selectors.changes import is_due, state_of
from provisioning.selectors.pushing import why_no_push
from provisioning.selectors.swaps import lasted_on


@dataclass(frozen=True)
class Questions:
    """What has to be read before approving, and what this person may do now.

    ``gaps`` are (router, text), ``measured`` how long such gaps have lasted on routers of these kinds, ``unsaved``
    (router, lines), ``conflicts`` (router, conflict as stored), ``doubts``
    (router, doubt as stored with its tag as a ``word``). ``alone`` is what this person could go against by break-glass.
    """

    gaps: tuple[tuple[str, str], ...]
    measured: tuple[str, ...]
    unsaved: tuple[tuple[str, list[str]], ...]
    conflicts: tuple[tuple[str, dict[str, Any]], ...]
    unread: tuple[tuple[str, str], ...]
    violations: tuple[tuple[str, str], ...]
    warnings: tuple[tuple[str, str], ...]
    doubts: tuple[tuple[str, dict[str, Any]], ...]
    approve: bool
    alone: tuple[str, ...]
    cancel: bool
    push: bool
    pause: bool
    go_on: bool
    why_not: tuple[str, ...]
    lines: int
    routers: int
    due_now: tuple[str, ...]
    approved_by: tuple[str, ...]
    still_needed: tuple[str, ...]


def open_questions(change: Change, pushes: list[RouterPush], actor: Actor) -> Questions:
    """Return what is open about a change for this person."""
    wanting = [push for push in pushes if push.state != PushState.VERIFIED]
    plans = [(push, push.stored_plan) for push in wanting if push.has_plan]
    gaps = tuple((push.router.name, text) for push, plan in plans for text in plan.gaps)
    violations = tuple((push.router.name, text) for push, plan in plans for text in plan.violations)
    conflicts = tuple((push.router.name, conflict) for push in wanting for conflict in push.conflicts)
    unread = tuple((push.router.name, push.error) for push in wanting if not push.has_plan)
    unsaved: dict[str, list[str]] = {}
    for push in wanting:
        if push.unsaved:
            unsaved[push.router.name] = list(push.unsaved)
    states = {push.state for push in pushes}
    planned = PushState.PLANNED in states and change.approved_at is None
    lines = sum(push.lines for push in pushes)
    why_not = []
    given = given_to(change)
    approves = planned and actor.may(Verb.APPROVE)
    against = to_approving(actor, change) if planned and actor.is_noc else ()
    if planned and actor.is_noc:
        if not plans:
            why_not += [
                f"{name} was not read: {error or 'plan again when it answers.'}" for name, error in unread
            ]
        why_not += [f"{name}: {text}" for name, text in violations]
        why_not += [f"{name}: {conflict['text']}. {_way_out(conflict)}" for name, conflict in conflicts]
    # Nothing but other people's words is missing: that an approver may go ahead without, by break-glass.
    said = tuple(each.text for each in against)
    lacking = missing_of(change, besides=actor) if approves and not said else ()
    only_given = bool(against) and all(each.why is Why.GIVEN for each in against)
    alone = (
        (lacking or said)
        if approves and not why_not and (not said or overridable(against) or only_given)
        else ()
    )
    return Questions(
        gaps=gaps,
        measured=tuple(dict.fromkeys(lasted_on([push.router for push, plan in plans if plan.gaps]).values()))
        if gaps
        else (),
        unsaved=tuple(unsaved.items()),
        conflicts=conflicts,
        unread=unread,
        violations=violations,
        warnings=tuple((push.router.name, text) for push, plan in plans for text in plan.warnings),
        doubts=tuple(
            (push.router.name, {**doubt, "word": Tag(doubt["tag"]).word})
            for push, plan in plans
            for doubt in plan.doubts
        ),
        approve=approves and not said and not why_not,
        alone=alone,
        cancel=actor.may(Verb.CANCEL)
        and any(
            push.state in {PushState.PLANNED, PushState.APPROVED}
            or (push.state == PushState.UNKNOWN and not push.has_plan)
            for push in pushes
        ),
        push=actor.may(Verb.RELEASE)
        and PushState.APPROVED in states
        and change.released_at is None
        and change.paused_at is None
        and not why_no_push(),
        pause=actor.may(Verb.PAUSE) and PushState.APPROVED in states and change.paused_at is None,
        go_on=actor.may(Verb.PAUSE) and change.paused_at is not None and change.finished_at is None,
        why_not=(*said, *why_not),
        lines=lines,
        routers=len({push.router_id for push in wanting if push.lines}),
        due_now=_due_now(change),
        approved_by=tuple(each.user.get_username() for each in given),
        still_needed=missing_of(change) if planned and given else (),
    )


def why_no_word(change: Change, found: Questions, actor: Actor) -> tuple[str, ...]:
    """Why this person's approval is not taken now, a sentence each; empty where it is. Besides what stands in the way of a plan:
    the person's roles, and the state of a change that is approved already, over, or still being planned.
    """
    if found.approve or found.why_not:
        return found.why_not
    if refused := to_role(actor, Verb.APPROVE):
        return tuple(each.text for each in refused)
    state = ChangeState.APPROVED if change.approved_at and not change.finished_at else state_of(change)
    return (f"{change.reference} is {state}: only a planned change is approved.",)


def _way_out(conflict: dict[str, Any]) -> str:
    if "edited by hand" in conflict["text"]:
        return "Agree with whoever edited it, then plan a repair of this router."
    return "Clear it on the router, then plan again."


def _due_now(change: Change) -> tuple[str, ...]:
    """Return the requests of a change whose time has come: approving it is then all that sending waits for."""
    if change.kind not in {ChangeKind.RESERVATION, ChangeKind.REMOVAL}:
        return ()
    now = timezone.now()
    return tuple(one.reference for one in change.requests.all() if is_due(one, change, now))
