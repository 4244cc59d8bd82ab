"""What exactly was approved, as one hash over every line of every router, its undo and its gaps."""

from __future__ import annotations

import hashlib
import json

from provisioning.errors import StaleState
from provisioning.models import Change, RouterPush
from provisioning.pipeline.change import ChangePlan


def plan_of(push: RouterPush) -> ChangePlan:
    """The plan of a push as stored; raises StaleState when its router was not read and there is none."""
    if push.plan is None:
        raise StaleState(f"{push.router.name} was not read when this was planned; there is nothing to send")
    return ChangePlan.from_json(push.plan)


def fingerprint(change: Change) -> str:
    """sha256 (hex) over the pushes of a change: which router, which phase, and the plan as stored, byte for byte."""
    said = [
        [
            push.router.name,
            push.phase,
            push.fingerprint,
            hashlib.sha256(json.dumps(push.plan, sort_keys=True).encode()).hexdigest(),
            push.unsaved,
        ]
        for push in change.pushes.select_related("router").order_by("position", "pk")
    ]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def approved_as_planned(change: Change) -> None:
    """Raise StaleState unless what is stored now is, byte for byte, what somebody approved."""
    if change.approved_by_id is None or not change.approved_fingerprint:
        raise StaleState(f"{change.reference} was not approved", field="approved_by")
    if change.approved_fingerprint != fingerprint(change):
        raise StaleState(
            f"{change.reference} is not what was approved: plan again", field="approved_fingerprint"
        )
