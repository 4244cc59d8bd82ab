"""The audit trail as a log that is read on from where one stopped."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.models import Actor, AuditEvent, AuditSeal
from provisioning.selectors import audit


@dataclass(frozen=True, slots=True)
class Part:
    """Some events in their order, each with its position; `next` is the cursor to read on from, `more` whether there are others
    already. `end` is the cursor behind everything that happened so far.
    """

    events: tuple[tuple[int, AuditEvent], ...]
    next: int
    more: bool
    end: int


def read_on(actor: Actor, *, after: int, most: int) -> Part:
    """Return the next events behind position `after` that the actor may see, `most` at most, the oldest first.

    Positions are those of the seals (`services.audit.sealing`): an event is given one after it was committed, so nothing is ever
    put before what somebody has read. The numbers of events would not do: who was given an earlier one may commit later.
    """
    last = AuditSeal.objects.order_by("-position").values_list("position", flat=True).first() or 0
    if last <= after:
        return Part((), after, more=False, end=last)
    seen = audit.for_actor(actor).order_by().values("pk")
    behind = AuditSeal.objects.filter(position__gt=after, position__lte=last, event_id__in=seen)
    seals = list(behind.order_by("position").values_list("position", "event_id")[: most + 1])
    more = len(seals) > most
    del seals[most:]
    events = AuditEvent.objects.in_bulk([event for _position, event in seals])
    found = tuple((position, events[event]) for position, event in seals)
    # What is another's is not read again: the cursor goes behind it.
    return Part(found, found[-1][0] if more else last, more, last)
