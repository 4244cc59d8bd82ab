"""What came to a router after a push ended badly there: a later change that was verified on it."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet, Subquery

from provisioning.models import RouterPush
from provisioning.pipeline.states import PushState

VERIFIED_SINCE = RouterPush.objects.filter(
    router=OuterRef("router"), state=PushState.VERIFIED, state_changed_at__gt=OuterRef("state_changed_at")
).exclude(change=OuterRef("change"))
_FIRST = Subquery(VERIFIED_SINCE.order_by("state_changed_at", "pk").values("change")[:1])


def with_verified_since(pushes: QuerySet[RouterPush]) -> QuerySet[RouterPush]:
    """These pushes, each with the key of the first later change that was verified on its router (`verified_since`), or None: read
    with them, where many are asked of.
    """
    return pushes.annotate(verified_since=_FIRST)


def verified_since(push: RouterPush) -> int | None:
    """The key of the first other change that was verified on the router of a push since it ended; None: none was."""
    if hasattr(push, "verified_since"):
        found: int | None = push.verified_since
        return found
    return RouterPush.objects.filter(pk=push.pk).values_list(_FIRST, flat=True).first()
