"""An undecided request that asks for something else from now on: one row, one number, one line of its history.

So is a counter-offer taken (ADR 28): what did not fit is not left over, and the receiver is asked again only where more is
asked of it than it agreed to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from provisioning.errors import Conflict, InvalidInput, StaleState
from provisioning.models import Actor, Consent, PremiumRequest, Verb
from provisioning.pipeline import sls as sls_values
from provisioning.pipeline.admission import Refused, Viewer, kept_as_seen, seen_reason
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import BitRate, TimeWindow
from provisioning.selectors import requests as reading
from provisioning.selectors.authority import permit_with
from provisioning.selectors.viewers import viewer_of
from provisioning.services import audit, clock, flow_labels, pairs, quotas, transitions
from provisioning.services.charging import release_holds
from provisioning.services.decisions.capacity import judge_what_if
from provisioning.services.decisions.permission import by_itself
from provisioning.services.requests.checking import on_grid

_OPEN = (RequestState.SUBMITTED, RequestState.HELD)
KINDS = ("lower-rate", "later-start", "shorter-window")


@dataclass(frozen=True)
class SeenOffer:
    """The terms of an offer as somebody read them: bit/s at layer 3, the window in UTC."""

    rate_bps: int
    start: datetime
    end: datetime | None


def take_offer(
    *, actor: Actor, request: PremiumRequest, kind: str, seen: SeenOffer | None = None
) -> PremiumRequest:
    """Have the request (and its twin) ask for one of its offers instead, SUBMITTED, and return it as it is now.

    ``kind`` is one of ``lower-rate``, ``later-start``, ``shorter-window``; ``seen`` what it said when it was read (None: what it
    says now). What was to begin meanwhile begins now. Consent is carried over where no more is asked of the receiver
    than it agreed to. Raises NotVisible, NotPermitted (neither the NREN that asked nor the NOC), InvalidInput (no offer
    of that kind, or not the terms of one), StaleState (admitted or over, or it asks for just this, or fits as it is) and
    Conflict when it does not fit any more; then nothing is changed.
    """
    may_change(actor, request, Verb.ASK)
    if kind not in KINDS:
        raise InvalidInput(f"an offer is one of {', '.join(KINDS)}", field="kind")
    with transaction.atomic():
        if request.state == RequestState.REFUSED:  # it is open again
            quotas.take_open(request.nren, more=1 if request.twin_id is None else 2)
        if request.flow_label is not None:
            flow_labels.wait_for_turn(request.nren_id)
        rows = pairs.locked(request)
        now = clock.now()
        for row in rows:
            if row.state not in (*_OPEN, RequestState.REFUSED):
                raise StaleState(
                    f"{row.reference} is {row.state}: there is nothing to choose", state=row.state
                )
        by_itself(request)
        old = [reading.sls_of(row) for row in rows]
        viewer = viewer_of(actor, rows[0].nren.domain)
        if seen is not None and seen.rate_bps != old[0].rate.bps:
            on_grid(viewer, seen.rate_bps)
        offer = _read(old[0], kind, seen) if seen else _standing(rows, old, kind, now, viewer)
        offer = _begun(offer, kind, now)
        new = [
            replace(sls, rate=BitRate(offer.rate_bps), window=TimeWindow(offer.start, offer.end))
            for sls in old
        ]
        own = [row.pk for row in rows]
        judged = judge_what_if(rows[0].nren.domain, lambda: new, now=now, beside=own, viewer=viewer)
        if isinstance(judged.verdict, Refused):
            why = "; ".join(
                seen_reason(each, viewer, asker=request.nren_id).text for each in judged.verdict.reasons[:2]
            )
            raise Conflict(f"the offer does not fit any more: {why}", field="kind")
        replace_terms(actor, rows, old, new, action="request.offer-taken", reason=f"{kind} offer")
    request.refresh_from_db()
    return request


def may_change(actor: Actor, request: PremiumRequest, verb: Verb) -> None:
    """Raise NotVisible, or NotPermitted unless the table gives ``actor`` this verb with the request."""
    reading.must_see(actor, request)
    permit_with(actor, verb, request)


def _standing(
    rows: Sequence[PremiumRequest],
    asked: Sequence[Sls],
    kind: str,
    now: datetime,
    viewer: Viewer | None,
) -> SeenOffer:
    """The offer of that kind, as the viewer sees it: of the decision where there is one, else of this moment."""
    kept = rows[0].evidence if rows[0].state == RequestState.REFUSED else None
    if kept is not None:
        offers = kept_as_seen(kept, viewer, asker=rows[0].nren_id).counter_offers
    else:
        own = [row.pk for row in rows]
        domain = rows[0].nren.domain
        verdict = judge_what_if(domain, lambda: asked, now=now, beside=own, viewer=viewer).verdict
        if not isinstance(verdict, Refused):
            raise StaleState(f"{rows[0].reference} fits as it is: there is nothing to choose")
        offers = verdict.counter_offers
    for offer in offers:
        if offer.kind == kind:
            return SeenOffer(offer.rate_bps, offer.start, offer.end)
    raise InvalidInput(f"{rows[0].reference} has no offer of this kind", field="kind")


def _read(asked: Sls, kind: str, seen: SeenOffer) -> SeenOffer:
    """What was read, when it can have been an offer of that kind for what is asked."""
    window, rate = TimeWindow(seen.start, seen.end), asked.rate.bps
    if (seen.rate_bps, window) == (rate, asked.window):
        raise StaleState(f"{asked.id} asks for just this already")
    same_rate, no_sooner = seen.rate_bps == rate, window.start >= asked.window.start
    fitting = {
        "lower-rate": 0 < seen.rate_bps < rate and no_sooner and window.end == asked.window.end,
        "later-start": same_rate and no_sooner and window.length == asked.window.length,
        "shorter-window": same_rate
        and no_sooner
        and window.end is not None
        and (asked.window.end is None or window.end <= asked.window.end),
    }
    if not fitting[kind]:
        raise InvalidInput(f"this is no {kind} offer for what {asked.id} asks", field="kind")
    return seen


def _begun(offer: SeenOffer, kind: str, now: datetime) -> SeenOffer:
    """The offer, beginning now where its start has passed."""
    if offer.start >= now:
        return offer
    if offer.end is None:
        return replace(offer, start=now)
    end = offer.end + (now - offer.start) if kind == "later-start" else offer.end
    if end <= now:
        raise Conflict("the window of this offer is over", field="kind")
    return replace(offer, start=now, end=end)


def replace_terms(
    actor: Actor,
    rows: Sequence[PremiumRequest],
    old: Sequence[Sls],
    new: Sequence[Sls],
    *,
    action: str,
    reason: str,
) -> None:
    """Have these rows, which are locked and not granted, ask for ``new``, with one event for each. Holds end."""
    release_holds([row.pk for row in rows], now=clock.now())
    same = all(sls_values.asks_no_more(after, before) for before, after in zip(old, new, strict=True))
    for row, sls in zip(rows, new, strict=True):
        if row.flow_label is not None:
            flow_labels.keep(request=row)
        fields: dict[str, Any] = {
            "rate_bps": sls.rate.bps,
            "start": sls.window.start,
            "end": sls.window.end,
            "source_prefixes": [str(prefix) for prefix in sls.source_prefixes],
            "destination_prefixes": [str(prefix) for prefix in sls.destination_prefixes],
            "warnings": [
                *sls_values.warnings(sls), *flow_labels.warnings(row.source_link, sls.flow_label)
            ],
            "submitted_by_id": actor.user_id,
            "behind": actor.added_to(row.behind or [[row.submitted_by_id, None]]),
            **_consent(row, same),
        }  # fmt: skip
        fields = {name: value for name, value in fields.items() if getattr(row, name) != value}
        if row.state == RequestState.SUBMITTED:
            before = {name: getattr(row, name) for name in fields}
            PremiumRequest.objects.filter(pk=row.pk).update(**fields)
            audit.record(
                actor=actor,
                action=action,
                obj=row,
                reason=reason,
                before=before,
                after=fields,
                nren_ids=pairs.concerned(row),
            )
            continue
        undecided: dict[str, Any] = {
            "decided_by_id": None,
            "decided_at": None,
            "decision_reason": "",
            "evidence": None,
        }
        transitions.move(
            model=PremiumRequest,
            pk=row.pk,
            from_states=(RequestState(row.state),),
            to_state=RequestState.SUBMITTED,
            actor=actor,
            reason=reason,
            action=action,
            held_until=None,
            **fields,
            **(undecided if row.state == RequestState.REFUSED else {}),
        )


def _consent(row: PremiumRequest, same: bool) -> dict[str, Any]:
    """The answer of the receiver to what is asked now: carried over where it agreed, and no more is asked of it."""
    carried = row.consent == Consent.GIVEN and same
    if carried or row.consent in (Consent.NOT_NEEDED, Consent.STANDING, Consent.PENDING):
        return {}
    return {"consent": Consent.PENDING, "consent_by_id": None, "consent_at": None}
