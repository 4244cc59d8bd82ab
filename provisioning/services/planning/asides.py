"""Plans that carry what a request was, and wait: they go, because the request has become something else."""

from __future__ import annotations

from provisioning.models import Change, PremiumRequest
from provisioning.services import intents
from provisioning.services.planning.storing import WAITING, put_aside


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
