"""The NOC asks back, the NREN answers, and the other way round: a word about a request, told to the other side."""

from __future__ import annotations

from typing import Final

from django.db import transaction

from provisioning.errors import Conflict, NotPermitted, NotVisible
from provisioning.models import Actor, PremiumRequest, Remark, Topic, Verb
from provisioning.selectors import requests as reading
from provisioning.selectors.authority import permit_with
from provisioning.selectors.remarks import ACTIONS, may_read, speaks_for_noc
from provisioning.services import audit, clock
from provisioning.services.locking import locked
from provisioning.services.telling.noting import Note, note
from provisioning.services.wording import reason_text

MOST: Final = 200
"""Remarks about one request of each side; a conversation that is longer needs a telephone."""


def say(*, actor: Actor, request: PremiumRequest, text: str, asks: bool = False) -> Remark:
    """Write a remark about a request, which answers what the other side asked before; with ``asks`` an answer is waited for.

    It is kept for ever, and read by the NOC and the NREN that sends: whoever receives learns nothing of it. Raises NotVisible,
    NotPermitted unless the table lets the actor say something for that NREN, InvalidInput (text), Conflict from `MOST` on.
    """
    reading.must_see(actor, request)
    if not may_read(actor, request):
        raise NotVisible("There is nothing here, or nothing that you may see.")
    permit_with(actor, Verb.SAY, request)
    if actor.user_id is None:
        raise NotPermitted("Only a person says something about a request.")
    said = reason_text(text, field="text")
    with transaction.atomic():
        row = locked(PremiumRequest.objects.filter(pk=request.pk)).get()
        of_noc, now = speaks_for_noc(actor, row), clock.now()
        # Each side has its own: nobody ends the conversation for the other.
        if Remark.objects.filter(request=row, of_noc=of_noc).count() >= MOST:
            raise Conflict(
                f"{row.reference} has {MOST} remarks of your side: speak to each other, and decide"
            )
        Remark.objects.filter(request=row, asks=True, answered_at=None, of_noc=not of_noc).update(
            answered_at=now
        )
        made = Remark.objects.create(
            request=row, by_id=actor.user_id, of_noc=of_noc, asks=asks, text=said, at=now
        )
        audit.record(
            actor=actor,
            action=ACTIONS[0] if asks else ACTIONS[1],
            obj=row,
            reason=said,
            nren_ids=[row.nren_id],
        )
        note(
            Note(
                topic=Topic.QUESTION,
                subject=f"remark/{made.pk}",
                title=f"{row.reference}: {'a question' if asks else 'a word'} from {'the NOC' if of_noc else row.nren.name}",
                path=f"/requests/{row.pk}/questions/",
                nren_id=row.nren_id if of_noc else None,
            )
        )
    return made
