"""When a change is over: no push of it can move any more."""

from __future__ import annotations

from provisioning.models import Change
from provisioning.pipeline.states import PushState
from provisioning.services import clock
from provisioning.services.telling import events

OVER = frozenset(
    {PushState.VERIFIED, PushState.FAILED, PushState.ROLLED_BACK, PushState.STALE, PushState.CANCELLED}
)


def close_if_over(change: Change) -> None:
    """Set `finished_at` once no push of the change can move any more."""
    if not change.pushes.exclude(state__in=OVER).exists():
        Change.objects.filter(pk=change.pk, finished_at__isnull=True).update(finished_at=clock.now())
        if change.paused_at is not None:
            events.resumed(change)
