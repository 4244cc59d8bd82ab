"""Whose the objects on a router are, as rows say it; never by name (architecture.md, "Ownership is a row")."""

from __future__ import annotations

from inventory.models import Router
from provisioning.models import Ownership, RouterPush
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.diff import Owned
from provisioning.pipeline.states import PushState
from provisioning.selectors.plans import plan_of
from provisioning.services import clock

LEFT = "left"
"""In what is known of a push that ended unknown: what its own lines were seen to have made of an object, by "kind name"."""


def owned_on(router: Router) -> Owned:
    """Return what is ours on a router, and what an unfinished push of ours can have left half made there."""
    unfinished = RouterPush.objects.filter(
        router=router, state__in=(PushState.PUSHING, PushState.PUSHED, PushState.UNKNOWN)
    ).exclude(plan_digest="")
    in_flight: dict[tuple[str, str], frozenset[str]] = {}
    for push in unfinished:
        for word, digests in plan_of(push).in_flight.items():
            kind, _, name = word.partition(" ")
            left = (push.verification or {}).get(LEFT, {}).get(word)
            # An undo that was cut off leaves contents no prefix has: then any content may be ours (an empty set).
            known = (
                frozenset({*digests, *([left] if left else [])}) if push.undo_from is None else frozenset()
            )
            held = in_flight.get((kind, name), known)
            in_flight[kind, name] = held | known if held and known else frozenset()
    return Owned(
        objects={(row.kind, row.name): row.digest for row in Ownership.objects.filter(router=router)},
        in_flight=in_flight,
    )


def own(router: Router, plan: ChangePlan) -> None:
    """Bring the rows of a router to what a verified plan left there; inside the caller's transaction."""
    now = clock.now()
    rows = [
        Ownership(router=router, kind=kind, name=name, digest=content, verified_at=now)
        for (kind, _, name), content in sorted(
            (key.partition(" "), content) for key, content in plan.owned_after.items()
        )
    ]
    place, said = ["router", "kind", "name"], ["digest", "verified_at"]
    Ownership.objects.bulk_create(rows, update_conflicts=True, unique_fields=place, update_fields=said)
    for key in plan.released:
        kind, _, name = key.partition(" ")
        Ownership.objects.filter(router=router, kind=kind, name=name).delete()
