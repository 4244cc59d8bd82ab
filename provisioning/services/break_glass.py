"""Break-glass: an approver goes ahead alone, once, with a reason; it stands until somebody else of the NOC acknowledges it."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from provisioning.errors import InvalidInput, NotPermitted, StaleState
from provisioning.models import Actor, BreakGlass, Change, PremiumRequest, Series, Verb
from provisioning.pipeline.authority import Objection
from provisioning.selectors.authority import overridable, people_of, permit_named, refuse_by
from provisioning.services import audit, clock, pairs
from provisioning.services.locking import locked
from provisioning.services.telling import events
from provisioning.services.wording import reason_text


def weigh(found: Sequence[Objection], reason: str, *, lacking: Sequence[str] = ()) -> tuple[str, ...]:
    """The sentences that somebody goes against with this reason; none where no break-glass is meant (an empty reason).

    ``lacking`` are the words of other people that are missing. Raises NotPermitted with the objections where there is no
    reason, or one of them cannot be overridden; InvalidInput where nothing stands against the deed.
    """
    if not reason or (found and not overridable(found)):
        refuse_by(found)
        return ()
    sentences = (*(each.told for each in found), *lacking)
    if not sentences:
        raise InvalidInput("nothing stands against it: no break-glass is needed", field="break_glass")
    return sentences


def reason_of(text: str) -> str:
    """The reason of a break-glass as it is kept; empty where none is meant. Raises InvalidInput naming the field."""
    return reason_text(text, field="break_glass", needed=False)


def record(
    *,
    actor: Actor,
    deed: Verb,
    about: PremiumRequest | Series | Change,
    against: Sequence[str],
    reason: str,
) -> BreakGlass | None:
    """Keep that the actor went against these sentences, inside the caller's transaction; None where there are none."""
    if not against:
        return None
    assert actor.user_id is not None, "whoever has no name has been refused"
    row = BreakGlass.objects.create(
        deed=deed,
        user_id=actor.user_id,
        at=clock.now(),
        reason=reason,
        objections=list(against),
        request=about if isinstance(about, PremiumRequest) else None,
        series=about if isinstance(about, Series) else None,
        change=about if isinstance(about, Change) else None,
    )
    events.done_alone(row, actor.label)
    audit.record(
        actor=actor,
        action="break-glass",
        obj=row,
        reason=reason,
        after={"deed": deed, "about": str(about), "against": list(against)},
        nren_ids=_concerned(about),
    )
    return row


def acknowledge(*, actor: Actor, row: BreakGlass, reason: str = "") -> BreakGlass:
    """Note that a different member of the NOC has seen it; it stands no longer.

    Raises NotPermitted for whoever is not of the NOC, or did it themselves, StaleState when it is acknowledged already.
    """
    person = permit_named(actor, Verb.ACKNOWLEDGE)
    why = reason_text(reason, needed=False)
    with transaction.atomic():
        row = locked(BreakGlass.objects.all()).get(pk=row.pk)
        if row.user_id in people_of(actor):
            raise NotPermitted(
                f"{row.reference} was done by you: somebody else of the NOC has to acknowledge it."
            )
        if row.acknowledged_at is not None:
            raise StaleState(f"{row.reference} is acknowledged already", state="acknowledged")
        row.acknowledged_by_id, row.acknowledged_at, row.acknowledgement = person, clock.now(), why
        row.save(update_fields=["acknowledged_by", "acknowledged_at", "acknowledgement"])
        events.acknowledged(row)
        about = row.about
        audit.record(
            actor=actor,
            action="break-glass.acknowledged",
            obj=row,
            reason=why,
            after={"about": str(about)},
            nren_ids=_concerned(about),
        )
    return row


def _concerned(about: PremiumRequest | Series | Change) -> list[int]:
    """The NRENs that may see it: of a change those that asked for what it carries."""
    if isinstance(about, PremiumRequest):
        return list(pairs.concerned(about))
    if isinstance(about, Series):
        return [nren for nren in (about.nren_id, about.receiving_nren_id) if nren is not None]
    return sorted(set(about.requests.values_list("nren_id", flat=True)))
