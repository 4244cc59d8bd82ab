"""The receiving NREN agrees to a modification that asks more of it, or declines; one answer covers a pair."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from provisioning.errors import StaleState
from provisioning.models import Actor, Consent, Modification, Verb
from provisioning.pipeline.states import ModificationState
from provisioning.selectors import modifications as reading
from provisioning.selectors.authority import permit_with
from provisioning.services import audit, clock, pairs
from provisioning.services.locking import locked
from provisioning.services.wording import reason_text


def consent(*, actor: Actor, modification: Modification, agree: bool, reason: str = "") -> Modification:
    """Record the answer on the modification (and its twin's) and return it as it is now; the same answer again changes nothing.

    Raises NotVisible, NotPermitted unless the actor acts for the receiving NREN, InvalidInput when declining without a
    reason, StaleState once it is decided and where nobody has to agree.
    """
    reading.must_see(actor, modification)
    permit_with(actor, Verb.ANSWER, modification.request)
    why = reason_text(reason, needed=not agree)
    answer = Consent.GIVEN if agree else Consent.DECLINED
    with transaction.atomic():
        pairs.locked(modification.request)
        for row in both(modification):
            if row.state != ModificationState.PROPOSED:
                raise StaleState(f"{row.reference} is {row.state}: it is decided", state=row.state)
            if row.consent == Consent.NOT_NEEDED:
                raise StaleState(f"{row.reference} asks no more of the receiver: nobody has to agree")
            if row.consent == answer:
                continue  # events are kept for ever, and it would be one more each time
            Modification.objects.filter(pk=row.pk).update(
                consent=answer, consent_by_id=actor.user_id, consent_at=clock.now()
            )
            audit.record(
                actor=actor,
                action="request.modification.consent" if agree else "request.modification.decline",
                obj=row.request,
                reason=why,
                before={"modification": row.pk, "consent": row.consent},
                after={"modification": row.pk, "consent": answer},
                nren_ids=pairs.concerned(row.request),
            )
    modification.refresh_from_db()
    return modification


def both(modification: Modification) -> Sequence[Modification]:
    """The modification, then its twin's, locked in key order, as they are now."""
    keys = [key for key in (modification.pk, modification.twin_id) if key is not None]
    rows = locked(Modification.objects.filter(pk__in=keys).select_related("request").order_by("pk"))
    return sorted(rows, key=lambda row: row.pk != modification.pk)
