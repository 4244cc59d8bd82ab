"""What waits, and the one sentence that says for what."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from django.db import transaction

from provisioning.models import SYSTEM, Actor, PremiumRequest, Reservation, RouterQueue
from provisioning.selectors.queues import UNTIL
from provisioning.services import audit, pairs
from provisioning.services.locking import locked

LONGEST = 2000
TOLD = "the router it enters at does not take it as it is; the NOC looks into it"
"""What everybody may read; the sentence itself may speak of what others have on the router (`after` of the event)."""


def until(moment: datetime) -> str:
    """The cause of what is held out for a while only, whatever the router shows meanwhile."""
    return f"{UNTIL}{moment.astimezone(UTC).isoformat()}"


def hold_out(requests: Iterable[PremiumRequest], sentence: str, *, cause: str, actor: Actor = SYSTEM) -> None:
    """Keep requests out of the router's plans until `cause` is another (empty: until a person has them planned again;
    `until`: for a while).
    """
    said = sentence[:LONGEST]
    for request in requests:
        with transaction.atomic():
            before = locked(Reservation.objects.filter(request=request)).first()
            if before is None or (before.waits_for, before.held_cause) == (said, cause):
                continue
            Reservation.objects.filter(pk=before.pk).update(waits_for=said, held_cause=cause)
            audit.record(
                actor=actor,
                action="request.held-out",
                obj=request,
                reason=TOLD,
                before={"waits_for": before.waits_for},
                after={"waits_for": said},
                nren_ids=pairs.concerned(request),
            )


def lock_reservations(requests: Iterable[PremiumRequest | int]) -> None:
    """Lock the reservations of these requests, in key order: before the changes that carry them."""
    keys = [each if isinstance(each, int) else each.pk for each in requests]
    list(locked(Reservation.objects.filter(request__in=keys).order_by("pk")).values_list("pk"))


def let_in(requests: Iterable[PremiumRequest]) -> None:
    """They are planned (or done): nothing keeps them out any more."""
    Reservation.objects.filter(request__in=[each.pk for each in requests]).exclude(waits_for="").update(
        waits_for="", held_cause=""
    )


def say(queue: RouterQueue, sentence: str) -> None:
    """What the whole queue waits for; empty when nothing keeps it."""
    RouterQueue.objects.filter(pk=queue.pk).exclude(waits_for=sentence[:LONGEST]).update(
        waits_for=sentence[:LONGEST]
    )
