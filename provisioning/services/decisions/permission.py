"""Who may decide about which request: an allow-list, checked on the locked rows on every path."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from provisioning.errors import Conflict, StaleState
from provisioning.models import Actor, PremiumRequest, Verb
from provisioning.pipeline.states import RequestState
from provisioning.selectors.approvals import Asked
from provisioning.selectors.authority import permit_named, refuse_by, to_deciding
from provisioning.selectors.requests import AGREED, must_see, sls_of

OPEN = (RequestState.SUBMITTED, RequestState.HELD)


def may_decide(actor: Actor, request: PremiumRequest) -> None:
    """Raise NotVisible or NotPermitted unless ``actor`` is a named approver of the NOC who sees the request."""
    must_see(actor, request)
    permit_named(actor, Verb.DECIDE)


def undecided(rows: Sequence[PremiumRequest]) -> None:
    """Raise StaleState unless all rows are open."""
    for row in rows:
        if row.state not in OPEN:
            raise StaleState(f"{row.reference} is {row.state}: it is decided", state=row.state)


def as_judged(judged: Sequence[PremiumRequest], rows: Sequence[PremiumRequest]) -> None:
    """Raise StaleState where a locked row asks for something else than what was judged before it was locked: whoever asked may
    change it until then.
    """
    for before, row in zip(judged, rows, strict=True):
        if sls_of(before) != sls_of(row):
            raise StaleState(f"{row.reference} asks for something else by now; look at it again")


def nothing_against(actor: Actor, asked: Sequence[Asked]) -> None:
    """Raise NotPermitted when the actor stands behind one of these (ADR 44)."""
    refuse_by(to_deciding(actor, asked))


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
