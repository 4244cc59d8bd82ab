"""The push: approved lines to one router, exactly those, every one judged, and nothing believed that was not read back.

`push` and `recover` are executed by jobs; `preflight` clears a phase of a change before its first push.
"""

from __future__ import annotations

import time

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from provisioning.errors import ConfigurationLocked, DeviceError, PushDisabled
from provisioning.models import Change, RouterPush
from provisioning.pipeline.states import UNSURE, PushState
from provisioning.selectors import turns
from provisioning.selectors.changes import UNRECOGNISED
from provisioning.selectors.plans import plan_of
from provisioning.selectors.pushing import BEGUN, why_no_push, with_names
from provisioning.services import clock, leases, stopping, versions
from provisioning.services.approval import approved_as_planned
from provisioning.services.leases import Held, Lease
from provisioning.services.pushing import broken, course, followed, gate, recording
from provisioning.services.pushing.gate import next_phase

__all__ = [
    "UNRECOGNISED",
    "follow_up",
    "next_phase",
    "preflight",
    "push",
    "recover",
    "require_enabled",
]

# How often one job opens a new session after one broke, and how long it waits first (a vty needs a moment).
RETRIES = 2
PAUSE_SECONDS = 1.0
WAITS_SECONDS = 6.0
"""A worker waits so long, at most, for the lease of a dead one before it gives the job back for that time."""
FINAL = frozenset({"authentication-refused", "host-key-changed", "wrong-router"})


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
    if state in UNSURE:
        return recover(router_push_id=router_push_id, worker=worker)
    if state is not PushState.APPROVED:
        return f"nothing to do: {row.state.lower()} already"
    moment = clock.now()
    if why := turns.why_not(row, row.change, moment):
        return f"not begun: {why}"
    if not turns.cleared(row.change, row.phase, moment):
        return f"not begun: the routers of {row.change.reference} are read again before {row.phase}"
    approved_as_planned(row.change, sending=row)
    return _hold_and_work(row, worker)


def recover(*, router_push_id: int, worker: str) -> str:
    """Read a router after a broken push and finish it, take it back, or say that it is unknown.

    Raises Held while the lease of the worker before has not run out.
    """
    require_enabled()
    row = _row(router_push_id)
    if PushState(row.state) not in UNSURE:
        return f"nothing to do: {row.state.lower()} already"
    if row.error_code == UNRECOGNISED:
        return "nothing to do: its state was not approved; plan it anew"
    return _hold_and_work(row, worker)


def follow_up(*, router_push_id: int) -> str:
    """Do what follows from the end of a push whose worker died before that; return the outcome as a sentence."""
    row = _rows().get(pk=router_push_id)
    if not row.follow_up_due:
        return "nothing to do: done already"
    followed.follow_up(row)
    return f"{row.change.reference}: done what follows from {row.state.lower()} on {row.router.name}"


def _hold_and_work(row: RouterPush, worker: str) -> str:
    with leases.kept(_taken(row, worker)) as lease:
        # What it was may have changed while the lease was somebody else's.
        recording.bring_up_to_date(row, _rows().get(pk=row.pk))
        if PushState(row.state) not in (*UNSURE, PushState.APPROVED):
            return f"nothing to do: {row.state.lower()} already"
        if PushState(row.state) is PushState.APPROVED:
            _wait_for_interrupted(row)
        outcome = _work(row, lease)
    followed.follow_up(row)
    return outcome


def _taken(row: RouterPush, worker: str) -> Lease:
    """The lease on the router of a push. Where the worker before us on the same push holds it, its end is waited for here if that
    is a matter of seconds; raises Held else, with the time at which to come again.
    """
    mine = f"/{row.pk}"
    owner = f"{worker[: 120 - len(mine)]}{mine}"
    if (lease := leases.acquire(router=row.router, owner=owner)) is not None:
        return lease
    holder, seconds = leases.free_in(row.router)
    before_us = holder.endswith(mine)
    if before_us and seconds <= WAITS_SECONDS:
        _wait(seconds)
        if (lease := leases.acquire(router=row.router, owner=owner)) is not None:
            return lease
        holder, seconds = leases.free_in(row.router)
    held = Held(f"{row.router.name} is held by another worker; trying again when its lease has run out")
    held.pause = max(0.5, seconds - WAITS_SECONDS / 2) if before_us else None
    raise held


def _wait(seconds: float) -> None:
    """Until a lease has run out by the database's clock, a little more; raises Stopping when this worker has to end."""
    over = time.monotonic() + seconds + 0.05
    while (left := over - time.monotonic()) > 0:
        stopping.check()
        time.sleep(min(left, 0.2))


def _wait_for_interrupted(row: RouterPush) -> None:
    """Raise Held while another push of the router is half way: its worker died, for we hold the lease, or its session did; or
    while the router may yet take it back by itself. It is finished or taken back first: where others change what it touches in
    between, nobody knows any more how far it got. One that is given up is left to a person, who plans anew: nothing waits for it.
    """
    others = RouterPush.objects.filter(router=row.router).exclude(pk=row.pk)
    begun = BEGUN & ~Q(error_code=UNRECOGNISED)
    other = others.filter(begun | Q(revert_until__gt=Now())).first()
    if other is not None:
        raise Held(
            f"{other.change.reference} was interrupted on {row.router.name}: that is finished or taken back first"
        )


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


def _row(pk: int) -> RouterPush:
    row = _rows().get(pk=pk)
    plan_of(row)
    return row


def _rows() -> QuerySet[RouterPush]:
    return with_names(RouterPush.objects.all())
