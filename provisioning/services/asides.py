"""Plans that wait and give way: to a newer one, or because a request has become something else than they carry."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from provisioning.models import SYSTEM, Change, PremiumRequest, RouterPush
from provisioning.pipeline.ends import LEFT_OUT
from provisioning.pipeline.states import PushState
from provisioning.services import intents, transitions
from provisioning.services.closing import close_if_over
from provisioning.services.locking import locked

WAITING = frozenset({PushState.PLANNED, PushState.APPROVED})
"""The states of a plan that may give way; one that is under way may not."""


def put_aside_plans(
    request: PremiumRequest, why: str, *, off_only: bool = False, modification: int | None = None
) -> None:
    """Put aside the plans that carry this request and were not begun; with ``off_only`` those that take it off, with
    ``modification`` those that carry that. Inside the caller's transaction.
    """
    changes = Change.objects.filter(
        requests=request,
        kind__in=intents.FOLLOWS_REQUESTS,
        finished_at__isnull=True,
        pushes__state__in=WAITING,
    )
    for change in changes.distinct().order_by("pk"):
        if off_only and request.pk not in change.takes_off:
            continue
        if modification is not None and modification not in change.modifies.values():
            continue
        put_aside(change.pk, why)


def put_aside(change_id: int, why: str, *, anew: Collection[str] | None = None, left_out: str = "") -> None:
    """Make what waits of a change STALE and what was never read CANCELLED; inside the caller's transaction.

    ``anew`` are the routers that are planned anew, None for all: the others are put aside with them, as a change is approved
    as a whole, for the reason ``left_out``; what is to be done about those has a row in the table of ends.
    Raises StaleState when somebody moved a push meanwhile.
    """
    change = locked(Change.objects.all()).get(pk=change_id)
    for push in change.pushes.select_related("router"):
        state = PushState(push.state)
        ended: dict[str, Any] = {"reason": why, "error": push.error or why}
        if state in WAITING:
            to_state = PushState.STALE
            if anew is not None and push.router.name not in anew:
                ended = {"reason": left_out, "error": left_out, "error_code": LEFT_OUT}
        elif state is PushState.UNKNOWN and not push.has_plan:
            to_state = PushState.CANCELLED
        else:
            continue
        transitions.move(
            model=RouterPush, pk=push.pk, from_states=(state,), to_state=to_state, actor=SYSTEM, **ended
        )
    close_if_over(change)
