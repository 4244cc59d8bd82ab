"""The receiving NREN agrees to a series, or declines it: one answer for every occurrence that is not decided."""

from __future__ import annotations

from django.db import transaction

from provisioning.errors import StaleState
from provisioning.models import Actor, Consent, PremiumRequest, Series, Verb
from provisioning.selectors.authority import permit_with
from provisioning.selectors.terms import series_as_read
from provisioning.services import audit, clock, pairs
from provisioning.services.series import members
from provisioning.services.wording import reason_text


def consent(*, actor: Actor, series: Series, agree: bool, reason: str = "", terms: str = "") -> Series:
    """Record the answer on every open occurrence and return the series. Those that have this answer already stay as they are.

    Raises NotVisible, NotPermitted unless the actor acts for the receiving NREN, InvalidInput when declining without a reason,
    TermsChanged (``terms`` as of `series.admit`), and StaleState once all is decided, or where nobody has to agree.
    """
    members.must_see(actor, series)
    permit_with(actor, Verb.ANSWER, series)
    why = reason_text(reason, needed=not agree)
    answer = Consent.GIVEN if agree else Consent.DECLINED
    with transaction.atomic():
        now = clock.now()
        rows = members.rows_in(members.locked_groups(series, now=now))
        series_as_read(terms, series.pk)
        if rows[0].consent == Consent.NOT_NEEDED:
            raise StaleState(f"{series.reference} stays within one NREN: nobody has to agree")
        # Events are kept for ever: the same answer again, from whoever gives it, is none.
        rows = [row for row in rows if row.consent != answer]
        if not rows:
            return series
        before = {row.pk: row.consent for row in rows}
        PremiumRequest.objects.filter(pk__in=list(before)).update(
            consent=answer, consent_by_id=actor.user_id, consent_at=now
        )
        deeds = [
            audit.Deed(
                row,
                before={"consent": before[row.pk]},
                after={"consent": answer},
                nren_ids=pairs.concerned(row),
            )
            for row in rows
        ]
        action = "consent" if agree else "decline"
        audit.record_all(actor=actor, action=f"request.{action}", deeds=deeds, reason=why)
        audit.record(
            actor=actor,
            action=f"series.{action}",
            obj=series,
            reason=why,
            after={"consent": answer, "occurrences": len(rows)},
            nren_ids=members.concerned(series),
        )
    return series
