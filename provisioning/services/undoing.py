"""Undoing a whole change: what is wanted is set back first, plans follow from it router by router, each approved like any other.

No stored line goes backwards (ADR 15): what a router holds follows from what is wanted, and it may have changed since.
"""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.errors import Conflict
from provisioning.models import Actor, Change, PremiumRequest, Verb
from provisioning.selectors.authority import permit
from provisioning.selectors.way_back import WayBack, way_back
from provisioning.services import queues, requests
from provisioning.services.wording import reason_text

BY_ROWS = "withdraw"
"""The code of the steps that this takes; the others are a person's: another network file, a request asked anew."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The requests that were withdrawn, twins included, and the steps that a person has still to take for the rest."""

    withdrawn: tuple[PremiumRequest, ...]
    left: tuple[WayBack, ...]


def foreseen(change: Change) -> tuple[tuple[WayBack, ...], tuple[WayBack, ...]]:
    """The steps that `undo` would take, and those that it leaves to a person."""
    steps = way_back(change)
    return (
        tuple(step for step in steps if step.code == BY_ROWS),
        tuple(step for step in steps if step.code != BY_ROWS),
    )


def undo(*, actor: Actor, change: Change, reason: str) -> Undone:
    """Withdraw, all or none, what a change put on and is still wanted; taking it off is planned next, on each of its routers.

    What that does not undo is named (`left`): the undo is whole only when this is empty. Raises NotPermitted, InvalidInput
    without a reason, Conflict while the change is not over, or when nothing of it is undone by this.
    """
    permit(actor, Verb.UNDO)
    reason = reason_text(reason)
    change.refresh_from_db()
    if change.finished_at is None:
        raise Conflict(f"{change.reference} is not over: abort what has not begun of it first", field="state")
    takes, left = foreseen(change)
    if not takes:
        said = " ".join(step.text for step in left) or "nothing of it was verified, or it is undone already."
        raise Conflict(f"{change.reference} is not undone by withdrawing anything: {said}", field="state")
    keys = [step.request for step in takes if step.request is not None]
    gone = requests.withdraw_granted(actor=actor, keys=keys, reason=f"undoing {change.reference}: {reason}")
    entering = PremiumRequest.objects.filter(pk__in=[row.pk for row in gone]).order_by()
    queues.mark(sorted(set(entering.values_list("source_link__interface__router", flat=True))))
    return Undone(tuple(gone), left)
