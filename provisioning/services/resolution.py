"""What an unfinished push becomes once its router was seen as intended through another one."""

from __future__ import annotations

from inventory.models import Router
from provisioning.models import SYSTEM, Change, Ownership, RouterPush
from provisioning.pipeline.diff.store import digest_of, store_of
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.states import PushState
from provisioning.selectors.plans import plan_of
from provisioning.services import transitions
from provisioning.services.closing import close_if_over
from provisioning.services.locking import locked


def lock_changes(router: Router, *changes: Change) -> None:
    """Lock `changes` and every other that left this router unknown: a change is locked before its pushes, always."""
    left = RouterPush.objects.filter(router=router, state=PushState.UNKNOWN).values_list(
        "change_id", flat=True
    )
    keys = {change.pk for change in changes} | set(left)
    list(locked(Change.objects.filter(pk__in=keys).order_by("pk")).values_list("pk"))


def resolve_unknown(router: Router, change: Change, seen: RunningConfig) -> None:
    """Close every push that left this router unknown, now that `change` was verified on it and shows `seen`.

    To be called inside the transaction that says VERIFIED, after `lock_changes` and the ownership rows. A push of which
    a half-made object is still there stays open (a later phase, or one that open edges keep out, has yet to finish
    it): until then it is what says that the object is ours.
    """
    unknown = list(RouterPush.objects.filter(router=router, state=PushState.UNKNOWN).exclude(change=change))
    if not unknown:
        return
    objects = store_of(seen)
    rows = {(row.kind, row.name): row.digest for row in Ownership.objects.filter(router=router)}
    for push in unknown:
        touched = [word.partition(" ") for word in plan_of(push).in_flight] if push.has_plan else []
        left = [
            f"{kind} {name}"
            for kind, _, name in touched
            if (kind, name) in objects and rows.get((kind, name)) != digest_of(objects[kind, name])
        ]
        if left:
            continue
        transitions.move(
            model=RouterPush,
            pk=push.pk,
            from_states=(PushState.UNKNOWN,),
            to_state=PushState.CANCELLED,
            actor=SYSTEM,
            reason=f"{router.name} was seen as intended through {change.reference}",
        )
        close_if_over(push.change)
