"""Why a request waits, in one sentence: in full for those who see everything, in general words for an NREN (ADR 16).

The pages, the API and the commands all ask here. What is said to an NREN names no router, no change and no request of others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from provisioning.models import (
    Actor,
    Change,
    Consent,
    PremiumRequest,
    Reservation,
    RouterQueue,
    RouterSync,
    SyncState,
)
from provisioning.pipeline.states import UNSURE, PushState, RequestState
from provisioning.pipeline.units import instant_text
from provisioning.selectors.approvals import People, missing_of
from provisioning.selectors.changes import UNRECOGNISED
from provisioning.selectors.pushing import why_no_push
from provisioning.selectors.queues import OVER, due_plans_of, held_until, needs_person
from provisioning.selectors.requests import crossed
from provisioning.selectors.steering import why_held, window_over

_OPEN = (RequestState.SUBMITTED, RequestState.HELD)
_SHOWN = {SyncState.UNKNOWN: "is not read", SyncState.DIFFERS: "does not hold what is intended"}


@dataclass(frozen=True, slots=True)
class Wait:
    """What one request waits for. `text` is for the NOC and auditors, `general` for everybody else.

    `person`: nothing goes on until a member of the NOC does something. `retry`: that is to have it planned again. `change`
    is the key of the change it waits with.
    """

    text: str
    general: str
    person: bool = False
    retry: bool = False
    change: int | None = None

    def said_to(self, actor: Actor) -> str:
        """The sentence as this person may read it."""
        return self.text if actor.sees_everything else self.general


@dataclass(frozen=True, slots=True)
class _Rows:
    """What the sentences rest on, read for many requests at once. `changes` are by the request that they carry, `first` by the
    router of those that none carries: the plan that goes before what is planned next there.
    """

    now: datetime
    held: Mapping[int, Reservation]
    queues: Mapping[int, RouterQueue]
    changes: Mapping[int, Change]
    first: Mapping[int, Change]
    standing: Mapping[str, RouterSync]
    people: People | None
    no_push: str


def wait_of(request: PremiumRequest, now: datetime | None = None) -> Wait | None:
    """Why this request waits; None when it does not."""
    return waits_of([request], now).get(request.pk)


def waits_of(requests: Iterable[PremiumRequest], now: datetime | None = None) -> dict[int, Wait]:
    """Why each of these requests waits, by key; one that does not wait is left out. A bounded number of queries."""
    asked = list(requests)
    rows = _read(asked, now or timezone.now())
    found = {}
    for request in asked:
        wait = _wait(request, rows)
        if wait is not None:
            found[request.pk] = wait
    return found


def why_never(request: PremiumRequest, actor: Actor) -> str:
    """Why a request ended as NEVER_PROVIDED, as this person may read it; empty for any other."""
    if request.state != RequestState.NEVER_PROVIDED:
        return ""
    said = Reservation.objects.filter(request=request).values_list("waits_for", flat=True).first() or ""
    # What kept it off, after the colon, may speak of a router and of what others have there.
    return said if actor.sees_everything else said.partition(":")[0]


def _read(requests: list[PremiumRequest], now: datetime) -> _Rows:
    keys = [
        request.pk
        for request in requests
        if request.state in (RequestState.ADMITTED, RequestState.ACTIVE, *OVER)
    ]
    held = {
        row.request_id: row
        for row in Reservation.objects.filter(request__in=keys).select_related(
            "request__source_link__interface__router"
        )
    }
    routers = {row.request.source_link.interface.router_id for row in held.values()}
    carrying: dict[int, Change] = {}
    open_changes = (
        Change.objects.filter(requests__in=list(held), finished_at__isnull=True, planned_at__isnull=False)
        .distinct()
        .order_by("pk")
        .prefetch_related("requests", "approvals", "pushes__router")
    )
    for change in open_changes if held else ():
        for one in change.requests.all():
            carrying[one.pk] = change  # the newest one
    left = [
        row
        for row in held.values()
        if row.request_id not in carrying and not row.waits_for and _is_due(row, now)
    ]
    # Only what is on, or was, waits for routers beyond its ingress.
    names = {name for row in held.values() if row.put_on_at is not None for name in crossed(row.request)}
    # What is over and was never on waits for its ingress.
    over = [row.request for row in held.values() if row.put_on_at is None and row.request.state in OVER]
    names |= {request.source_link.interface.router.name for request in over}
    first = _first_of({row.request.source_link.interface.router_id for row in left}, now) if left else {}
    unapproved = [change for change in (*carrying.values(), *first.values()) if change.approved_at is None]
    return _Rows(
        now=now,
        held=held,
        queues={row.router_id: row for row in RouterQueue.objects.filter(router__in=routers)},
        changes=carrying,
        first=first,
        standing={
            row.router.name: row
            for row in RouterSync.objects.filter(router__name__in=names).select_related("router")
        },
        people=People.of(unapproved) if unapproved else None,
        no_push=why_no_push() if carrying else "",
    )


def _is_due(held: Reservation, now: datetime) -> bool:
    """Whether it is to be put on its ingress, or taken off it, by now."""
    request = held.request
    if held.put_on_at is None:
        return request.state == RequestState.ADMITTED and request.start <= now
    ended = request.state in OVER or (request.end is not None and request.end <= now)
    return ended and held.taken_off_at is None


def _first_of(routers: Collection[int], now: datetime) -> dict[int, Change]:
    """The oldest plan of each of these routers that is due and not over."""
    found: dict[int, Change] = {}
    for router, change in due_plans_of(routers, now):
        found.setdefault(router, change)
    return found


def _wait(request: PremiumRequest, rows: _Rows) -> Wait | None:
    if request.state in _OPEN:
        return _undecided(request)
    held = rows.held.get(request.pk)
    if held is None or held.released_at is not None:
        return None
    over = request.state in OVER
    if over and held.put_on_at is None:
        return _never_on(held, rows)
    if over and held.taken_off_at is not None:
        return _beyond(
            held,
            rows,
            "it is off {}; its capacity is free when",
            "it is off where it entered; its capacity is free when",
        )
    ends = request.state == RequestState.ACTIVE and (request.end is None or request.end > rows.now)
    if ends and not held.waits_for:
        return None
    if request.state == RequestState.ADMITTED and held.put_on_at is not None:
        return _beyond(
            held,
            rows,
            "it is on {}; it counts as active when",
            "it is on where it enters; it counts as active when",
        )
    return _on_the_ingress(held, rows, off=over)


def _undecided(request: PremiumRequest) -> Wait:
    if request.consent == Consent.PENDING:
        who = request.receiving_nren.name if request.receiving_nren else "the receiving NREN"
        return _same(f"{who} has not answered yet")
    if request.state == RequestState.HELD and request.held_until is not None:
        return _same(
            f"the NOC keeps its capacity aside until {instant_text(request.held_until)}", person=True
        )
    return _same("the NOC has not decided yet", person=True)


def _never_on(held: Reservation, rows: _Rows) -> Wait:
    """it waits for its ingress to be seen in sync: only that could hold anything of it."""
    router = held.request.source_link.interface.router.name
    rest, person = _not_as_intended([router], rows)
    return Wait(
        f"it was never put on; it is over when {router} was read without it{rest}",
        "it was never put on; it is over when the router it enters at was read without it",
        person=person,
    )


def _beyond(held: Reservation, rows: _Rows, text: str, general: str) -> Wait:
    """it waits for what is seen on the routers beyond its ingress, or for their next reading."""
    ingress = held.request.source_link.interface.router.name
    rest, person = _not_as_intended(sorted(crossed(held.request)), rows)
    return Wait(
        f"{text.format(ingress)} every router of its path was read and found as intended since{rest}",
        f"{general} every router on its way was read and found as intended",
        person=person,
    )


def _not_as_intended(names: Iterable[str], rows: _Rows) -> tuple[str, bool]:
    """Which of these routers are not read or show something else, in brackets; whether a person has to see to one."""
    states = {name: row.state if (row := rows.standing.get(name)) else SyncState.UNKNOWN for name in names}
    said = [f"{name} {_SHOWN[SyncState(state)]}" for name, state in states.items() if state in _SHOWN]
    return (f" ({', '.join(said)})" if said else ""), SyncState.DIFFERS in states.values()


def _on_the_ingress(held: Reservation, rows: _Rows, *, off: bool) -> Wait:
    """it is to be put on, or taken off, where it enters."""
    request, router = held.request, held.request.source_link.interface.router
    going = "be taken off" if off else "go on"
    queue = rows.queues.get(router.pk)
    if held.waits_for:
        person = not held.held_cause
        if held_until(held.held_cause) is not None:
            again = " It is tried again by itself in a few minutes."
        else:
            again = (
                "" if person else " It is also tried again by itself when the router shows something else."
            )
        return Wait(
            held.waits_for + again,
            f"the router it enters at does not take it as it is; the NOC looks into it before it can {going}",
            person=True,
            retry=True,
        )
    change = rows.changes.get(request.pk)
    if change is not None and not _given_up(change, router.pk):
        return _with_change(change, held, rows, queue, going)
    if queue is not None and queue.waits_for:
        person = needs_person(queue)
        then = "the NOC looks into it" if person else "it is tried again by itself"
        return Wait(
            queue.waits_for,
            f"the router it enters at cannot be worked on at the moment; {then}",
            person=person,
            retry=person,
        )
    if not off and request.start > rows.now:
        return _same(f"its window begins {instant_text(request.start)}")
    first = rows.first.get(router.pk)
    if first is not None:
        before = _with_change(first, held, rows, queue, going)
        return Wait(
            f"it is planned after {first.reference} on {router.name}: {before.text}",
            f"what is to be done before it where it enters comes first; then it is planned and can {going}",
            person=before.person,
            change=first.pk,
        )
    look = queue.look_at if queue is not None and queue.marked_at is None else None
    when = f" at {instant_text(look)}" if look is not None and look > rows.now else " next"
    return Wait(
        f"nobody has planned it yet: the work of {router.name} is looked at{when}",
        f"it is planned next; then the NOC approves what is sent, and it can {going}",
    )


def _given_up(change: Change, router: int) -> bool:
    """Whether nothing more of a change is sent to a router: it holds a state that nobody approved, and is planned anew."""
    return any(push.router_id == router and push.error_code == UNRECOGNISED for push in change.pushes.all())


def _with_change(
    change: Change, held: Reservation, rows: _Rows, queue: RouterQueue | None, going: str
) -> Wait:
    router = held.request.source_link.interface.router
    name = change.reference
    states = {push.state for push in change.pushes.all() if push.router_id == router.pk}
    if PushState.UNKNOWN in states and not states & {PushState.PUSHING, PushState.PUSHED}:
        unread = f"{name} stopped half way on {router.name}, and what it holds is not known until it is read"
        return Wait(
            f"{unread}; nothing goes on: {rows.no_push}" if rows.no_push else unread,
            "sending it broke off half way; the router is read again before anything goes on"
            if not rows.no_push
            else "sending it broke off half way, and the NOC sends nothing at the moment",
            person=bool(rows.no_push),
            change=change.pk,
        )
    if states.intersection(UNSURE) and rows.no_push:
        return Wait(
            f"{name} was begun on {router.name} and does not go on: {rows.no_push}",
            "sending it was begun, and the NOC sends nothing at the moment; it is half way until then",
            person=True,
            change=change.pk,
        )
    if states.intersection(UNSURE):
        return Wait(
            f"{name} is being sent to {router.name}", "it is being sent to the routers", change=change.pk
        )
    if change.approved_at is None:
        other = f". It has other lines than approved ahead: {_first(change)}" if change.ahead_why else ""
        return Wait(
            f"{name} waits for approval: {'; '.join(missing_of(change, people=rows.people))}{other}",
            f"it is planned and waits for the NOC to approve; then it can {going}",
            person=True,
            change=change.pk,
        )
    if why := why_held(change, rows.now):
        opens = change.paused_at is None and not window_over(change, rows.now)
        return Wait(
            why.rstrip("."),
            f"it is approved; the NOC holds what is sent, then it can {going}",
            person=not opens,
            change=change.pk,
        )
    if change.due_at is not None and change.due_at > rows.now:
        return Wait(
            f"{name} is approved and is sent at {instant_text(change.due_at)}",
            f"it is planned and approved, and is sent at {instant_text(change.due_at)}",
            change=change.pk,
        )
    if rows.no_push:
        return Wait(
            f"{name} is approved and not sent: {rows.no_push}",
            f"it is approved; the NOC sends nothing at the moment, then it can {going}",
            person=True,
            change=change.pk,
        )
    if queue is not None and queue.waits_for:
        return Wait(
            queue.waits_for,
            "it is approved and waits until what was there before it is off the routers, or until they can be worked on",
            change=change.pk,
        )
    return Wait(
        f"{name} is approved: workers read {router.name} again and send it",
        f"it is approved and can {going} any moment",
        change=change.pk,
    )


def _first(change: Change) -> str:
    """The first of what differs from what was approved ahead, and how much more does."""
    first, *more = change.ahead_why.splitlines()
    return f"{first} (and {len(more)} more)" if more else first


def _same(text: str, *, person: bool = False) -> Wait:
    return Wait(text, text, person=person)
