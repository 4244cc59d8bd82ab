"""What the end of a push means for the requests it carried: planned again, tried one by one, or held out for a person."""

from __future__ import annotations

from django.db.models import F

from provisioning.models import PremiumRequest, Reservation, RouterPush, RouterQueue
from provisioning.pipeline.change import PushState
from provisioning.selectors.changes import UNRECOGNISED
from provisioning.selectors.queues import MOVES, STALE_IN_A_ROW
from provisioning.services import clock, intents, queues
from provisioning.services.patience import First, pause_after
from provisioning.services.resolution import OVER


def follow(push: RouterPush) -> None:
    """Do what follows for the queue of the router; the push is decided, its router was read since.

    A router that had moved is planned anew. What was refused or not reached does not come again by itself with the same
    lines: several requests are tried one by one, and one that fails alone waits for a person.
    """
    state = PushState(push.state)
    queue = RouterQueue.objects.filter(router=push.router)
    given_up = state is PushState.UNKNOWN and push.error_code == UNRECOGNISED
    if state not in OVER and not given_up:
        return
    if push.change.kind in intents.FOLLOWS_REQUESTS:
        if state is PushState.VERIFIED:
            queue.update(tries=0, waits_for="")
        elif state is PushState.STALE:
            count_stale(push)
        elif state is PushState.FAILED:
            # Nothing was sent, and the router may show the very same ever after: it is tried again later, each time later.
            count_stale(push)
            tries = queue.values_list("tries", flat=True).first() or 1
            pause = pause_after(First.NOT_SENT, tries)
            queues.hold_out(_carried(push), _sentence(push), cause=queues.until(clock.now() + pause))
        elif state is not PushState.CANCELLED:
            _hold_out(push)
    queues.mark([push.router_id])


def count_stale(push: RouterPush) -> None:
    """One more plan in a row that ended before its first line; after so many a person has to look at the router."""
    queues.mark([push.router_id])  # makes the row where there is none yet
    queue = RouterQueue.objects.filter(router=push.router)
    queue.update(tries=F("tries") + 1)
    if queue.filter(tries__gte=STALE_IN_A_ROW).exists():
        queue.update(
            waits_for=f"{MOVES}: {STALE_IN_A_ROW} plans in a row ended before their first line, the last was "
            f"{push.change.reference} ({push.error}). Somebody has to look who changes {push.router.name}, then have a "
            "request of it planned again."
        )


def _hold_out(push: RouterPush) -> None:
    """One by one where several failed together; a single one waits until somebody has mended what refused it."""
    mine = _carried(push)
    if len(mine) > 1 and not all(row.reservation.alone for row in mine):
        Reservation.objects.filter(request__in=[row.pk for row in mine]).update(alone=True)
        return
    queues.hold_out(mine, f"{_sentence(push)} Mend that, then have it planned again.", cause="")


def _carried(push: RouterPush) -> list[PremiumRequest]:
    """The requests of the change that enter at the router of this push."""
    return list(
        push.change.requests.filter(source_link__interface__router=push.router_id).select_related(
            "reservation"
        )
    )


def _sentence(push: RouterPush) -> str:
    what = push.state.lower().replace("_", " ")
    return f"{push.change.reference} ended {what} on {push.router.name}: {push.error.rstrip('.')}."
