"""Proposing: before a decision the request is simply replaced; what was granted gets a proposal that others decide on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from provisioning.errors import Conflict, StaleState
from provisioning.models import Actor, Consent, Modification, PremiumRequest, Verb
from provisioning.pipeline import sls as sls_values
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.states import RequestState
from provisioning.selectors.modifications import open_of, terms_of
from provisioning.selectors.queues import ON
from provisioning.selectors.viewers import viewer_of
from provisioning.services import audit, clock, flow_labels, pairs
from provisioning.services.decisions.permission import by_itself
from provisioning.services.modifications.asking import Modify, checked
from provisioning.services.modifications.ending import cut
from provisioning.services.modifications.judging import Changed, to_judge, weighed
from provisioning.services.requests.replacing import may_change, replace_terms
from provisioning.services.requests.trying import Tried
from provisioning.services.wording import reason_text

_OPEN = (RequestState.SUBMITTED, RequestState.HELD)


def modify(*, actor: Actor, request: PremiumRequest, wanted: Modify, reason: str) -> Modification | None:
    """Propose that a request (and its twin) becomes something else; returns the proposal for ``request``.

    Undecided, it is replaced at once (a hold ends) and there is no proposal: None. Of what was granted, an end that comes sooner
    and nothing else is in force at once: it takes nothing from anybody. Raises NotVisible, NotPermitted (neither the NREN
    that asked nor the NOC), InvalidFields, Conflict while another modification is open, StaleState when it is over.
    """
    may_change(actor, request, Verb.ASK)
    why = reason_text(reason)
    with transaction.atomic():
        if request.flow_label is not None:
            flow_labels.wait_for_turn(request.nren_id)
        rows = pairs.locked(request)
        now = clock.now()
        _still_there(rows, now)
        changed = checked(actor, rows, wanted, now)
        if all(row.state in _OPEN for row in rows):
            by_itself(request)
            old, new = [old for _row, old, _new in changed], [new for _row, _old, new in changed]
            replace_terms(actor, rows, old, new, action="request.replaced", reason=why)
            made = None
        elif _only_sooner(changed):
            made = cut(actor, rows, changed[0][2].window.end or now, why)[0]
        else:
            made = _propose(actor, rows, changed, why)
    request.refresh_from_db()
    return made


def extend(
    *, actor: Actor, request: PremiumRequest, end: datetime | None, reason: str
) -> Modification | None:
    """As `modify` with an end alone (None: until further notice). Raises InvalidInput (field end) where it is no later."""
    return modify(actor=actor, request=request, wanted=Modify(end=end, longer=True), reason=reason)


def what_if(*, actor: Actor, request: PremiumRequest, wanted: Modify) -> Tried:
    """Whether a request could become this at this moment, decided on the difference; nothing is stored.

    Raises what `modify` raises, but for another that is open.
    """
    may_change(actor, request, Verb.ASK)
    rows, now = pairs.read(request), clock.now()
    _still_there(rows, now)
    asked = [to_judge(new, now) for _row, _old, new in checked(actor, rows, wanted, now)]
    viewer = viewer_of(actor, request.nren.domain)
    judged = weighed(rows, asked, now, viewer)
    return Tried(tuple(asked), judged.verdict, judged.version, rows[0].nren_id, viewer)


def consent_asked(*, actor: Actor, request: PremiumRequest, wanted: Modify) -> Consent:
    """What a proposal of this would begin with: whether the receiver is asked (PENDING), or why not. Raises as `what_if`."""
    may_change(actor, request, Verb.ASK)
    rows, now = pairs.read(request), clock.now()
    changed = checked(actor, rows, wanted, now)
    if all(
        row.state in _OPEN for row in rows
    ):  # it is replaced: an answer that was given stays where no more is asked
        kept = rows[0].consent != Consent.GIVEN or _no_more(changed)
        return Consent(rows[0].consent) if kept else Consent.PENDING
    return Consent.NOT_NEEDED if _only_sooner(changed) else _consent(rows[0], _no_more(changed))


def _no_more(changed: Sequence[Changed]) -> bool:
    return all(sls_values.asks_no_more(new, old) for _row, old, new in changed)


def _still_there(rows: Sequence[PremiumRequest], now: datetime) -> None:
    for row in rows:
        if row.state not in (*_OPEN, *ON) or (row.end is not None and row.end <= now):
            state = row.state if row.state not in (*_OPEN, *ON) else "over"
            raise StaleState(f"{row.reference} is {state}: it cannot be changed any more", state=row.state)
    if len({row.state in ON for row in rows}) > 1:
        raise StaleState("one way of it was decided and the other was not")


def _only_sooner(changed: Sequence[Changed]) -> bool:
    return all(
        new.rate == old.rate
        and new.window.start == old.window.start
        and new.source_prefixes == old.source_prefixes
        and new.destination_prefixes == old.destination_prefixes
        and new.window.end is not None
        and (old.window.end is None or new.window.end < old.window.end)
        for _row, old, new in changed
    )


def _propose(
    actor: Actor, rows: Sequence[PremiumRequest], changed: Sequence[Changed], why: str
) -> Modification:
    for row in rows:
        if (other := open_of(row)) is not None:
            raise Conflict(
                f"{other.reference} of {row.reference} is {other.state.lower()}: withdraw it, or wait until it is in force",
                field="state",
            )
    same = _no_more(changed)
    made = [_store(actor, row, new, why, same) for row, _old, new in changed]
    if len(made) == 2:
        for one, other in (made, made[::-1]):
            Modification.objects.filter(pk=one.pk).update(twin=other)
    for modification in made:
        audit.record(
            actor=actor,
            action="request.modification.proposed",
            obj=modification.request,
            reason=why,
            before=terms_of(modification.request),
            after={
                "modification": modification.pk,
                **terms_of(modification),
                "consent": modification.consent,
            },
            nren_ids=pairs.concerned(modification.request),
        )
        modification.refresh_from_db()
    return made[0]


def _store(actor: Actor, row: PremiumRequest, new: Sls, why: str, same: bool) -> Modification:
    agreement = _consent(row, same)
    return Modification.objects.create(
        request=row,
        rate_bps=new.rate.bps,
        start=new.window.start,
        end=new.window.end,
        source_prefixes=[str(prefix) for prefix in new.source_prefixes],
        destination_prefixes=[str(prefix) for prefix in new.destination_prefixes],
        before=audit.plain(terms_of(row)),
        reason=why,
        consent=agreement,
        consent_at=clock.now() if agreement == Consent.STANDING else None,
        proposed_by_id=actor.user_id,
        behind=actor.added_to([]),
    )


def _consent(row: PremiumRequest, same: bool) -> Consent:
    """The receiver is asked where more is asked of it than it agreed to."""
    if same or row.consent == Consent.NOT_NEEDED:
        return Consent.NOT_NEEDED
    return Consent.STANDING if row.consent == Consent.STANDING else Consent.PENDING
