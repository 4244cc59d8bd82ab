"""ACTIVE means seen on every router concerned, COMPLETED seen gone; verification calls these, nobody else
does.
"""

from __future__ import annotations

from django.db import transaction

from provisioning.errors import Conflict
from provisioning.models import SYSTEM, Actor, Change, PremiumRequest, Reservation, RouterPush
from provisioning.pipeline.states import RequestState
from provisioning.selectors.pushing import BEGUN
from provisioning.services import clock, transitions
from provisioning.services.charging import release_reservation
from provisioning.services.locking import locked


def activate(
    *, request: PremiumRequest, reason: str = "seen on every router concerned", actor: Actor = SYSTEM
) -> PremiumRequest:
    """ADMITTED -> ACTIVE, the sighting dated; raises StaleState when it is not ADMITTED any more."""
    with transaction.atomic():
        _lock(request)
        Reservation.objects.filter(request_id=request.pk).update(seen_on_at=clock.now())
        return transitions.move(
            model=PremiumRequest,
            pk=request.pk,
            from_states=(RequestState.ADMITTED,),
            to_state=RequestState.ACTIVE,
            actor=actor,
            reason=reason,
        )


def complete(
    *, request: PremiumRequest, reason: str = "seen gone from every router concerned", actor: Actor = SYSTEM
) -> PremiumRequest:
    """WITHDRAWN or EXPIRED -> COMPLETED, and only now its capacity is free again.

    Raises StaleState in any other state and Conflict for a request that was never admitted: nothing of it was
    ever there. Of two settlers that saw the same thing, the slower is told StaleState.
    """
    with transaction.atomic():
        _lock(request)
        released = release_reservation(request.pk, now=clock.now())
        row = transitions.move(
            model=PremiumRequest,
            pk=request.pk,
            from_states=(RequestState.WITHDRAWN, RequestState.EXPIRED),
            to_state=RequestState.COMPLETED,
            actor=actor,
            reason=reason,
        )
        if not released:
            raise Conflict(f"{request.reference} holds nothing that could be released")
    return row


def never_provide(*, request: PremiumRequest, actor: Actor = SYSTEM) -> PremiumRequest:
    """WITHDRAWN or EXPIRED -> NEVER_PROVIDED with the reason why it was never put on; its capacity is free again.

    Raises StaleState in any other state, and Conflict when it was on its ingress, or a push may be putting it there.
    """
    with transaction.atomic():
        _lock(request)
        held = locked(Reservation.objects.filter(request_id=request.pk)).get()
        reason = _why_never(request, held)
        # The NRENs read the reason of an event; what a router said stays with those who see everything.
        told = reason.partition(":")[0] if held.waits_for else reason
        begun = RouterPush.objects.filter(BEGUN, change__requests=request.pk)
        if begun.exists() or held.put_on_at is not None:
            raise Conflict(f"{request.reference} is, or may be, on a router", field="state")
        Reservation.objects.filter(pk=held.pk).update(waits_for=reason)
        released = release_reservation(request.pk, now=clock.now())
        row = transitions.move(
            model=PremiumRequest,
            pk=request.pk,
            from_states=(RequestState.WITHDRAWN, RequestState.EXPIRED),
            to_state=RequestState.NEVER_PROVIDED,
            actor=actor,
            reason=told,
        )
        if not released:
            raise Conflict(f"{request.reference} holds nothing that could be released")
    return row


def _lock(request: PremiumRequest) -> None:
    list(locked(PremiumRequest.objects.filter(pk=request.pk)).values_list("pk"))


def _why_never(row: PremiumRequest, held: Reservation) -> str:
    """Why a reservation was never seen on its ingress, as far as the rows say."""
    sent = (
        RouterPush.objects.filter(change__requests=row, started_at__isnull=False)
        .order_by("-started_at")
        .first()
    )
    if sent is not None and row.pk not in sent.change.takes_off:
        ended = "it was withdrawn" if row.state == RequestState.WITHDRAWN else "its window was over"
        return (
            f"{ended} before it was seen on a router; lines for it were sent, did not come out as approved and may have let it in"
            f" until they were taken off: {sent.change.reference}"
        )
    if row.state == RequestState.WITHDRAWN:
        return "it was withdrawn before it was put on a router"
    if held.waits_for:
        return f"its window is over and it was never put on: {held.waits_for}"
    last = Change.objects.filter(requests=row).order_by("-pk").first()
    if last is None:
        return "its window is over and it was never put on: nothing was planned for it while it lasted"
    if last.approved_at is None:
        return f"its window is over and it was never put on: {last.reference} was not approved in time"
    states = sorted({push.state.lower().replace("_", " ") for push in last.pushes.all()})
    return f"its window is over and it was never put on: {last.reference} is {', '.join(states)}"
