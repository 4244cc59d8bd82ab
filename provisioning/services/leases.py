"""The right to write to a router: one row, one owner, by the database's clock (architecture.md, "Dispatch by state").

Whoever holds one asks for it before every write, and a thread of its process renews it all the while (`kept`): it runs out soon
after the process has died, stands still or has lost the database. Who takes over waits until then *and* until what the owner
could have sent last is through: a few seconds after a configuration line, `write memory` for as long as a router may take over
it. Then it reads the router first. Every takeover increments the epoch, so that an owner who was only slow finds out before its
next write.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper, F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from inventory.models import Router
from provisioning.errors import Conflict, LeaseLost
from provisioning.models import RouterLease
from provisioning.selectors.pushing import half_way, why_half_way
from provisioning.services import clock
from provisioning.services.renewing import Renewer

TRIES = 3  # of one confirmation: an answer older than the lease is no confirmation


class Held(Conflict):
    """Another worker holds the router, or died holding it and its lease has not run out: try again later.

    `pause` says in how many seconds, where that is known.
    """

    code = "held"
    pause: float | None = None


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

    A lease that was given back is free at once; one whose owner fell silent when `until` is over, the time for its last write
    included.
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
    free = Q(until__isnull=True) | Q(until__lt=Now())
    rows = RouterLease.objects.filter(free, router=router)
    return bool(rows.update(owner=owner, epoch=F("epoch") + 1, until=from_now(_silence())))


def _silence() -> float:
    """Seconds without a sign of life after which a router is anybody's."""
    return float(settings.ROUTER_LEASE_SECONDS + settings.ROUTER_WRITE_SECONDS)


def of_save(seconds: float) -> float:
    """How long nobody else takes a router on which `write memory` may last so many seconds: whoever comes then has a session to
    open first, and reads startup-config when that time is over.
    """
    return seconds - float(settings.ROUTER_WRITE_SECONDS)


def free_in(router: Router) -> tuple[str, float]:
    """Who holds a router, and in how many seconds anybody may take it unless that one shows that it lives."""
    row = RouterLease.objects.filter(router=router, until__isnull=False).first()
    if row is None or row.until is None:
        return "", 0.0
    return row.owner, max(0.0, (row.until - clock.now()).total_seconds())


def confirm(lease: Lease, *, lasts: float = 0.0) -> None:
    """Extend the lease, or raise LeaseLost: then not one more line may be written. `lasts` is how long the router may be
    at work on what is written next, in seconds, where that is longer than a configuration line takes.

    A lease that ran out while a long `show` was read is still ours as long as nobody took over: the same row, in
    one UPDATE, decides between the two, and from here on a takeover waits anew. A lease that another took is never
    extended: the epoch is part of the condition.

    An answer that took longer than the lease lasts (the process was stopped, the database hung) is not believed but
    asked for again. What remains is the moment between this return and the write, in which the driver waits for nothing.
    Only a process stopped within exactly that moment, for longer than the lease, could still write the one write it
    had been about to; no vty of that age can be fenced against it. It is an approved one, the successor
    reads the router before and after everything it sends, and when the one that was stopped finds out, the router is read
    again (docs/explanation/safe-push.md).
    """
    seconds = max(_silence(), lasts)
    for _ in range(TRIES):
        asked = time.monotonic()
        kept = RouterLease.objects.filter(
            router_id=lease.router_id, owner=lease.owner, epoch=lease.epoch
        ).update(until=from_now(seconds))
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


def check(lease: Lease) -> None:
    """Before a configuration line: make sure that the lease is ours and lasts until the line is through, or raise LeaseLost.

    It is renewed all the while, so a look is enough as a rule, and no other writer is waited for; where the thread that renews
    it fell behind, or the answer took too long to be believed, it is confirmed. Nothing is locked: what is written to the
    database under a lease goes with `confirm`, in one transaction.
    """
    margin = settings.ROUTER_LEASE_SECONDS / 2
    lasting = Q(until__gte=from_now(settings.ROUTER_WRITE_SECONDS + margin))
    asked = time.monotonic()
    ours = RouterLease.objects.filter(
        lasting, router_id=lease.router_id, owner=lease.owner, epoch=lease.epoch
    )
    if not (ours.exists() and time.monotonic() - asked < margin):
        confirm(lease)


def renew(held: Sequence[Lease]) -> int:
    """Extend these leases, those that are still ours, and none that lasts longer already; how many were. One statement."""
    ours = (Q(router_id=each.router_id, owner=each.owner, epoch=each.epoch) for each in held)
    rows = RouterLease.objects.filter(reduce(or_, ours), until__lt=from_now(_silence()))
    return rows.update(until=from_now(_silence()))


_renewer = Renewer[Lease]("leases-of-routers", lambda _held: settings.ROUTER_LEASE_SECONDS / 3, renew)


@contextmanager
def kept(lease: Lease) -> Iterator[Lease]:
    """Show that its owner lives while the body runs, however long the router is read; give it back at the end."""
    try:
        with _renewer.renewed(lease):
            yield lease
    finally:
        release(lease)


@contextmanager
def between_pushes(*, router: Router, owner: str) -> Iterator[Lease]:
    """The lease of a router on which no push is half way, `kept` while the body runs; `owner` says for what, and for whom.

    Raises Held while it is somebody else's, Conflict while a push is half way there.
    """
    lease = acquire(router=router, owner=f"{owner}/{time.monotonic_ns()}"[:120])
    if lease is None:
        raise Held(f"{router.name} is held by another worker; try again in a moment")
    with kept(lease):
        if (push := half_way().filter(router=router).first()) is not None:
            raise Conflict(why_half_way(push), field="router")
        yield lease


def release(lease: Lease) -> None:
    """Give the lease back; does nothing when it is no longer ours."""
    RouterLease.objects.filter(router_id=lease.router_id, owner=lease.owner, epoch=lease.epoch).update(
        owner="", until=None
    )
