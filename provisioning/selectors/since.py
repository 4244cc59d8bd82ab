"""What came after a push ended badly: a later change that was verified on its router, or a person who said that it is dealt
with.
"""

from __future__ import annotations

from django.db.models import Case, CharField, OuterRef, QuerySet, Subquery, TextField, When
from django.db.models.functions import Cast

from provisioning.models import AuditEvent, RouterPush
from provisioning.pipeline.states import PushState

DEALT_WITH = "push.dealt-with"
"""The deed in the audit trail: who said that an end is dealt with, and why."""
VERIFIED_SINCE = RouterPush.objects.filter(
    router=OuterRef("router"), state=PushState.VERIFIED, state_changed_at__gt=OuterRef("state_changed_at")
).exclude(change=OuterRef("change"))
_FIRST = Subquery(VERIFIED_SINCE.order_by("state_changed_at", "pk").values("change")[:1])


def _events_of(key: str | Cast) -> QuerySet[AuditEvent]:
    """The events that say a push is dealt with, the last first."""
    events = AuditEvent.objects.filter(action=DEALT_WITH, object_type=RouterPush.__name__, object_id=key)
    return events.order_by("-sequence")


def _said(name: str) -> Case:
    """A column of the last event that says a push is dealt with; the trail is not asked of any other push."""
    last = _events_of(Cast(OuterRef("pk"), CharField())).values(name)[:1]
    return Case(When(dealt_with_at__isnull=False, then=Subquery(last)), output_field=TextField())


def with_what_came_since(pushes: QuerySet[RouterPush]) -> QuerySet[RouterPush]:
    """These pushes, each with the key of the first later change that was verified on its router, or None, and with who said that
    it is dealt with and why: read with them, where many are asked of.
    """
    return pushes.annotate(
        verified_since=_FIRST, dealt_with_by=_said("actor"), dealt_with_because=_said("reason")
    )


def verified_since(push: RouterPush) -> int | None:
    """The key of the first other change that was verified on the router of a push since it ended; None: none was."""
    if hasattr(push, "verified_since"):
        found: int | None = push.verified_since
        return found
    return RouterPush.objects.filter(pk=push.pk).values_list(_FIRST, flat=True).first()


def dealt_with(push: RouterPush) -> tuple[str, str] | None:
    """Who said that a push is dealt with, and why; None where the trail has no such event any more."""
    if hasattr(push, "dealt_with_by"):
        by: str | None = push.dealt_with_by
        return None if by is None else (by, getattr(push, "dealt_with_because", ""))
    return _events_of(str(push.pk)).values_list("actor", "reason").first()
