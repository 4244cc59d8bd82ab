"""An edit of a policy-map: made to a copy, which the device judges on every attachment."""

from __future__ import annotations

from collections.abc import Callable

from lab import policies
from lab.errors import Refusal
from lab.mode import Login
from lab.store import PolicyMap


def edit_policy(session: Login, name: str, change: Callable[[PolicyMap], None]) -> str:
    """Apply the change to a copy and hand it to the device; what is printed. Raises Refusal."""
    present = session.config.policy_maps.get(name)
    if present is None:
        raise Refusal(f"% policy-map {name} not configured")
    draft = present.draft()
    change(draft)
    return policies.commit(session.device, draft)
