"""The receiving NREN agrees or declines (D4.4.2v2 section 2.4.1 is "destination aware"); one answer covers
a pair.
"""

from __future__ import annotations

from django.db import transaction

from provisioning.errors import Conflict, StaleState
from provisioning.models import Actor, Consent, PremiumRequest, Verb
from provisioning.pipeline.states import RequestState
from provisioning.selectors import requests as reading
from provisioning.selectors.authority import permit_with
from provisioning.selectors.terms import as_read
from provisioning.services import audit, clock, pairs
from provisioning.services.wording import reason_text

_OPEN = (RequestState.SUBMITTED, RequestState.HELD)


def consent(
    *, actor: Actor, request: PremiumRequest, agree: bool, reason: str = "", terms: str = ""
) -> PremiumRequest:
    """Record the answer on the request (and its twin) and return the request as it is now.

    It may be changed as long as nothing is decided; the same answer again changes nothing. Declining leaves the request to the
    NOC, who cannot admit it any more. Raises NotVisible, NotPermitted unless the actor acts for the receiving NREN,
    InvalidInput when declining without a reason, StaleState once it is decided, TermsChanged where it does not ask for what was
    read (``terms``: its digest, `selectors.terms`), and Conflict for an occurrence of a series.
    """
    reading.must_see(actor, request)
    permit_with(actor, Verb.ANSWER, request)
    if request.series_id is not None:
        raise Conflict(
            f"{request.reference} is an occurrence of SER-{request.series_id}, which is answered as one"
        )
    why = reason_text(reason, needed=not agree)
    answer = Consent.GIVEN if agree else Consent.DECLINED
    with transaction.atomic():
        rows = pairs.locked(request)
        as_read(terms, rows)
        for row in rows:
            if row.state not in _OPEN:
                raise StaleState(f"{row.reference} is {row.state}: it is decided", state=row.state)
            if row.consent == Consent.NOT_NEEDED:
                raise StaleState(f"{row.reference} stays within one NREN: nobody has to agree")
            if row.consent == answer:
                continue  # events are kept for ever, and it would be one more each time
            PremiumRequest.objects.filter(pk=row.pk, state=row.state).update(
                consent=answer, consent_by_id=actor.user_id, consent_at=clock.now()
            )
            audit.record(
                actor=actor,
                action="request.consent" if agree else "request.decline",
                obj=row,
                reason=why,
                before={"consent": row.consent},
                after={"consent": answer},
                nren_ids=pairs.concerned(row),
            )
    request.refresh_from_db()
    return request
