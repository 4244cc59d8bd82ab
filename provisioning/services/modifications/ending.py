"""Ending early, and taking a modification back: neither takes anything from anybody, so nobody decides about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from provisioning.errors import Conflict, InvalidInput, StaleState
from provisioning.models import Actor, Consent, Modification, PremiumRequest, RouterPush, Verb
from provisioning.pipeline.states import ModificationState
from provisioning.selectors import modifications as reading
from provisioning.selectors.authority import permit_with
from provisioning.selectors.modifications import terms_of
from provisioning.selectors.pushing import BEGUN
from provisioning.selectors.queues import ON
from provisioning.services import audit, clock, pairs, queues, terms
from provisioning.services.asides import put_aside_plans
from provisioning.services.modifications.answering import both
from provisioning.services.modifications.judging import being_taken_off
from provisioning.services.requests.replacing import may_change
from provisioning.services.wording import reason_text


def end_early(
    *, actor: Actor, request: PremiumRequest, end: datetime | None = None, reason: str
) -> Modification:
    """Have a granted request (and its twin) end then, or now, and return what was noted; it is in force at once.

    What it was to become ends then too. Raises NotVisible, NotPermitted (neither the NREN that asked nor the NOC), InvalidInput
    for an end that is no sooner or comes before the start (that is a withdrawal), StaleState unless it is granted.
    """
    may_change(actor, request, Verb.END)
    why = reason_text(reason)
    with transaction.atomic():
        rows = pairs.locked(request)
        now = clock.now()
        for row in rows:
            if row.state not in ON or (row.end is not None and row.end <= now):
                raise StaleState(f"{row.reference} is {row.state}: there is nothing to end", state=row.state)
        at = now if end is None else max(end, now)
        made = cut(actor, rows, at, why)
    request.refresh_from_db()
    return made[0]


def cut(actor: Actor, rows: Sequence[PremiumRequest], end: datetime, why: str) -> list[Modification]:
    """Have these rows, which are locked and granted, end then."""
    made = []
    for row in rows:
        if end <= row.start:
            raise InvalidInput("it would end before it begins: withdraw it instead", field="end")
        if row.end is not None and end >= row.end:
            raise InvalidInput("that is no sooner than it ends now", field="end")
        if being_taken_off(row):
            raise Conflict(f"{row.reference} is being taken off the routers", field="state")
    for row in rows:
        before = terms_of(row)
        pending = reading.open_of(row)
        terms.clip(row, end)
        row.end = end
        if pending is not None and pending.start >= end:
            terms.move(
                pending,
                ModificationState.LAPSED,
                actor=actor,
                reason="its request ends before it would begin",
            )
        made.append(
            Modification.objects.create(
                request=row,
                **terms_of(row),
                before=audit.plain(before),
                reason=why,
                state=ModificationState.IN_FORCE,
                consent=Consent.NOT_NEEDED,
                proposed_by_id=actor.user_id,
                behind=actor.added_to([]),
                in_force_at=clock.now(),
            )
        )
        audit.record(
            actor=actor,
            action="request.end-early",
            obj=row,
            reason=why,
            before={"end": before["end"]},
            after={"modification": made[-1].pk, "end": end},
            nren_ids=pairs.concerned(row),
        )
    for row in rows:
        queues.mark([row.source_link.interface.router_id])
        put_aside_plans(row, f"{row.reference} ends at another instant", off_only=True)
    return made


def withdraw(*, actor: Actor, modification: Modification, reason: str) -> Modification:
    """Take a modification (and its twin's) back, and return it; what was granted stays as it is.

    One that is admitted is freed where no line of it was sent. Raises NotVisible, NotPermitted (neither the NREN that asked nor
    the NOC), Conflict while lines of it are being sent or may have been, StaleState when nothing is to come of it.
    """
    reading.must_see(actor, modification)
    request = modification.request
    permit_with(actor, Verb.END, request)
    why = reason_text(reason)
    with transaction.atomic():
        rows = pairs.locked(request)
        held = both(modification)
        open_ones = [each for each in held if each.is_open]
        if modification.pk not in {each.pk for each in open_ones}:
            raise StaleState(f"{modification.reference} is {held[0].state}", state=held[0].state)
        for each in open_ones:
            if _is_out(each):
                raise Conflict(f"lines of {each.reference} are being sent, or may have been", field="state")
        for each in open_ones:
            terms.release_beside(each)
            terms.move(each, ModificationState.WITHDRAWN, actor=actor, reason=why)
        for row in rows:
            queues.mark([row.source_link.interface.router_id])
            for each in open_ones:
                put_aside_plans(row, f"{each.reference} was withdrawn", modification=each.pk)
    modification.refresh_from_db()
    return modification


def _is_out(modification: Modification) -> bool:
    begun = RouterPush.objects.filter(BEGUN, change__requests=modification.request_id).select_related(
        "change"
    )
    return any(modification.pk in push.change.modifies.values() for push in begun)
