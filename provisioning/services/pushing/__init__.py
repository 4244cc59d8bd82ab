"""The push: approved lines to one router, exactly those, every one judged, and nothing believed that was not read back.

`push` and `recover` are executed by jobs; `preflight` clears a phase of a change before its first push.
"""

from __future__ import annotations

import time

from provisioning.errors import ConfigurationLocked, Conflict, DeviceError, PushDisabled
from provisioning.models import Change, RouterPush
from provisioning.pipeline.change import PushState
from provisioning.selectors.changes import UNRECOGNISED
from provisioning.selectors.plans import plan_of
from provisioning.selectors.pushing import why_no_push
from provisioning.services import leases, verifying, versions
from provisioning.services.approval import approved_as_planned
from provisioning.services.leases import Held, Lease
from provisioning.services.pushing import broken, course, followed, gate
from provisioning.services.pushing.gate import cancel_rest, next_phase, next_phase_of
from provisioning.services.resolution import close_if_over

__all__ = [
    "UNRECOGNISED",
    "cancel_rest",
    "next_phase",
    "next_phase_of",
    "preflight",
    "push",
    "recover",
    "require_enabled",
]

# How often one job opens a new session after one broke, and how long it waits first (a vty needs a moment).
RETRIES = 2
PAUSE_SECONDS = 1.0
FINAL = frozenset({"authentication-refused", "host-key-changed"})


def require_enabled() -> None:
    """Raise PushDisabled unless PUSH_ENABLED is set and nothing holds it, OtherVersion where the database is another's."""
    versions.check()
    if why := why_no_push():
        raise PushDisabled(why)


def preflight(*, change_id: int) -> str:
    """Read every router of a change again and clear its next phase; return the outcome as a sentence."""
    require_enabled()
    return gate.check(Change.objects.get(pk=change_id))


def push(*, router_push_id: int, worker: str) -> str:
    """Send one approved plan; return the outcome as a sentence.

    A push that had begun (a worker died on it, or its session broke) is continued as `recover` would. Raises
    PushDisabled, StaleState when the approval does not cover what would be sent, Held while another worker holds
    the router.
    """
    require_enabled()
    row = _row(router_push_id)
    state = PushState(row.state)
    if state in course.BEGUN:
        return recover(router_push_id=router_push_id, worker=worker)
    if state is not PushState.APPROVED:
        return f"nothing to do: {row.state.lower()} already"
    if row.change.cleared_phase != row.phase:
        raise Conflict(
            f"{row.phase} of {row.change.reference} is not cleared: its routers were not read again yet"
        )
    approved_as_planned(row.change, sending=row)
    return _hold_and_work(row, worker)


def recover(*, router_push_id: int, worker: str) -> str:
    """Read a router after a broken push and finish it, take it back, or say that it is unknown.

    Raises Held while the lease of the worker before has not run out.
    """
    require_enabled()
    row = _row(router_push_id)
    if PushState(row.state) not in course.BEGUN:
        return f"nothing to do: {row.state.lower()} already"
    if row.error_code == UNRECOGNISED:
        return "nothing to do: its state was not approved; plan it anew"
    return _hold_and_work(row, worker)


def _hold_and_work(row: RouterPush, worker: str) -> str:
    lease = leases.acquire(router=row.router, owner=f"{worker}/{row.pk}"[:120])
    if lease is None:
        raise Held(f"{row.router.name} is held by another worker; trying again when its lease has run out")
    try:
        row.refresh_from_db()  # what it was may have changed while the lease was somebody else's
        if PushState(row.state) not in course.BEGUN | {PushState.APPROVED}:
            return f"nothing to do: {row.state.lower()} already"
        outcome = _work(row, lease)
    finally:
        leases.release(lease)
    _afterwards(row)
    return outcome


def _work(row: RouterPush, lease: Lease) -> str:
    """One session after another until the push is decided or there is nothing to be gained by another try."""
    for again in range(RETRIES + 1):
        try:
            return course.attempt(row, lease)
        except ConfigurationLocked as error:
            if again == RETRIES:
                row.refresh_from_db()
                return broken.locked(row, lease, error)
        except DeviceError as error:
            row.refresh_from_db()
            if PushState(row.state) is PushState.APPROVED:
                return broken.nothing_sent(row, lease, error)
            outcome = broken.cut_off(row, lease, error)
            if again == RETRIES or error.code in FINAL:
                return outcome
        time.sleep(PAUSE_SECONDS)
    raise AssertionError("unreachable: the last try returns")


def _afterwards(row: RouterPush) -> None:
    """What follows from a decided push: the router's standing, the rest of the change, the promises, the queue."""
    row.refresh_from_db()
    state = PushState(row.state)
    if state in gate.ENDED_BADLY:
        cancel_rest(row.change, f"{row.router.name} {state.value.lower().replace('_', ' ')}: {row.error}")
        verifying.verify_router(router=row.router)
    if state in gate.ENDED_BADLY | {PushState.VERIFIED}:
        close_if_over(row.change)
        verifying.settle_requests(routers=[row.router.name])
    followed.follow(row)


def _row(pk: int) -> RouterPush:
    row = RouterPush.objects.select_related("router", "change", "before").get(pk=pk)
    plan_of(row)
    return row
