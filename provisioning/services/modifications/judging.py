"""What both the answer to "what if" and the decision are about: what is asked from now on, beside all but the own charges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from provisioning.errors import Conflict, StaleState
from provisioning.models import PremiumRequest, RouterPush
from provisioning.pipeline.admission import Viewer
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.ledger import leaving
from provisioning.selectors.modifications import own_commitments
from provisioning.selectors.pushing import BEGUN
from provisioning.services.decisions.capacity import Judged, judge_what_if, within_quota

Changed = tuple[PremiumRequest, Sls, Sls]
"""A request, what it asks now, what it is to ask."""


def to_judge(sls: Sls, now: datetime) -> Sls:
    """What is asked from ``now`` on: nobody decides about what has passed. Raises StaleState when all of it has."""
    if sls.window.end is not None and sls.window.end <= now:
        raise StaleState(f"the window that {sls.id} is to have is over", field="end")
    if sls.window.start >= now:
        return sls
    return replace(sls, window=TimeWindow(now, sls.window.end))


def weighed(
    rows: Sequence[PremiumRequest], asked: Sequence[Sls], now: datetime, viewer: Viewer | None
) -> Judged:
    """Whether these rows could ask for this at this moment, on the difference, within every share and the quota, as ``viewer``
    may be told (None: exactly); nothing is locked.
    """
    own, nren = [row.pk for row in rows], rows[0].nren
    held = own_commitments(list(rows))
    judged = judge_what_if(nren.domain, lambda: asked, now=now, beside=own, held=held, viewer=viewer)
    return within_quota(judged, nren, asked, own=own, now=now)


def may_be_on(request: PremiumRequest) -> bool:
    """Whether a router holds lines of it, or may: it was put on, or lines are being sent. Under the lock of the request."""
    held = request.reservation
    if held.put_on_at is not None:
        return True
    begun = RouterPush.objects.filter(
        BEGUN, change__requests=request, router=request.source_link.interface.router_id
    )
    return begun.exists()


def being_taken_off(request: PremiumRequest) -> bool:
    """Whether lines that take it off are being sent, or may have been. Under the lock of the request."""
    begun = RouterPush.objects.filter(BEGUN, change__requests=request)
    return any(request.pk in push.change.takes_off for push in begun.select_related("change"))


def not_moving(requests: Sequence[PremiumRequest]) -> None:
    """Raise Conflict while the path of one of them moves: more can be promised on one path, not on two."""
    moving = leaving().filter(request__in=requests)
    row = moving.select_related("request").first()
    if row is not None:
        raise Conflict(
            f"the path of {row.request.reference} moves: decide when the move is over", field="state"
        )
