"""What exactly is approved, as one hash over every line of every router, its undo and its gaps; and whose word it still needs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

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
    return _digest(_rows(change).values())


def _rows(change: Change) -> dict[int, list[Any]]:
    """What of each push of a change is bound by the change's fingerprint, in the order of the plan."""
    rows = change.pushes.order_by("position", "pk")
    return {
        pk: [router, phase, of_plan, plan_digest or NO_PLAN, unsaved]
        for pk, router, phase, of_plan, plan_digest, unsaved in rows.values_list(
            "pk", "router__name", "phase", "fingerprint", "plan_digest", "unsaved"
        )
    }


def _said(push: RouterPush) -> list[Any]:
    """The same of one push in hand."""
    return [push.router.name, push.phase, push.fingerprint, push.plan_digest or NO_PLAN, push.unsaved]


def _digest(said: Iterable[Any]) -> str:
    return hashlib.sha256(json.dumps(list(said), sort_keys=True).encode()).hexdigest()


def approved_as_planned(change: Change, *, sending: RouterPush | None = None) -> None:
    """Raise StaleState unless what is stored now is, byte for byte, what somebody approved.

    The stored text of every router is looked at, or only that of the one push that is about to be sent.
    """
    if change.approved_by_id is None or not change.approved_fingerprint:
        raise StaleState(f"{change.reference} was not approved", field="approved_by")
    pushes = change.pushes.select_related("router") if sending is None else [sending]
    if not _is_what_was_approved(change, sending) or edited(pushes):
        raise StaleState(
            f"{change.reference} is not what was approved: plan again", field="approved_fingerprint"
        )


_SEEN_KEPT = 8
_seen: dict[tuple[int, str], dict[int, list[Any]]] = {}
"""What each push of a change says that was approved as a whole, by the change and its approved fingerprint: those of the last
few changes that this process saw to be, row by row, what was approved. A process sends to hundreds of routers of one change, and
looks at the other routers' rows for the first of them."""


def _is_what_was_approved(change: Change, sending: RouterPush | None) -> bool:
    """Whether the rows of a change are those of its approved fingerprint. For the one push that is about to be sent it is enough
    that it is one of the rows that were: every row of a fingerprint is bound by it.
    """
    about = (change.pk, change.approved_fingerprint)
    known = _seen.get(about, {})
    if sending is not None and known.get(sending.pk) == _said(sending):
        return True
    rows = _rows(change)
    if _digest(rows.values()) != change.approved_fingerprint:
        return False
    _seen[about] = rows
    for old in list(_seen)[:-_SEEN_KEPT]:
        _seen.pop(old, None)
    return sending is None or rows.get(sending.pk) == _said(sending)


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
