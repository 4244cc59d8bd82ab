"""ACTIVE means seen on every router concerned, COMPLETED seen gone; verification calls these, nobody else
does.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from provisioning.errors import Conflict
from provisioning.models import SYSTEM, Actor, PremiumRequest, Reservation
from provisioning.pipeline.change import RequestState
from provisioning.services import transitions
from provisioning.services.charging import release_reservation
from provisioning.services.locking import locked


def activate(
    *, request: PremiumRequest, reason: str = "seen on every router concerned", actor: Actor = SYSTEM
) -> PremiumRequest:
    """ADMITTED -> ACTIVE, the sighting dated; raises StaleState when it is not ADMITTED any more."""
    with transaction.atomic():
        _lock(request)
        Reservation.objects.filter(request_id=request.pk).update(seen_on_at=timezone.now())
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
        released = release_reservation(request.pk, now=timezone.now())
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


def _lock(request: PremiumRequest) -> None:
    list(locked(PremiumRequest.objects.filter(pk=request.pk)).values_list("pk"))
