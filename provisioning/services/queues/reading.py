"""The queue of one router, read from the rows, as the values that the rule decides on."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime

from inventory.models import Router
from provisioning.errors import InvalidInput
from provisioning.models import ApprovedLines, Change, PremiumRequest, Reservation, RouterSync
from provisioning.pipeline.queue import Member, QueuedPlan, Standing, Work
from provisioning.pipeline.states import ModificationState, PushState
from provisioning.selectors.changes import UNRECOGNISED
from provisioning.selectors.queues import entering, held_until, to_change, to_put_on, to_take_off
from provisioning.services import intents

_STANDING = {
    PushState.PLANNED: Standing.WAITING,
    PushState.APPROVED: Standing.APPROVED,
    PushState.PUSHING: Standing.UNDER_WAY,
    PushState.PUSHED: Standing.UNDER_WAY,
    PushState.UNKNOWN: Standing.UNDER_WAY,
}


def cause_of(router: Router) -> str:
    """Digest of what a reason not to plan rests on: the router as last seen, and what it is to hold without newcomers.

    It takes an intent to work that out: to be asked for only where something is, or is to be, held out.
    """
    seen = RouterSync.objects.filter(router=router).values_list("content_digest", flat=True).first()
    try:
        wanted = intents.wanted(domain=router.domain, routers=[router.name])
        said = (seen, wanted.digest([router.name]), wanted.scheme_digest, wanted.template_digest)
    except InvalidInput as error:
        said = (seen, error.reason, "", "")
    return hashlib.sha256(repr(said).encode()).hexdigest()


def work_of(router: Router, *, now: datetime, until: datetime, cause: Callable[[], str]) -> list[Work]:
    """What the router lacks at `now` of the requests that enter at it, as far as it falls due by `until`.

    What was held out for a `cause` that is another by now is to be planned again; it is asked for once, and only when
    something was.
    """
    cause = functools.cache(cause)
    mine = entering(router).select_related("reservation").order_by("pk")
    comes = mine.filter(to_put_on(now=now, until=until))
    found = [_work(request, request.start, cause, now, puts_on=True) for request in comes]
    for request in mine.filter(to_take_off(until=until)):
        over = request.state in intents.OVER
        due = request.state_changed_at if over or request.end is None else request.end
        found.append(_work(request, due, cause, now, puts_on=False))
    for request in mine.filter(to_change(now=now)).prefetch_related("modifications"):
        for each in request.modifications.all():
            if each.state == ModificationState.ADMITTED:
                due = each.decided_at or now
                found.append(_work(request, due, cause, now, puts_on=True, modification=each.pk))
    given = _given({each.member.request for each in found})
    return [replace(each, given=True) if each.member in given else each for each in found]


def _given(requests: Collection[int]) -> set[Member]:
    """Those of the requests, on or off, whose lines were approved ahead after the last plan that had other lines."""
    rows = ApprovedLines.objects.filter(request__in=requests, revoked_at__isnull=True)
    approved: dict[Member, datetime] = {}
    for request, puts_on, at in rows.values_list("request", "puts_on", "at"):
        member = Member(request, puts_on)
        approved[member] = max(at, approved.get(member, at))
    if not approved:
        return set()
    differed = Change.objects.filter(
        requests__in=[member.request for member in approved], ahead_covered=False, planned_at__isnull=False
    )
    for request, planned_at, takes_off in differed.values_list("requests", "planned_at", "takes_off"):
        member = Member(request, request not in takes_off)
        if member in approved and planned_at is not None and approved[member] <= planned_at:
            del approved[member]
    return set(approved)


def _work(
    request: PremiumRequest,
    due: datetime,
    cause: Callable[[], str],
    now: datetime,
    *,
    puts_on: bool,
    modification: int = 0,
) -> Work:
    member = Member(request.pk, puts_on, modification)
    held: Reservation = request.reservation
    again = held_until(held.held_cause)
    if again is not None:
        return Work(member, due, held.alone, held.waits_for if now < again else "", again=again)
    waits = held.waits_for if not held.held_cause or held.held_cause == cause() else ""
    return Work(member, due, held.alone, waits)


def plans_of(router: Router) -> list[QueuedPlan]:
    """The plans of the router that are not over and follow requests."""
    found = []
    changes = Change.objects.filter(
        kind__in=intents.FOLLOWS_REQUESTS, finished_at__isnull=True, pushes__router=router
    ).distinct()
    for change in changes.prefetch_related("requests", "pushes"):
        pushes = [push for push in change.pushes.all() if push.router_id == router.pk]
        states = {PushState(push.state) for push in pushes if push.error_code != UNRECOGNISED}
        standing = {_STANDING[state] for state in states if state in _STANDING}
        if not standing:
            continue
        furthest = max(standing, key=list(Standing).index)
        found.append(
            QueuedPlan(
                id=change.pk,
                due=change.due_at or change.created_at,
                members=frozenset(
                    Member(
                        request.pk,
                        request.pk not in change.takes_off,
                        change.modifies.get(str(request.pk), 0),
                    )
                    for request in change.requests.all()
                ),
                standing=furthest,
                opened=change.opened_at,
                looked=change.looked_at,
            )
        )
    return found


def is_frozen(change: Change, now: datetime) -> bool:
    """Whether somebody is reading a plan that nobody has approved: nothing replaces it meanwhile."""
    plan = QueuedPlan(change.pk, now, frozenset(), Standing.WAITING, change.opened_at, change.looked_at)
    return plan.stands(now)
