"""The right to write to a router: one row, one owner, by the database's clock (architecture.md, "Dispatch by state").

A push confirms its lease before every write. Who takes over from a dead owner waits until the lease has run out *and*
the longest line it could still be sending has passed, and then reads the router first. Every takeover increments the
epoch, so that an owner who was only slow finds out before its next write.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper, F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from inventory.models import Router
from provisioning.errors import Conflict, LeaseLost
from provisioning.models import RouterLease

TRIES = 3  # of one confirmation: an answer older than the lease is no confirmation


class Held(Conflict):
    """Another worker holds the router, or died holding it and its lease has not run out: try again later."""

    code = "held"


@dataclass(frozen=True, slots=True)
class Lease:
    """One period of ownership: worth nothing once another owner has raised the epoch."""

    router_id: int
    router: str
    owner: str
    epoch: int


def from_now(seconds: float) -> Combinable:
    """The database's own time, plus (or minus) seconds, as an expression."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def acquire(*, router: Router, owner: str) -> Lease | None:
    """Take the lease on a router, or return None while somebody else holds it or may still be finishing a line.

    A lease that was given back is free at once; one that only ran out is free after
    `ROUTER_TIMEOUT_SECONDS` more, which is the longest a single write can take.
    """
    if not _take(router, owner):
        _row, made = RouterLease.objects.get_or_create(router=router)
        if not made or not _take(router, owner):
            return None
    row = RouterLease.objects.get(router=router)
    if row.owner != owner:
        return None  # taken over between the two statements: only possible when our own lease is already void
    return Lease(router_id=router.pk, router=router.name, owner=owner, epoch=row.epoch)


def _take(router: Router, owner: str) -> bool:
    free = Q(until__isnull=True) | Q(until__lt=from_now(-settings.ROUTER_TIMEOUT_SECONDS))
    rows = RouterLease.objects.filter(free, router=router)
    until = from_now(settings.ROUTER_LEASE_SECONDS)
    return bool(rows.update(owner=owner, epoch=F("epoch") + 1, until=until))


def confirm(lease: Lease) -> None:
    """Extend the lease, or raise LeaseLost: then not one more line may be written.

    A lease that ran out while a long `show` was read is still ours as long as nobody took over: the same row, in
    one UPDATE, decides between the two, and from here on a takeover waits anew. A lease that another took is never
    extended: the epoch is part of the condition.

    An answer that took longer than the lease lasts (the process was stopped, the database hung) is not believed but
    asked for again. What remains is the moment between this return and the write: the driver waits for nothing in
    it, gives the router at most `ROUTER_TIMEOUT_SECONDS` to take the bytes, and a takeover waits that long beyond the
    lease. Only a process stopped within exactly that moment, for longer than both, could still write the one line it
    had been about to; no vty of that age can be fenced against it. The line is an approved one, and the successor
    reads the router before and after everything it sends (docs/explanation/safe-push.md).
    """
    for _ in range(TRIES):
        asked = time.monotonic()
        kept = RouterLease.objects.filter(
            router_id=lease.router_id, owner=lease.owner, epoch=lease.epoch
        ).update(until=from_now(settings.ROUTER_LEASE_SECONDS))
        if not kept:
            raise LeaseLost(
                f"the lease on {lease.router} was taken over; nothing more was sent", field="router"
            )
        if time.monotonic() - asked < settings.ROUTER_LEASE_SECONDS:
            return
    raise LeaseLost(
        f"the database answers slower than the lease on {lease.router} lasts; nothing more was sent",
        field="router",
    )


def release(lease: Lease) -> None:
    """Give the lease back; does nothing when it is no longer ours."""
    RouterLease.objects.filter(router_id=lease.router_id, owner=lease.owner, epoch=lease.epoch).update(
        owner="", until=None
    )
