"""Who may decide about which request: an allow-list, checked on the locked rows on every path."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from provisioning.errors import Conflict, NotPermitted, NotVisible, StaleState
from provisioning.models import Actor, PremiumRequest
from provisioning.pipeline.change import RequestState
from provisioning.selectors.requests import AGREED, for_actor

OPEN = (RequestState.SUBMITTED, RequestState.HELD)


def may_decide(actor: Actor, request: PremiumRequest) -> None:
    """Raise NotVisible or NotPermitted unless ``actor`` is a named member of the NOC who sees the request."""
    if not for_actor(actor).filter(pk=request.pk).exists():
        raise NotVisible("There is no such request, or it is not yours to see.")
    if actor.user_id is None or not actor.is_noc:
        raise NotPermitted("Requests are decided by a named member of the NOC.")


def undecided(actor: Actor, rows: Sequence[PremiumRequest]) -> None:
    """Raise StaleState unless all rows are open, NotPermitted when the actor submitted one of them."""
    for row in rows:
        if row.state not in OPEN:
            raise StaleState(f"{row.reference} is {row.state}: it is decided", state=row.state)
        if row.submitted_by_id == actor.user_id:
            raise NotPermitted(
                f"{row.reference} was submitted by you: somebody else of the NOC decides about it."
            )


def not_over(request: PremiumRequest, now: datetime) -> None:
    """Raise StaleState when the window of the request is over."""
    if request.end is not None and request.end <= now:
        raise StaleState(f"the window of {request.reference} is over")


def agreed(rows: Sequence[PremiumRequest]) -> None:
    """Raise Conflict unless the receiving NREN agreed to all rows."""
    for row in rows:
        if row.consent not in AGREED:
            name = row.receiving_nren.name if row.receiving_nren else "the receiving NREN"
            answer = "has declined" if row.consent == "declined" else "has not agreed yet"
            raise Conflict(f"{name} {answer}: {row.reference} cannot be granted", consent=row.consent)


def by_itself(request: PremiumRequest) -> None:
    """Raise Conflict for an occurrence of a series: what is granted, held, refused or agreed to is the series."""
    if request.series_id is not None:
        raise Conflict(
            f"{request.reference} is an occurrence of SER-{request.series_id}, which is decided as one",
            series=request.series_id,
        )
