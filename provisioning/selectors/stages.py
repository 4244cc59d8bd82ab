"""At which stage requests are, one by one and as a filter (``pipeline.states``)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from django.db.models import Q, QuerySet

from provisioning.models import Consent, PremiumRequest
from provisioning.pipeline.states import RequestState, Stage, stage_of

_PENDING: Final = Q(consent=Consent.PENDING)
_GRANTED: Final = Q(reservation__isnull=False)


def stage_at(request: PremiumRequest, now: datetime) -> Stage:
    """The stage of a request at that moment."""
    held = getattr(request, "reservation", None)
    return stage_of(
        RequestState(request.state),
        consent_pending=request.consent == Consent.PENDING,
        due=request.start <= now or (held is not None and held.put_on_at is not None),
        granted=held is not None,
    )


def at_stages(
    rows: QuerySet[PremiumRequest], stages: Iterable[Stage], now: datetime
) -> QuerySet[PremiumRequest]:
    """Those of the requests that are at one of the stages at that moment."""
    found = Q(pk__in=[])
    for stage in stages:
        found |= _at(stage, now)
    return rows.filter(found)


def _at(stage: Stage, now: datetime) -> Q:
    due = Q(start__lte=now) | Q(reservation__put_on_at__isnull=False)
    match stage:
        case Stage.AWAITING_CONSENT:
            return Q(state=RequestState.SUBMITTED) & _PENDING
        case Stage.AWAITING_DECISION:
            return Q(state=RequestState.SUBMITTED) & ~_PENDING
        case Stage.SCHEDULED:
            return Q(state=RequestState.ADMITTED) & ~due
        case Stage.DEPLOYING:
            return Q(state=RequestState.ADMITTED) & due
        case Stage.REMOVING:
            return Q(state__in=[RequestState.WITHDRAWN, RequestState.EXPIRED]) & _GRANTED
        case Stage.WITHDRAWN:
            return Q(state=RequestState.WITHDRAWN) & ~_GRANTED
        case Stage.LAPSED:
            return Q(state=RequestState.EXPIRED) & ~_GRANTED
    return Q(state=stage.value)
