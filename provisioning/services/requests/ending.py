"""Withdrawal by a person, expiry by the clock. What was admitted stays charged until it is seen gone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Q

from provisioning.errors import NotPermitted, NotVisible, StaleState
from provisioning.models import SYSTEM, Actor, PremiumRequest
from provisioning.pipeline.change import RequestState
from provisioning.selectors import requests as reading
from provisioning.services import clock, pairs, transitions
from provisioning.services.apart import apart
from provisioning.services.charging import release_hold
from provisioning.services.locking import locked
from provisioning.services.retrying import whole
from provisioning.services.wording import reason_text

log = structlog.get_logger(__name__)

_LIVE = (RequestState.SUBMITTED, RequestState.HELD, RequestState.ADMITTED, RequestState.ACTIVE)


def withdraw(*, actor: Actor, request: PremiumRequest, reason: str) -> PremiumRequest:
    """Withdraw the request and its twin and return the request as it is now.

    Before admission that is the end of it and nothing is charged; afterwards it stays charged until it is
    seen gone from the routers. Raises NotVisible, NotPermitted unless the actor acts for the NREN that asked
    or is the NOC, InvalidInput without a reason, and StaleState when it has ended already.
    """
    if not reading.for_actor(actor).filter(pk=request.pk).exists():
        raise NotVisible("There is no such request, or it is not yours to see.")
    if actor.user_id is None or not (actor.is_noc or request.nren_id in actor.nren_ids):
        raise NotPermitted("A request is withdrawn by the NREN that asked for it, or by the NOC.")
    why = reason_text(reason)
    with transaction.atomic():
        for row in pairs.locked(request):
            _end(row, RequestState.WITHDRAWN, actor, why)
    request.refresh_from_db()
    return request


@dataclass(frozen=True)
class Expired:
    """How many holds lapsed and how many requests reached the end of their window."""

    holds: int
    requests: int


def expire_due(*, now: datetime) -> Expired:
    """Let holds lapse and requests expire that are due at ``now``; each in a transaction of its own."""
    holds = requests = 0
    lapsed = Q(state=RequestState.HELD, held_until__lte=now) & (Q(end=None) | Q(end__gt=now))
    for row in PremiumRequest.objects.filter(lapsed).order_by("pk"):
        with apart("the lapse of a hold", row.pk):
            holds += _unless_moved(row, RequestState.SUBMITTED, "the hold lapsed", "request.hold-lapsed")
    over = Q(state__in=_LIVE, end__lte=now)
    for row in PremiumRequest.objects.filter(over).order_by("pk"):
        with apart("the expiry of a request", row.pk):
            requests += _unless_moved(row, RequestState.EXPIRED, "the window is over", None)
    return Expired(holds, requests)


def _unless_moved(row: PremiumRequest, to_state: RequestState, reason: str, action: str | None) -> int:
    """1 when the row was moved; 0 when a person was faster, which is what the guard of a transition is
    for.
    """

    def end() -> None:
        with transaction.atomic():
            (found,) = locked(PremiumRequest.objects.filter(pk=row.pk))
            if found.state != row.state:
                raise StaleState(f"{found.reference} is {found.state}, not {row.state}", state=found.state)
            _end(found, to_state, SYSTEM, reason, action)

    try:
        whole(end)
    except StaleState as error:
        log.info("not expired", request=row.pk, reason=error.reason)
        return 0
    return 1


def _end(
    row: PremiumRequest, to_state: RequestState, actor: Actor, reason: str, action: str | None = None
) -> None:
    state = RequestState(row.state)
    if state not in _LIVE:
        raise StaleState(f"{row.reference} is {row.state} already", state=row.state)
    release_hold(row.pk, now=clock.now())
    transitions.move(
        model=PremiumRequest,
        pk=row.pk,
        from_states=(state,),
        to_state=to_state,
        actor=actor,
        reason=reason,
        action=action,
        held_until=None,
    )
