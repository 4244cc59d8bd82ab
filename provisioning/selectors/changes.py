"""Changes and pushes as people ask for them: the derived state, what waits, what is overdue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from provisioning.errors import NotVisible
from provisioning.models import Actor, Change, ChangeKind, PremiumRequest, RouterPush
from provisioning.pipeline.states import ChangeState, PushState, RequestState, change_state
from provisioning.selectors import turns
from provisioning.selectors.since import with_what_came_since
from provisioning.selectors.steering import window_over

# The code of a push whose router holds a state that nobody approved: nothing more is sent to it by itself.
UNRECOGNISED = "unrecognised"
ANSWERED = "answered"
"""In what is known of a push that was taken back: how many of its lines had been answered."""
BARE = "interface-bare"
"""Of a push that is UNKNOWN: a swap left an interface without a policy. It is tried again by itself."""


def answered(push: RouterPush) -> int:
    """How many of its lines were answered, before they were taken back too; a query may bring it along as `came`."""
    if push.state in {PushState.VERIFIED, PushState.PUSHED}:
        return push.line
    came = push.came if hasattr(push, "came") else (push.verification or {}).get(ANSWERED)
    return push.line if came is None else int(came)


def all_changes() -> QuerySet[Change]:
    """Every change, newest first, with what its state is derived from."""
    return Change.objects.select_related(
        "submitted_by", "approved_by", "released_by", "paused_by"
    ).prefetch_related("pushes__router", "requests", "approvals__user", "approvals__carried_from")


def for_actor(actor: Actor) -> QuerySet[Change]:
    """The changes somebody may see: the NOC and auditors all, an NREN those that carry out its own requests."""
    if actor.sees_everything:
        return all_changes()
    # Looked for of each change, not joined: a page of them reads no others.
    own = Change.requests.through.objects.filter(
        change=OuterRef("pk"), premiumrequest__nren_id__in=actor.nren_ids
    )
    return all_changes().filter(Exists(own))


def by_reference(reference: str | int) -> Change:
    """The change called "12" or "CHG-12"; raises NotVisible."""
    text = str(reference).strip().upper().removeprefix("CHG-")
    found = all_changes().filter(pk=int(text)).first() if text.isdecimal() and len(text) < 19 else None
    if found is None:
        raise NotVisible(f"There is no change {str(reference)!r:.40}.")
    return found


def state_of(change: Change) -> ChangeState:
    """What a change says of all its routers together.

    A router with nothing to send was settled by reading when it was planned; beside one that waits for its lines it
    has no say, or a plan nobody has approved would look half done. One that is still being planned has no routers yet.
    """
    pushes = list(change.pushes.all())
    planning = planning_of(change)
    if planning is not None:
        return ChangeState.FAILED if planning.error else ChangeState.PLANNING
    return change_state(
        push.state for push in [push for push in pushes if not settled_by_reading(push)] or pushes
    )


@dataclass(frozen=True, slots=True)
class Planning:
    """How far a plan is that somebody asked for: `read` of `routers` routers, or why it could not be made (`error`)."""

    read: int
    routers: int
    error: str = ""


def planning_of(change: Change) -> Planning | None:
    """How far the plan of a change is that somebody asked for; None once it is made."""
    asked = change.asked
    if change.planned_at is not None or not asked:
        return None
    return Planning(asked.get("read", 0), len(asked.get("routers", ())), asked.get("error", ""))


def put_on_by(change: Change) -> list[PremiumRequest]:
    """The requests that a change puts on, oldest first."""
    other = {int(pk) for pk in (*change.takes_off, *change.modifies)}
    return sorted((each for each in change.requests.all() if each.pk not in other), key=lambda each: each.pk)


def changed_by(change: Change) -> list[PremiumRequest]:
    """The requests that are on and that a change has become something else, oldest first."""
    keys = {int(pk) for pk in change.modifies}
    return sorted((each for each in change.requests.all() if each.pk in keys), key=lambda each: each.pk)


def taken_off_by(change: Change) -> list[PremiumRequest]:
    """The requests that a change takes off, oldest first."""
    off = {int(pk) for pk in change.takes_off}
    return sorted((each for each in change.requests.all() if each.pk in off), key=lambda each: each.pk)


def settled_by_reading(push: RouterPush) -> bool:
    """Whether a router held all of the plan already: it was read, and nothing had to be sent."""
    return push.state == PushState.VERIFIED and push.lines == 0


def is_overdue(change: Change, now: datetime | None = None) -> bool:
    """Whether what this change puts on or takes off should be done already and nobody's word has let it go yet."""
    if change.kind not in (ChangeKind.RESERVATION, ChangeKind.REMOVAL) or change.finished_at is not None:
        return False
    if change.approved_at is not None or not any(
        push.state in (PushState.PLANNED, PushState.UNKNOWN) for push in change.pushes.all()
    ):
        return False
    moment = now or timezone.now()
    return any(is_due(request, change, moment) for request in change.requests.all())


def is_due(request: PremiumRequest, change: Change, now: datetime) -> bool:
    """Whether the time has come for what a change does for this request: its window has begun, or it is over."""
    if request.pk in change.takes_off:
        ended = request.end is not None and request.end <= now
        return ended or request.state in (RequestState.WITHDRAWN, RequestState.EXPIRED)
    if str(request.pk) in change.modifies:
        return request.state in (RequestState.ADMITTED, RequestState.ACTIVE)
    return request.state == RequestState.ADMITTED and request.start <= now


def pushes_of(change: Change) -> list[RouterPush]:
    """The pushes in the order in which they are sent."""
    rows = change.pushes.select_related("router", "before", "after", "stored_plan")
    return list(with_what_came_since(rows.defer("stored_plan__content").order_by("position", "pk")))


def progress_of(change: int) -> tuple[Change, list[RouterPush]]:
    """A change by its key and its pushes, in the order in which they are sent, with no more of them than says how far each is:
    to be asked for again and again. Neither configurations nor plans are read.
    """
    said = ("change", "router__name", "phase", "position", "state", "undo_from", "line", "lines", "error")
    pushes = RouterPush.objects.filter(change=change).select_related("router")
    return Change.objects.get(pk=change), list(pushes.only(*said, "verification").order_by("position", "pk"))


def is_idle(push: RouterPush) -> bool:
    """Whether a push has no line to send and nothing in the way; one that was not read is never idle."""
    return push.has_plan and not push.lines and not push.conflicts


def said_of_idle(pushes: list[RouterPush]) -> list[tuple[str, str]]:
    """(router, warning) of routers with nothing to send, where none that is sent something says the same: a guaranteed
    service rests on the routes of every router it crosses.
    """
    said = {text for push in pushes if push.lines for text in push.stored_plan.warnings}
    found: list[tuple[str, str]] = []
    for push in pushes:
        if not is_idle(push):
            continue
        found += [(push.router.name, text) for text in push.stored_plan.warnings if text not in said]
        said |= set(push.stored_plan.warnings)
    return found


def is_over(change: Change) -> bool:
    """Whether nothing more will happen to a change by itself: it is finished, a person holds it, or a router of it waits for a
    new plan; and no other router is being sent to, or may be.
    """
    if change.finished_at is not None:
        return True
    now = timezone.now()
    given_up = Q(state=PushState.UNKNOWN, error_code=UNRECOGNISED)
    phases = set(change.pushes.filter(given_up).values_list("phase", flat=True))
    held = change.paused_at is not None or window_over(change, now)
    if not (phases or held):
        return False
    under_way = (PushState.PUSHING, PushState.PUSHED, PushState.UNKNOWN)
    if change.pushes.filter(state__in=under_way).exclude(given_up).exists():
        return False
    rows = turns.rows_of(change)
    return held or not any(turns.ready(change, rows, phase, (), now) for phase in phases)
