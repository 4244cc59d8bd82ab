"""Once an hour every queue is looked at, marked or not: what an event forgot to mark is found here, and counted."""

from __future__ import annotations

import structlog

from inventory.models import Router
from provisioning.services import clock, queues
from provisioning.services.apart import apart
from provisioning.services.planning.due_work import decide_for

log = structlog.get_logger(__name__)


def sweep() -> str:
    """Mark the queues that have something to do and that nothing marked; return how many there were as a sentence.

    More than none is an alarm: somebody's request waited up to an hour because an event was missed.
    """
    now = clock.now()
    # One that knows a later instant is looked at too: what nobody marked does not wait for that.
    waiting = set(queues.due(now).values_list("router_id", flat=True))
    missed, looked = 0, 0
    for router in Router.objects.exclude(pk__in=waiting).select_related("domain").order_by("pk").iterator():
        with apart("sweeping", router.pk):
            decision = decide_for(router, now)
            looked += 1
            if decision.batch or decision.put_aside:
                missed += 1
                queues.mark([router.pk])
            elif decision.look_at is not None:
                queues.look_again(router, decision.look_at)
    if missed:
        log.warning("queues that nothing had marked", missed=missed)
    return f"{looked} queues looked at, {missed} had missed an event"
