"""What follows from the end of a push: the rest of its change, the standing of its router, its requests, its queue.

A request that it carried is planned again, tried one by one, or held out for a person. The end of a push says in its
own transaction that this is due, so whoever finds it due does it: the worker of the push, or a job when that one died.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import F

from inventory.models import Router
from provisioning.models import Change, PremiumRequest, Reservation, RouterPush, RouterQueue
from provisioning.pipeline.change import Phase
from provisioning.pipeline.ends import NOT_STARTED
from provisioning.pipeline.states import PushState
from provisioning.pipeline.waves import later_than
from provisioning.selectors.changes import BARE
from provisioning.selectors.ends import end_of_push
from provisioning.selectors.queues import MOVES, STALE_IN_A_ROW
from provisioning.selectors.steering import members, waves_of
from provisioning.selectors.turns import rows_of
from provisioning.services import clock, intents, queues, verifying
from provisioning.services.closing import OVER, close_if_over
from provisioning.services.locking import locked
from provisioning.services.patience import First, pause_after
from provisioning.services.pushing import recording

ENDED_BADLY = OVER - {PushState.VERIFIED}
_ENDED = [
    "state",
    "error",
    "error_code",
    "undo_from",
    "line",
    "saved",
    "started_at",
    "finished_at",
    "follow_up_due",
]
"""What the end of a push writes beside large values that nothing here reads."""


def follow_up(push: RouterPush) -> None:
    """Do what follows from the end of a push, if that is still due; its last part, which counts, is done once.

    What depends on a push that ended badly is cancelled, and nothing else of its change. Raises whatever a database that is
    gone raises: then it stays due.
    """
    push.refresh_from_db(fields=_ENDED)
    if not push.follow_up_due:
        return
    state = PushState(push.state)
    if state in ENDED_BADLY:
        said = f"{push.router.name} {state.value.lower().replace('_', ' ')}: {push.error}"
        with transaction.atomic():
            cancel_dependants(push, said)
    if (state in ENDED_BADLY or state is PushState.UNKNOWN) and push.router.retired_at is None:
        verifying.verify_router(router=push.router)
    if state in OVER:
        verifying.settle_requests(routers=[push.router.name])
    if push.change.kind not in intents.FOLLOWS_REQUESTS:
        queues.mark_waiting([push.router_id])
        _take(push)
        push.refresh_from_db(fields=["follow_up_due"])
        return
    queues.mark([push.router_id])
    with transaction.atomic():
        queues.lock_reservations(push.change.requests.all())
        lock_queues([push.router_id])
        if _take(push):
            _follow(push)
    push.refresh_from_db()


def _take(push: RouterPush) -> bool:
    """Take what follows from this very end of a push, once. A recovery may have ended it otherwise meanwhile: what follows from
    that stays due.
    """
    this_end = RouterPush.objects.filter(pk=push.pk, state=push.state, error_code=push.error_code)
    return bool(this_end.filter(follow_up_due=True).update(follow_up_due=False))


def cancel_dependants(push: RouterPush, reason: str) -> None:
    """Cancel what waits for a push that ended badly: the later phases, all of them, and the later waves of its own where lines
    were sent to its router. Closes the change when nothing of it is under way. Inside the transaction of the caller.
    """
    change = locked(Change.objects.all()).get(pk=push.change_id)
    rows = rows_of(change)
    mine = Phase(push.phase).position
    waiting = {pk for pk, _router, phase, _state, _lines in rows if Phase(phase).position > mine}
    phase_members = members(rows, push.phase)
    waiting |= {each.key for each in later_than(phase_members, waves_of(change, phase_members), push.pk)}
    text = f"not started: {reason}"
    for each in locked(change.pushes.filter(state=PushState.APPROVED, pk__in=waiting).order_by("pk")):
        recording.move(each, PushState.CANCELLED, text, error=text, error_code=NOT_STARTED)
    close_if_over(change)


def cancel_rest(change: Change, reason: str) -> None:
    """Cancel what was approved and not yet begun, and close the change when nothing of it is under way.

    Inside the transaction of the caller.
    """
    list(locked(Change.objects.filter(pk=change.pk)).values_list("pk"))
    text = f"not started: {reason}"
    for push in locked(change.pushes.filter(state=PushState.APPROVED).order_by("pk")):
        recording.move(push, PushState.CANCELLED, text, error=text, error_code=NOT_STARTED)
    close_if_over(change)


def lock_queues(routers: Iterable[int]) -> None:
    """Make the rows of these routers' queues where there are none, and lock them: before any change. Not of those retired."""
    keys = list(Router.objects.filter(pk__in=set(routers)).order_by("pk").values_list("pk", flat=True))
    RouterQueue.objects.bulk_create([RouterQueue(router_id=pk) for pk in keys], ignore_conflicts=True)
    list(locked(RouterQueue.objects.filter(router__in=keys).order_by("pk")).values_list("pk"))


def _follow(push: RouterPush) -> None:
    """For the queue of the router: one that had moved is planned anew, and so is, later each time, what was not reached or
    broke off and was taken back. What was refused does not come again by itself with the same lines: several requests are tried
    one by one, and one that fails alone waits for a person.
    """
    state = PushState(push.state)
    queue = RouterQueue.objects.filter(router=push.router)
    if state is PushState.VERIFIED:
        queue.update(tries=0, waits_for="")
    elif state is PushState.STALE:
        count_stale(push)
    elif state in (PushState.FAILED, PushState.ROLLED_BACK) and _planned_again(push):
        # No line of it was refused, and the router may show the very same ever after: it is tried again, each time later.
        count_stale(push)
        tries = queue.values_list("tries", flat=True).first() or 1
        pause = pause_after(First.NOT_SENT, tries)
        queues.hold_out(_carried(push), _sentence(push), cause=queues.until(clock.now() + pause))
    elif state is PushState.UNKNOWN and push.error_code == BARE:
        pass  # it is tried again by itself, and what becomes of it then is what counts
    elif state is not PushState.CANCELLED:
        _hold_out(push)


def _planned_again(push: RouterPush) -> bool:
    end = end_of_push(push)
    return end is not None and end.planned_again


def count_stale(push: RouterPush) -> None:
    """One more plan in a row that ended before its first line; after so many a person has to look at the router.

    Inside a transaction that holds the queue (`lock_queues`).
    """
    queue = RouterQueue.objects.filter(router=push.router)
    queue.update(tries=F("tries") + 1)
    if queue.filter(tries__gte=STALE_IN_A_ROW).exists():
        queue.update(
            waits_for=f"{MOVES}: {STALE_IN_A_ROW} plans in a row ended before their first line, or were taken back; the last was "
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
