"""Withdrawal by a person, expiry by the clock. What was admitted stays charged until it is seen gone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Q

from provisioning.errors import Busy, NotAsRead, StaleState
from provisioning.models import SYSTEM, Actor, PremiumRequest, Verb
from provisioning.pipeline.states import RequestState
from provisioning.selectors import requests as reading
from provisioning.selectors.authority import permit_named, permit_with
from provisioning.services import clock, pairs, terms, transitions
from provisioning.services.apart import apart
from provisioning.services.charging import release_holds
from provisioning.services.locking import locked
from provisioning.services.retrying import whole
from provisioning.services.wording import reason_text

log = structlog.get_logger(__name__)

AT_ONCE = 1000
"""Requests that one call ends: a tick has more to do, and the next one is a moment away."""
TOGETHER = 200
"""Requests that one transaction ends: a person who acts on one of them waits that long at most."""
_UNDECIDED = (RequestState.SUBMITTED, RequestState.HELD)
_LIVE = (*_UNDECIDED, RequestState.ADMITTED, RequestState.ACTIVE)


def withdraw(*, actor: Actor, request: PremiumRequest, reason: str, read: str = "") -> PremiumRequest:
    """Withdraw the request and its twin and return the request as it is now.

    Before admission that is the end of it and nothing is charged; afterwards it stays charged until it is
    seen gone from the routers. ``read`` is what was read of it, "undecided" or "granted" (empty: whichever): the one is no word
    about the other. Raises NotVisible, NotPermitted unless the actor acts for the NREN that asked or is the NOC, InvalidInput
    without a reason, NotAsRead, and StaleState when it has ended already.
    """
    reading.must_see(actor, request)
    permit_with(actor, Verb.END, request)
    why = reason_text(reason)
    with transaction.atomic():
        rows = pairs.locked(request)
        is_now = "undecided" if rows[0].state in _UNDECIDED else "granted"
        if read and rows[0].state in _LIVE and read != is_now:
            raise NotAsRead(
                f"{rows[0].reference} is {is_now} by now: read again what this does", field="read"
            )
        for row in rows:
            _end(row, RequestState.WITHDRAWN, actor, why)
    request.refresh_from_db()
    return request


def withdraw_granted(*, actor: Actor, keys: Collection[int], reason: str) -> list[PremiumRequest]:
    """Withdraw those of the requests with these keys, and of their twins, that are granted; return them, by key.

    All of them or none: they stay charged until they are seen gone. Raises NotPermitted unless the actor is of the NOC,
    InvalidInput without a reason.
    """
    permit_named(actor, Verb.UNDO)
    why = reason_text(reason)
    granted = (RequestState.ADMITTED, RequestState.ACTIVE)
    twins = PremiumRequest.objects.filter(pk__in=list(keys), twin__isnull=False).values_list(
        "twin", flat=True
    )
    rows = PremiumRequest.objects.filter(pk__in={*keys, *twins}, state__in=granted)
    with transaction.atomic():
        found = list(locked(rows.order_by("pk")).values_list("pk", flat=True))
        terms.lapse(found, actor=actor)
        release_holds(found, now=clock.now())
        return transitions.move_all(
            model=PremiumRequest,
            keys=found,
            from_states=granted,
            to_state=RequestState.WITHDRAWN,
            actor=actor,
            reason=why,
            held_until=None,
        )


@dataclass(frozen=True)
class Expired:
    """How many holds lapsed and how many requests reached the end of their window."""

    holds: int
    requests: int


def expire_due(*, now: datetime) -> Expired:
    """Let holds lapse and requests expire that are due at ``now``, the oldest first and so many at once: many in one
    transaction, and one by one where something is wrong with one of them. What is left over is the next call's.
    """
    lapsed = Q(state=RequestState.HELD, held_until__lte=now) & (Q(end=None) | Q(end__gt=now))
    over = Q(state__in=_LIVE, end__lte=now)
    return Expired(
        holds=_end_due(lapsed, RequestState.SUBMITTED, "the hold lapsed", "request.hold-lapsed"),
        requests=_end_due(over, RequestState.EXPIRED, "the window is over", None),
    )


def _end_due(due: Q, to_state: RequestState, reason: str, action: str | None) -> int:
    """Move the requests that are `due`, `AT_ONCE` at most; return how many were."""
    keys = list(PremiumRequest.objects.filter(due).order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    moved = 0
    for first in range(0, len(keys), TOGETHER):
        some = keys[first : first + TOGETHER]
        end = partial(_end_those, due, some, to_state, reason, action)
        try:
            moved += whole(end)
        except (Busy, OperationalError, InterfaceError):
            raise  # nobody else would fare better
        except Exception:
            log.warning("not expired together, so one by one", requests=len(some), exc_info=True)
            for pk in some:
                with apart("the expiry of a request", pk):
                    moved += whole(partial(_end_those, due, [pk], to_state, reason, action))
    return moved


def _end_those(due: Q, keys: Sequence[int], to_state: RequestState, reason: str, action: str | None) -> int:
    """Move those of the requests that are due still once they are locked; a person may have been faster. What somebody holds is
    the next call's: one row keeps the others from nothing.
    """
    skipping = connection.features.has_select_for_update_skip_locked
    with transaction.atomic():
        rows = PremiumRequest.objects.filter(due, pk__in=keys).order_by("pk")
        found = list(locked(rows, skip_locked=skipping).values_list("pk", flat=True))
        if not found:
            return 0
        if to_state is RequestState.EXPIRED:
            terms.lapse(found, actor=SYSTEM)
        release_holds(found, now=clock.now())
        return len(
            transitions.move_all(
                model=PremiumRequest,
                keys=found,
                from_states=_LIVE if to_state is RequestState.EXPIRED else (RequestState.HELD,),
                to_state=to_state,
                actor=SYSTEM,
                reason=reason,
                action=action,
                held_until=None,
            )
        )


def _end(row: PremiumRequest, to_state: RequestState, actor: Actor, reason: str) -> None:
    state = RequestState(row.state)
    if state not in _LIVE:
        raise StaleState(f"{row.reference} is {row.state} already", state=row.state)
    terms.lapse([row.pk], actor=actor)
    release_holds([row.pk], now=clock.now())
    transitions.move(
        model=PremiumRequest,
        pk=row.pk,
        from_states=(state,),
        to_state=to_state,
        actor=actor,
        reason=reason,
        held_until=None,
    )
