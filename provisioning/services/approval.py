"""What exactly was approved, as one hash over every line of every router, its undo and its gaps."""

from __future__ import annotations

import hashlib
import json

from provisioning.errors import StaleState
from provisioning.models import Change, RouterPush
from provisioning.selectors.plans import NO_PLAN, edited


def fingerprint(change: Change) -> str:
    """sha256 (hex) over the pushes of a change: which router, which phase, and the digest of the plan as stored.

    No plan is loaded; whoever reads one (`selectors.plans`) proves that it is the one of that digest.
    """
    said = [
        [
            push.router.name,
            push.phase,
            push.fingerprint,
            push.plan_digest or NO_PLAN,
            push.unsaved,
        ]
        for push in change.pushes.select_related("router").order_by("position", "pk")
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
