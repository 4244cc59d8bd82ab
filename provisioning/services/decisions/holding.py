"""A hold keeps the capacity for a request while people still talk, until an instant at which it lapses by
itself.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from provisioning.errors import InvalidInput, StaleState
from provisioning.models import Actor, PremiumRequest
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.states import RequestState
from provisioning.selectors.terms import as_read
from provisioning.services import clock, pairs, quotas, transitions
from provisioning.services.charging import charge, release_holds
from provisioning.services.decisions.capacity import judge_locked
from provisioning.services.decisions.deciding import keep
from provisioning.services.decisions.links import begin_decision
from provisioning.services.decisions.permission import (
    as_judged,
    by_itself,
    may_decide,
    not_over,
    nothing_against,
    undecided,
)
from provisioning.services.wording import reason_text

LONGEST_HOLD = timedelta(days=30)


def hold(
    *, actor: Actor, request: PremiumRequest, until: datetime, reason: str, terms: str = ""
) -> tuple[Admitted, ...] | Refused:
    """Charge the request and its twin provisionally until ``until``; a Refused changes nothing.

    Consent is not needed yet; ``terms`` as of `decisions.admit`. Raises NotVisible, NotPermitted (not the NOC, or the
    submitter), TermsChanged, StaleState (not SUBMITTED any more, or its window is over) and InvalidInput (no reason; an end
    that is past or more than 30 days away).
    """
    may_decide(actor, request)
    by_itself(request)
    why = reason_text(reason)
    check_until(until, clock.now())
    with begin_decision(request.nren):
        rows = pairs.read(request)
        begun = clock.now()
        judged = judge_locked(rows, now=begun)
        verdict = judged.verdict
        now_held = pairs.locked(request)
        undecided(now_held)
        as_read(terms, now_held)
        as_judged(rows, now_held)
        nothing_against(actor, now_held)
        not_over(request, begun)
        for row in now_held:
            if row.state != RequestState.SUBMITTED:  # before anything is charged a second time
                raise StaleState(f"{row.reference} is {row.state}, not SUBMITTED", state=row.state)
        quotas.take_holds(request.nren, now_held, more=len(now_held))
        if not isinstance(verdict, Refused):
            for row, admitted in zip(rows, verdict, strict=True):
                charge(row, admitted, lapses_at=until)
            kept = keep("held", rows, judged)
            for row in rows:
                transitions.move(
                    model=PremiumRequest,
                    pk=row.pk,
                    from_states=(RequestState.SUBMITTED,),
                    to_state=RequestState.HELD,
                    actor=actor,
                    reason=why,
                    noted={"record": kept},
                    held_until=until,
                    times_held=F("times_held") + 1,
                )
    request.refresh_from_db()
    return verdict


def unhold(*, actor: Actor, request: PremiumRequest, reason: str) -> PremiumRequest:
    """End the hold of the request and its twin now, and return the request, SUBMITTED again.

    Raises NotVisible, NotPermitted (no approver, or who stands behind it), StaleState (not HELD), InvalidInput (no reason).
    """
    may_decide(actor, request)
    by_itself(request)
    why = reason_text(reason)
    with transaction.atomic():
        rows = pairs.locked(request)
        nothing_against(actor, rows)
        release_holds([row.pk for row in rows], now=clock.now())
        for row in rows:
            transitions.move(
                model=PremiumRequest,
                pk=row.pk,
                from_states=(RequestState.HELD,),
                to_state=RequestState.SUBMITTED,
                actor=actor,
                reason=why,
                action="request.unhold",
                held_until=None,
            )
    request.refresh_from_db()
    return request


def check_until(until: datetime, now: datetime) -> None:
    """Raise InvalidInput (field until) for an end of a hold that is past or too far away."""
    if until.utcoffset() is None or not now < until <= now + LONGEST_HOLD:
        raise InvalidInput(f"a hold ends in the future and within {LONGEST_HOLD.days} days", field="until")
