"""What exactly is approved, as one hash over every line of every router, its undo and its gaps; and whose word it still needs."""

from __future__ import annotations

import hashlib
import json

from provisioning.errors import StaleState
from provisioning.models import SYSTEM, Actor, Approval, Change, RouterPush
from provisioning.pipeline.states import PushState
from provisioning.selectors.approvals import missing_of
from provisioning.selectors.plans import NO_PLAN, edited
from provisioning.services import audit, clock, transitions


def fingerprint(change: Change) -> str:
    """sha256 (hex) over the pushes of a change: which router, which phase, and the digest of the plan as stored.

    No plan is loaded; whoever reads one (`selectors.plans`) proves that it is the one of that digest.
    """
    rows = change.pushes.order_by("position", "pk")
    said = [
        [router, phase, of_plan, plan_digest or NO_PLAN, unsaved]
        for router, phase, of_plan, plan_digest, unsaved in rows.values_list(
            "router__name", "phase", "fingerprint", "plan_digest", "unsaved"
        )
    ]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def approved_as_planned(change: Change, *, sending: RouterPush | None = None) -> None:
    """Raise StaleState unless what is stored now is, byte for byte, what somebody approved.

    The stored text of every router is looked at, or only that of the one push that is about to be sent.
    """
    if change.approved_by_id is None or not change.approved_fingerprint:
        raise StaleState(f"{change.reference} was not approved", field="approved_by")
    pushes = change.pushes.select_related("router") if sending is None else [sending]
    if change.approved_fingerprint != fingerprint(change) or edited(pushes):
        raise StaleState(
            f"{change.reference} is not what was approved: plan again", field="approved_fingerprint"
        )


def let_go(change: Change, *, reason: str, actor: Actor = SYSTEM) -> bool:
    """Move a change to APPROVED when its approvals are enough; inside the caller's transaction.

    Returns False, and changes nothing, while somebody's word is missing. What was not read when it was planned is
    cancelled by name: it is no part of what was approved.
    """
    words = list(Approval.objects.filter(change=change).order_by("pk"))
    if not words or missing_of(change):
        return False
    last = words[-1]
    Change.objects.filter(pk=change.pk).update(
        approved_by=last.user_id,
        approved_at=clock.now(),
        approval_reason=last.reason,
        approved_fingerprint=fingerprint(change),
        gaps_confirmed=all(each.gaps_confirmed for each in words),
        override_reason="; ".join(each.override_reason for each in words if each.override_reason)[:2000],
        save_others_edits=all(each.save_others_edits for each in words),
    )
    for push in change.pushes.select_related("router"):
        state = PushState(push.state)
        if state is PushState.PLANNED:
            _move(push, PushState.APPROVED, reason, actor)
        elif state is PushState.UNKNOWN and not push.has_plan:
            said = f"{push.router.name} was not read, so nothing was approved for it: plan it when it answers"
            _move(push, PushState.CANCELLED, said, actor)
    change.refresh_from_db()
    audit.record(
        actor=actor,
        action="change.approved",
        obj=change,
        reason=last.reason,
        before={"approved_by": None},
        after={
            "approved_by": [each.user_id for each in words],
            "carried_from": [each.carried_from_id for each in words if each.carried_from_id],
            "fingerprint": change.approved_fingerprint,
            "gaps_confirmed": change.gaps_confirmed,
            "override": change.override_reason,
            "save_others_edits": change.save_others_edits,
            "routers": sorted({push.router.name for push in change.pushes.filter(state=PushState.APPROVED)}),
        },
    )
    return True


def _move(push: RouterPush, to_state: PushState, reason: str, actor: Actor) -> None:
    transitions.move(
        model=RouterPush,
        pk=push.pk,
        from_states=(PushState(push.state),),
        to_state=to_state,
        actor=actor,
        reason=reason,
    )
