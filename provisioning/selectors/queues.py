"""The queue of work of each router as people ask for it: what is to be done there, what waits, and for whom (ADR 16)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from inventory.models import Router
from provisioning.models import Change, ChangeKind, Modification, PremiumRequest, Reservation, RouterQueue
from provisioning.pipeline.states import ModificationState, PushState, RequestState

STALE_IN_A_ROW = 5
"""After so many plans that ended before their first line a person has to look why."""
MOVES = "the router moves"
UNTIL = "until "
"""So begins the cause of what is held out for a while only; the moment follows."""
ON = (RequestState.ADMITTED, RequestState.ACTIVE)
"""States in which a request is to be on its routers while its window lasts."""
OVER = (RequestState.WITHDRAWN, RequestState.EXPIRED)
"""States in which it is to come off, or was never on."""


@dataclass(frozen=True, slots=True)
class QueueView:
    """The queue of one router: `due` are the requests that are to be put on or taken off now, `held_out` those that are
    kept out of its plans, `plans` the changes that carry requests and are not over. `needs_person`: see `needs_person`.
    """

    row: RouterQueue | None
    due: tuple[PremiumRequest, ...]
    held_out: tuple[Reservation, ...]
    plans: tuple[Change, ...]
    needs_person: bool


def needs_person(queue: RouterQueue) -> bool:
    """Whether nothing is planned for a router until somebody has looked why its plans go out of date."""
    return queue.tries >= STALE_IN_A_ROW and queue.waits_for.startswith(MOVES)


def held_until(cause: str) -> datetime | None:
    """The moment until which something is held out; None where the cause is another."""
    return datetime.fromisoformat(cause.removeprefix(UNTIL)) if cause.startswith(UNTIL) else None


def held_out() -> QuerySet[Reservation]:
    """The reservations that are kept out of the plans of their router, the longest granted first."""
    return (
        Reservation.objects.exclude(waits_for="")
        .filter(released_at__isnull=True)
        .select_related("request__nren", "request__source_link__interface__router")
        .order_by("pk")
    )


def waiting() -> QuerySet[RouterQueue]:
    """The queues that wait for something, the router's name first."""
    return (
        RouterQueue.objects.filter(router__retired_at=None)
        .exclude(waits_for="")
        .select_related("router")
        .order_by("router__name")
    )


def entering(router: Router) -> QuerySet[PremiumRequest]:
    """The requests that enter at this router, are charged, and were not seen gone from it."""
    return PremiumRequest.objects.filter(
        source_link__interface__router=router,
        reservation__isnull=False,
        reservation__released_at__isnull=True,
        reservation__taken_off_at__isnull=True,
    )


def to_put_on(*, now: datetime, until: datetime) -> Q:
    """Of those that enter: which were not seen on yet, begin by `until`, and are not over at `now`."""
    comes = Q(end__isnull=True) | Q(end__gt=now)
    return comes & Q(state=RequestState.ADMITTED, reservation__put_on_at__isnull=True, start__lte=until)


def to_take_off(*, until: datetime) -> Q:
    """Of those that enter: which are on, and over or at their end by `until`."""
    ends = Q(state__in=OVER) | Q(state__in=ON, end__lte=until)
    return Q(reservation__put_on_at__isnull=False) & ends


def to_change(*, now: datetime) -> Q:
    """Of those that enter: which are on, and were granted something else that no router was seen with yet."""
    stays = Q(end__isnull=True) | Q(end__gt=now)
    granted = Modification.objects.filter(request=OuterRef("pk"), state=ModificationState.ADMITTED)
    return stays & Q(Exists(granted), state__in=ON, reservation__put_on_at__isnull=False)


def work_due(router: Router, now: datetime) -> QuerySet[PremiumRequest]:
    """The requests that are to be on this router now and were not seen on it, or are over and were not seen gone."""
    return (
        entering(router)
        .filter(to_put_on(now=now, until=now) | to_take_off(until=now) | to_change(now=now))
        .select_related("reservation", "nren", "receiving_nren", "source_link__interface__router")
        .order_by("start", "pk")
    )


def plans_of(router: Router) -> QuerySet[Change]:
    """The changes that carry requests to this router and are not over, oldest first."""
    return _plans().filter(pushes__router=router, pushes__state__in=_NOT_OVER).distinct()


def due_plans_of(routers: Collection[int], now: datetime) -> Iterator[tuple[int, Change]]:
    """The changes that carry requests to these routers (their keys), are due and not over, oldest first, each by router."""
    due = Q(due_at__isnull=True) | Q(due_at__lte=now)
    for change in _plans().filter(due, pushes__router__in=routers, pushes__state__in=_NOT_OVER).distinct():
        for push in change.pushes.all():
            if push.router_id in routers and push.state in _NOT_OVER:
                yield push.router_id, change


def _plans() -> QuerySet[Change]:
    return (
        Change.objects.filter(kind__in=(ChangeKind.RESERVATION, ChangeKind.REMOVAL), finished_at__isnull=True)
        .prefetch_related("requests", "approvals", "pushes__router")
        .order_by("pk")
    )


_NOT_OVER = (
    PushState.PLANNED,
    PushState.APPROVED,
    PushState.PUSHING,
    PushState.PUSHED,
    PushState.UNKNOWN,
)


def queue_of(router: Router, now: datetime) -> QueueView:
    """The queue of one router as its page shows it."""
    row = RouterQueue.objects.filter(router=router).first()
    return QueueView(
        row=row,
        due=tuple(work_due(router, now).filter(reservation__waits_for="")),
        held_out=tuple(held_out().filter(request__source_link__interface__router=router)),
        plans=tuple(plans_of(router)),
        needs_person=row is not None and needs_person(row),
    )
