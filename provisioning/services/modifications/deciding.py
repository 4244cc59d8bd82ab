"""The NOC decides about a modification: on the difference, under the locks of its links, never past the share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from provisioning.errors import Conflict, StaleState
from provisioning.models import Actor, Modification, PremiumRequest, Verb
from provisioning.pipeline.admission import Admitted, Refused, Viewer, to_json
from provisioning.pipeline.states import ModificationState
from provisioning.selectors.authority import to_deciding
from provisioning.selectors.modifications import own_commitments, sls_after, terms_of
from provisioning.selectors.queues import ON
from provisioning.selectors.requests import AGREED
from provisioning.services import audit, clock, pairs, queues, terms
from provisioning.services import break_glass as glass
from provisioning.services.asides import put_aside_plans
from provisioning.services.decisions.capacity import judge_locked
from provisioning.services.decisions.deciding import keep
from provisioning.services.decisions.links import begin_decision
from provisioning.services.decisions.permission import may_decide, nothing_against
from provisioning.services.modifications.answering import both
from provisioning.services.modifications.judging import (
    being_taken_off,
    may_be_on,
    not_moving,
    to_judge,
    weighed,
)
from provisioning.services.requests.trying import Tried
from provisioning.services.wording import reason_text


def evidence(modification: Modification, viewer: Viewer | None = None) -> Tried:
    """How a proposal stands against the ledger at this moment, on the difference, as ``viewer`` may be told (None: exactly);
    changes nothing.
    """
    rows, now = pairs.read(modification.request), clock.now()
    asked = [to_judge(sls_after(row, each), now) for row, each in zip(rows, _both(modification), strict=True)]
    judged = weighed(rows, asked, now, viewer)
    return Tried(tuple(asked), judged.verdict, judged.version, rows[0].nren_id, viewer)


def admit(
    *, actor: Actor, modification: Modification, reason: str, break_glass: str = ""
) -> Admitted | Refused:
    """Grant the modification and its twin's if, under the locks of every link they load, the difference fits.

    Where no router has to hold anything else it is in force at once. Else it is ADMITTED: the larger of old and new is charged
    until the routers were seen with it. A Refused changes nothing. Raises NotVisible, NotPermitted (not the NOC, or who
    stands behind it), Conflict (no consent, its path moves, it is being taken off), StaleState, InvalidInput (no reason).
    ``break_glass`` as in `decisions.admit`.
    """
    may_decide(actor, modification.request)
    why, alone = reason_text(reason), glass.reason_of(break_glass)
    with begin_decision(modification.request.nren):
        now = clock.now()
        found = pairs.read(modification.request)
        proposed = _both(modification)
        asked = [to_judge(sls_after(row, each), now) for row, each in zip(found, proposed, strict=True)]
        judged = judge_locked(found, now=now, becoming=asked, held=lambda: own_commitments(found))
        verdict = judged.verdict
        rows = pairs.locked(modification.request)
        held = both(modification)
        _decidable(rows, held, now)
        against = glass.weigh(to_deciding(actor, held), alone)
        if [terms_of(each) for each in held] != [terms_of(each) for each in proposed]:
            raise StaleState(f"{modification.reference} has become another; look at it again")
        if any(each.consent not in AGREED for each in held):
            raise Conflict("the receiving NREN has not agreed to it", consent=held[0].consent)
        not_moving(rows)
        if isinstance(verdict, Refused):
            for each in held:
                audit.record(
                    actor=actor,
                    action="request.modification.does-not-fit",
                    obj=each.request,
                    reason=why,
                    after={"modification": each.pk, **to_json(verdict), "topology": judged.version},
                    nren_ids=pairs.concerned(each.request),
                )
        else:
            queues.lock_reservations(rows)  # before any charge (services/locking)
            kept = keep("modified", rows, judged)
            for row, each, admitted in zip(rows, held, verdict, strict=True):
                _grant(actor, row, each, admitted, judged.version, why, kept)
            glass.record(
                actor=actor, deed=Verb.DECIDE, about=modification.request, against=against, reason=alone
            )
    modification.refresh_from_db()
    return verdict if isinstance(verdict, Refused) else verdict[0]


def refuse(*, actor: Actor, modification: Modification, reason: str) -> Modification:
    """Refuse the modification and its twin's; what was granted stays as it is. Raises as `admit`."""
    may_decide(actor, modification.request)
    why = reason_text(reason)
    with transaction.atomic():
        rows = pairs.locked(modification.request)
        held = both(modification)
        _decidable(rows, held, clock.now())
        nothing_against(actor, held)
        for each in held:
            terms.move(each, ModificationState.REFUSED, actor=actor, reason=why, **_decision(actor, why))
    modification.refresh_from_db()
    return modification


def _grant(
    actor: Actor,
    row: PremiumRequest,
    modification: Modification,
    admitted: Admitted,
    version: int,
    why: str,
    kept: str,
) -> None:
    if being_taken_off(row):
        raise Conflict(f"{row.reference} is being taken off the routers", field="state")
    shown = {**to_json(admitted), "topology": version, "record": kept}
    waits = modification.changes_lines and may_be_on(row)
    if waits:
        terms.charge_beside(row, modification, admitted)
    else:
        terms.put_in_force(row, modification, admitted, version)
        modification.request = row
    terms.move(
        modification,
        ModificationState.ADMITTED if waits else ModificationState.IN_FORCE,
        actor=actor,
        reason=why,
        in_force_at=None if waits else clock.now(),
        **_decision(actor, why),
    )
    Modification.objects.filter(pk=modification.pk).update(evidence=shown)
    queues.mark([row.source_link.interface.router_id])
    if not waits:
        put_aside_plans(
            row,
            f"{row.reference} has become something else ({modification.reference})",
            off_only=not modification.changes_lines,
        )


def _decision(actor: Actor, why: str) -> dict[str, Any]:
    return {"decided_by_id": actor.user_id, "decided_at": clock.now(), "decision_reason": why}


def _both(modification: Modification) -> Sequence[Modification]:
    """The modification, then its twin's, read only."""
    keys = [key for key in (modification.pk, modification.twin_id) if key is not None]
    rows = Modification.objects.filter(pk__in=keys).select_related("request")
    return sorted(rows, key=lambda row: row.pk != modification.pk)


def _decidable(rows: Sequence[PremiumRequest], held: Sequence[Modification], now: datetime) -> None:
    for each in held:
        if each.state != ModificationState.PROPOSED:
            raise StaleState(f"{each.reference} is {each.state}: it is decided", state=each.state)
        if each.end is not None and each.end <= now:
            raise StaleState(f"the window of {each.reference} is over")
    for row in rows:
        if row.state not in ON:
            raise StaleState(f"{row.reference} is {row.state}", state=row.state)
        if row.end is not None and row.end <= now:
            raise StaleState(f"the window of {row.reference} is over")
    for row, each in zip(rows, held, strict=True):
        if row.start <= now and each.start != row.start:
            raise StaleState(f"{row.reference} has begun meanwhile: its start stays", field="start")
        if each.start != row.start and may_be_on(row):
            raise StaleState(
                f"a router holds lines of {row.reference} meanwhile: its start stays", field="start"
            )
