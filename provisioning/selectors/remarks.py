"""What was said about a request between the NOC and the NREN that asks, as a person may read it."""

from __future__ import annotations

from typing import Final

from django.db.models import QuerySet

from provisioning.models import Actor, PremiumRequest, Remark

ACTIONS: Final = ("request.question", "request.remark")
"""What the trail calls them: of what is between the NOC and the NREN that sends, whoever receives learns nothing there either."""


def may_read(actor: Actor, request: PremiumRequest) -> bool:
    """Whether they see the whole backbone, or act for the NREN that sends; not whoever receives."""
    return actor.sees_everything or request.nren_id in actor.nren_ids


def said_about(request: PremiumRequest) -> QuerySet[Remark]:
    """What was said, the oldest first."""
    return Remark.objects.filter(request=request).select_related("by").order_by("pk")


def speaks_for_noc(actor: Actor, request: PremiumRequest) -> bool:
    """Whether they speak of a request as the NOC; for the NREN that asks, where they are of both."""
    return actor.is_noc and request.nren_id not in actor.nren_ids


def open_question(actor: Actor, request: PremiumRequest) -> Remark | None:
    """The question that waits longest for an answer of the reader's side; None where there is none."""
    if not may_read(actor, request):
        return None
    waiting = Remark.objects.filter(
        request=request, asks=True, answered_at=None, of_noc=not speaks_for_noc(actor, request)
    )
    return waiting.select_related("by").order_by("pk").first()
