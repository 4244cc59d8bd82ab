"""Where much moves, charges are doubled in parts before the version that moves them: no link is locked for as long as all takes.

Each part is a transaction of a few hundred milliseconds that charges some reservations on their path to come and marks the one
of today as moving. A row says that this is under way (`StagedVersion`): until its version is made nobody else makes one, and
whose process dies in between is followed by the tick, which brings all of it back to the paths of today.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import Error, IntegrityError, connection, transaction

from inventory.models import Domain
from provisioning.errors import Busy
from provisioning.models import Actor, PremiumRequest, StagedVersion
from provisioning.selectors import topology
from provisioning.services import clock
from provisioning.services.locking import locked
from provisioning.services.retrying import whole
from provisioning.services.topology.exempting import judge, past_shares
from provisioning.services.topology.keys import among
from provisioning.services.topology.locks import lock_domain, lock_links_of
from provisioning.services.topology.moving import record, write
from provisioning.services.topology.recharging import Moved, Prepared, Recharge, stamps_of

AT_ONCE = 2000
"""Charges that are written while the links are locked, by one part; fewer are left to the transaction of the version."""

LEASE = timedelta(seconds=60)
"""Whoever brings charges over and wrote no part for so long is dead."""

RETRY_AFTER_SECONDS = 15


@dataclass
class Staging:
    """What one maker of a version has brought over so far; ``key`` is of its row, None as long as it has none."""

    key: int | None = None
    moved: dict[int, Moved] = field(default_factory=dict)


@contextmanager
def staged() -> Iterator[Staging]:
    """For all that makes one version. What was brought over before an error is brought back by the next tick."""
    staging = Staging()
    try:
        yield staging
    except BaseException:
        if staging.key is not None:
            with suppress(Error):  # a database that is gone: the lease runs out by itself
                StagedVersion.objects.filter(pk=staging.key).update(renewed_at=clock.now() - LEASE)
        raise


def is_much(ready: Prepared) -> bool:
    """Whether it is brought over in parts: not inside a transaction, whose parts would all be kept locked until its end."""
    return not connection.in_atomic_block and sum(map(_size, _movable(ready).values())) > AT_ONCE


def stage(ready: Prepared, staging: Staging, *, actor: Actor, cause: str) -> None:
    """Bring over what is worked out in parts, where it `is_much`; what was brought leaves ``ready`` for ``staging``. If another
    version was made meanwhile nothing more is brought: who makes this one finds that, too. Raises Busy where somebody else
    brings charges over.
    """
    if not is_much(ready) or not whole(lambda: _claim(ready.derived.domain, staging)):
        return
    movable = _movable(ready)
    # All at once, without a lock: a part alone has no more on any link than all of them together.
    judge(ready.derived, [row for each in movable.values() for row in each.added], clock.now())
    for part in _parts(movable):
        if not whole(lambda: _bring(ready, part, staging, actor, cause)):  # noqa: B023 - called at once
            return


def _movable(ready: Prepared) -> dict[int, Recharge]:
    return {key: each for key, each in ready.recharges.items() if _can(each)}


def _can(recharge: Recharge) -> bool:
    """Holds wait for the version; so does what leaves nothing behind, as its charges of today would be free before it."""
    return recharge.moving and recharge.reservation is not None and not recharge.gone


def _size(recharge: Recharge) -> int:
    return len(recharge.added) + len(recharge.leaving) + len(recharge.back)


def _parts(movable: dict[int, Recharge]) -> Iterator[list[int]]:
    part: list[int] = []
    size = 0
    for key in sorted(movable):
        part.append(key)
        size += _size(movable[key])
        if size >= AT_ONCE:
            yield part
            part, size = [], 0
    if part:
        yield part


def _claim(domain: Domain, staging: Staging) -> bool:
    """Have a row of one's own; whether there is one. What somebody dead left behind is for who makes the version."""
    with transaction.atomic():
        lock_domain(domain.name)
        left = refuse_others(domain, staging)
        if _renew(staging):  # an earlier try of the same maker
            return True
        if not left:
            _own(domain, staging)
        return not left


def take_over(dead: StagedVersion, staging: Staging) -> bool:
    """Have the row of who left this one behind; False where it is there no more as it was found: all that was worked out since
    then counts no more.
    """
    with transaction.atomic():
        lock_domain(dead.domain.name)
        if not StagedVersion.objects.filter(pk=dead.pk, renewed_at=dead.renewed_at).delete()[0]:
            return False
        _own(dead.domain, staging)
        return True


def _own(domain: Domain, staging: Staging) -> None:
    """A row of one's own; what was brought over under an earlier one was brought back meanwhile."""
    staging.key = StagedVersion.objects.create(domain=domain, renewed_at=clock.now()).pk
    staging.moved = {}


def _renew(staging: Staging) -> bool:
    """Whether the row is there still: nobody took its maker for dead."""
    mine = StagedVersion.objects.filter(pk=staging.key) if staging.key else StagedVersion.objects.none()
    return mine.update(renewed_at=clock.now()) > 0


def _bring(ready: Prepared, part: list[int], staging: Staging, actor: Actor, cause: str) -> bool:
    """Bring these over, but for those whose charges are others by now, and those that fit only by the shares of the version to
    come; whether this maker may go on.
    """
    rows = [row for key in part for row in ready.recharges[key].added]
    for judged in (True, False):
        for row in rows:
            row.pk = None  # of an attempt that was taken back
        try:
            return _try_to_bring(ready, part, staging, actor, cause, judged=judged)
        except (
            IntegrityError
        ):  # somebody was granted what they take since it was judged, or the share is larger only then
            if not judged:
                raise
    raise AssertionError("unreachable: the second try returns or raises")


def _try_to_bring(
    ready: Prepared, part: list[int], staging: Staging, actor: Actor, cause: str, *, judged: bool
) -> bool:
    domain = ready.derived.domain
    with transaction.atomic():
        lock_domain(domain.name)
        if topology.number_of(domain) != ready.derived.version or is_cut_off(staging):
            return False
        lock_links_of(domain.name)
        _renew(staging)
        list(locked(PremiumRequest.objects.filter(pk__in=among(part)).order_by("pk")).values_list("pk"))
        stamps = stamps_of(part)
        what = {
            key: ready.recharges[key]
            for key in part
            if key in stamps and stamps[key] == ready.stamps.get(key)
        }
        now = clock.now()
        if not judged:
            rows = [row for each in what.values() for row in each.added]
            judge(ready.derived, rows, now)
            for key in past_shares(rows, now):
                del what[key]
        write(ready, what.values(), ready.derived.version + 1, now, judged=True)
        moved = [each.moved for each in what.values()]
        record(actor, moved, f"before version {ready.derived.version + 1}: {cause}"[:200])
    for key in what:
        del ready.recharges[key]
    staging.moved |= {each.request.pk: each for each in moved}
    return True


def refuse_others(domain: Domain, staging: Staging | None) -> bool:
    """Whether somebody else brought charges over and died before the version. Raises Busy where somebody does so now.

    With the domain locked, by whoever makes a version of it or begins to.
    """
    row = StagedVersion.objects.filter(domain=domain).first()
    if row is None or (staging is not None and row.pk == staging.key):
        return False
    if clock.now() - row.renewed_at < LEASE:
        raise _busy()
    return True


def refuse_meanwhile(domain_id: int) -> None:
    """Raise Busy while charges of this domain (its key) are brought over, or somebody left them so."""
    if StagedVersion.objects.filter(domain=domain_id).exists():
        raise _busy()


def _busy() -> Busy:
    return Busy(
        "Somebody else is changing the network: charges are brought to their next paths. Nothing was changed by you.",
        retry_after=RETRY_AFTER_SECONDS,
    )


def is_cut_off(staging: Staging | None) -> bool:
    """Whether what was brought over was taken for that of somebody dead, and brought back."""
    if staging is None or staging.key is None:
        return False
    return not StagedVersion.objects.filter(pk=staging.key).exists()


def end(domain: Domain) -> bool:
    """The version is made, in this transaction; whether anything was brought over before it."""
    return StagedVersion.objects.filter(domain=domain).delete()[0] > 0


def left_behind() -> list[StagedVersion]:
    """What somebody wrote who brought charges over and died before the version; with its domain."""
    rows = StagedVersion.objects.filter(renewed_at__lte=clock.now() - LEASE)
    return list(rows.select_related("domain").order_by("pk"))
