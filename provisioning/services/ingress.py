"""What is on a router of the requests that enter there, as it was seen: by a push that was verified, or by reading."""

from __future__ import annotations

from django.db.models.functions import Now

from inventory.models import Router
from provisioning.models import Change, Reservation
from provisioning.services import terms


def note_seen(change: Change, router: Router) -> None:
    """Note that the router was seen as this change has it: what it puts on there is on, what it takes off is off.

    To be called inside the transaction that says VERIFIED; after `terms.lock_for` where it changes what is on.
    """
    terms.seen(change, router)
    entering = Reservation.objects.filter(
        request__changes=change, request__source_link__interface__router=router
    )
    fresh = {"waits_for": "", "held_cause": "", "alone": False}
    off = [int(pk) for pk in change.takes_off]
    on = entering.exclude(request__in=off).filter(put_on_at__isnull=True)
    Reservation.objects.filter(pk__in=list(on.values_list("pk", flat=True))).update(put_on_at=Now(), **fresh)
    gone = entering.filter(request__in=off, taken_off_at__isnull=True)
    Reservation.objects.filter(pk__in=list(gone.values_list("pk", flat=True))).update(
        taken_off_at=Now(), **fresh
    )
