"""Changes and their pushes as the pages show them; a change's state is derived from its routers."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Prefetch, QuerySet
from django.db.models.fields.json import KT

from provisioning.errors import NotVisible
from provisioning.models import Change, RouterPush
from provisioning.selectors.changes import ANSWERED, all_changes, state_of
from provisioning.selectors.since import with_what_came_since

# What a list says of a change's routers.
_TOLD_OF = (
    "change",
    "router__name",
    "phase",
    "position",
    "state",
    "lines",
    "plan_digest",
    "conflicts",
    "error_code",
)


def changes() -> QuerySet[Change]:
    """Return all changes, newest first, with people, pushes and requests."""
    pushes = RouterPush.objects.select_related("router").only(*_TOLD_OF)
    return Change.objects.select_related("submitted_by", "approved_by", "released_by").prefetch_related(
        Prefetch("pushes", queryset=pushes), "requests"
    )


def change_of(pk: int) -> Change:
    """Return one change; raises NotVisible."""
    found = all_changes().filter(pk=pk).first()
    if found is None:
        raise NotVisible("There is no such change.")
    return found


def pushes_of(change: Change) -> list[RouterPush]:
    """Return the pushes of a change in the order in which they are sent."""
    return list(
        with_what_came_since(RouterPush.objects.filter(change=change))
        .select_related("router", "before", "stored_plan")
        .defer("stored_plan__content", "before__text", "verification", "counters", "health")
        .annotate(came=KT(f"verification__{ANSWERED}"))
        .order_by("position", "pk")
    )


def change_states(found: Iterable[Change]) -> dict[int, str]:
    """Return the derived state of each change by its primary key."""
    return {change.pk: state_of(change).value for change in found}
