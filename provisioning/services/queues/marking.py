"""When the queue of a router is looked at: after an event that marks it, or at an instant it named itself.

A mark is a hint, not the truth: what is to be done follows from the rows of requests and changes. Every hour all queues
are marked, so that an event that nobody marked delays for an hour at most, and is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from inventory.models import Router
from provisioning.errors import Conflict
from provisioning.models import Actor, ChangeKind, PremiumRequest, Reservation, RouterPush, RouterQueue, Verb
from provisioning.pipeline.states import RequestState
from provisioning.selectors.authority import permit
from provisioning.selectors.queues import needs_person
from provisioning.services import audit, pairs
from provisioning.services.closing import OVER
from provisioning.services.locking import locked
from provisioning.services.wording import reason_text

RECENT = timedelta(hours=1)
COMMITTING = timedelta(seconds=10)
"""How long a transaction may take from the instant it writes down to its COMMIT: a look that began in between has not seen
what it wrote, so there is one more after that."""
_CHANGES_WORK = (RequestState.ADMITTED, RequestState.WITHDRAWN, RequestState.EXPIRED)


def mark(routers: Iterable[int]) -> None:
    """Say that the work of these routers (their keys) is to be looked at; safe to repeat."""
    # Of a router that was retired nothing is to be done; what names it still may have ended since.
    keys = list(Router.objects.filter(pk__in=set(routers)).order_by("pk").values_list("pk", flat=True))
    RouterQueue.objects.bulk_create([RouterQueue(router_id=pk) for pk in keys], ignore_conflicts=True)
    RouterQueue.objects.filter(router_id__in=keys).update(marked_at=Now())


def mark_waiting(routers: Iterable[int]) -> None:
    """As `mark`, of those of the routers in whose queue there is anything: what happened on a router asks nothing of one in
    which nothing is. Who puts something into it says so itself.
    """
    keys = Router.objects.filter(_anything_in_queue("pk"), pk__in=set(routers)).values_list("pk", flat=True)
    if found := list(keys):
        mark(found)


def mark_changed(now: datetime) -> None:
    """Mark the queues in which a request changed, or in which something is and a push ended, lately, and which were not looked
    at since.

    A bounded number of statements, however many there are.
    """
    moved = PremiumRequest.objects.filter(
        state__in=_CHANGES_WORK, state_changed_at__gt=now - RECENT, reservation__isnull=False
    )
    router = "source_link__interface__router"
    missing = moved.filter(**{f"{router}__queue__isnull": True}).values_list(router, flat=True).distinct()
    mark(missing)
    newer = moved.filter(_unseen(f"{router}__queue__worked_at", now)).values(router)
    RouterQueue.objects.filter(marked_at__isnull=True, router__in=newer).update(marked_at=Now())
    ended = RouterPush.objects.filter(state__in=OVER, state_changed_at__gt=now - RECENT)
    routers = ended.filter(_unseen("router__queue__worked_at", now)).values("router")
    waiting = RouterQueue.objects.filter(_anything_in_queue("router_id"), marked_at__isnull=True)
    waiting.filter(router__in=routers).update(marked_at=Now())


def _anything_in_queue(router: str) -> Q:
    """Of rows whose `router` this is: a request enters there that is charged and was not seen gone, or a plan that follows
    requests is not over. Of nothing else is a queue made (`queues.reading`).
    """
    entering = Reservation.objects.filter(
        released_at__isnull=True,
        taken_off_at__isnull=True,
        request__source_link__interface__router=OuterRef(router),
    )
    plans = RouterPush.objects.filter(
        router=OuterRef(router),
        change__kind__in=(ChangeKind.RESERVATION, ChangeKind.REMOVAL),
        change__finished_at__isnull=True,
    )
    return Q(Exists(entering)) | Q(Exists(plans))


def _unseen(worked_at: str, now: datetime) -> Q:
    """What changed after the last look at its queue, or so shortly before that the look may have missed it."""
    missed = Q(**{f"{worked_at}__lte": now - COMMITTING}, state_changed_at__gte=F(worked_at) - COMMITTING)
    return Q(**{f"{worked_at}__isnull": True}) | Q(state_changed_at__gte=F(worked_at)) | missed


def due(now: datetime) -> QuerySet[RouterQueue]:
    """The queues that are to be looked at, the longest marked first."""
    waiting = RouterQueue.objects.filter(
        Q(marked_at__isnull=False) | Q(look_at__lte=now), router__retired_at=None
    )
    return waiting.order_by(F("marked_at").asc(nulls_last=True), "look_at", "pk")


def done(queue: RouterQueue, *, began: datetime, look_at: datetime | None) -> None:
    """Note that the queue was looked at as it stood at `began`; a mark set meanwhile stays, and one set shortly before has
    it looked at once more.
    """
    once_more = began + COMMITTING
    mine = RouterQueue.objects.filter(pk=queue.pk)
    mine.update(worked_at=began, look_at=look_at)
    mine.filter(Q(look_at__isnull=True) | Q(look_at__gt=once_more), marked_at__gt=began - COMMITTING).update(
        look_at=once_more
    )
    mine.filter(marked_at__lte=began).update(marked_at=None)


def look_again(router: Router, at: datetime) -> None:
    """Have the queue of a router looked at then, or earlier where it was to be looked at earlier."""
    queue, _made = RouterQueue.objects.get_or_create(router=router)
    RouterQueue.objects.filter(pk=queue.pk).filter(Q(look_at__isnull=True) | Q(look_at__gt=at)).update(
        look_at=at
    )


def retry(*, actor: Actor, request: PremiumRequest, reason: str) -> PremiumRequest:
    """Have a request planned again that waits for a person, or whose router's queue does.

    Raises NotPermitted, Conflict when it does not wait, or is over.
    """
    permit(actor, Verb.PLAN)
    why = reason_text(reason)
    router = request.source_link.interface.router_id
    with transaction.atomic():
        held = locked(Reservation.objects.filter(request=request)).first()
        if held is None or held.released_at is not None:
            raise Conflict(f"{request.reference} has nothing that could be planned", field="state")
        queue = RouterQueue.objects.filter(router=router).first()
        before = held.waits_for or (queue.waits_for if queue is not None and needs_person(queue) else "")
        if not before:
            raise Conflict(f"{request.reference} does not wait for anybody", field="state")
        Reservation.objects.filter(pk=held.pk).update(waits_for="", held_cause="")
        audit.record(
            actor=actor,
            action="request.retry",
            obj=request,
            reason=why,
            before={"waits_for": before},
            after={"waits_for": ""},
            nren_ids=pairs.concerned(request),
        )
    mark([router])
    RouterQueue.objects.filter(router=router).update(tries=0, waits_for="")
    return request
