"""What becomes of a push whose session ended before anything was decided."""

from __future__ import annotations

from typing import Any

from provisioning.errors import ConfigurationLocked, DeviceError, StaleState
from provisioning.models import RouterPush
from provisioning.pipeline.states import PushState
from provisioning.selectors.plans import plan_of
from provisioning.services.leases import Lease
from provisioning.services.pushing import recording
from provisioning.services.pushing.session import move_held, unknown_held


def nothing_sent(push: RouterPush, lease: Lease, error: DeviceError) -> str:
    """The session ended before the first line: the push has failed and the router is as it was."""
    reason = f"{error.reason}; nothing was sent to {push.router.name}"
    try:
        move_held(push, lease, PushState.FAILED, reason, error=reason, error_code=error.code)
    except StaleState:
        push.refresh_from_db()
        return f"already {push.state}"
    return f"failed: {reason}"


def locked(push: RouterPush, lease: Lease, error: ConfigurationLocked) -> str:
    """Somebody else holds configuration mode: nothing of ours is on the router, or some of it is and the rest waits."""
    said = f"somebody else holds configuration mode on {push.router.name} ({error.reply.strip() or error.reason})"
    digests = plan_of(push).prefix_digests
    # How many lines are in may be written down late; a session in which any could have been sent is on record from its start.
    begun = push.undo_from is not None or recording.tries(push)
    if not begun and digests[push.line : push.line + 1] == digests[:1]:
        reason = f"{said}; nothing was sent to {push.router.name}"
        move_held(push, lease, PushState.FAILED, reason, error=reason, error_code=error.code)
        return f"failed: {reason}"
    known = f"at least {push.line}" if push.line else "nobody knows how many"
    left = "taking back goes on" if push.undo_from is not None else f"{known} of {push.lines} lines are in"
    return cut_off(push, lease, ConfigurationLocked(f"{said}; {left}"))


def cut_off(push: RouterPush, lease: Lease, error: DeviceError) -> str:
    """The session ended in the middle: what the router holds is unknown until it is read again."""
    reason = f"{error.reason}; {push.router.name} is unknown until it is read again"
    # Once it is being taken back the first reason stays, with its code: that the session broke is in the history.
    fields: dict[str, Any] = {"error_code": error.code, "error": reason} if push.undo_from is None else {}
    unknown_held(push, lease, reason, **fields)
    return f"unknown: {reason}"
