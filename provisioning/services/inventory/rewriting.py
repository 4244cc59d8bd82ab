"""The rows of the network are written anew: by one person, shown before it is done, with everything that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from django.conf import settings
from django.db import IntegrityError, transaction

from inventory.models import Domain
from provisioning.errors import Conflict
from provisioning.models import Actor, JobKind, RouterSync
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Network, RouterValue
from provisioning.selectors import topology
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import audit, clock
from provisioning.services.audit import Deed
from provisioning.services.inventory.report import FieldChange
from provisioning.services.inventory.stranding import (
    Ground,
    exempt_of,
    fresh_obstacles,
    ground_of,
    promised,
    readable,
    refuse_stranding,
)
from provisioning.services.topology.locks import lock_domain
from provisioning.services.topology.moving import record
from provisioning.services.topology.recharging import Prepared, prepare
from provisioning.services.topology.staging import Staging, stage, staged
from provisioning.services.topology.versions import Renewal, bring_back, known, lock_all, renew

TRIES = 3
"""How often it is worked out beforehand, without the links' locks, because the network became another one meanwhile."""


@dataclass(frozen=True)
class Written:
    """What `write` of a `rewrite` did to the rows: the events of it, its fields before and after, and what is written ``last``:
    rows that are locked after those of a version; and what is ``told``, after the events.
    """

    deeds: Sequence[Deed]
    changes: tuple[FieldChange, ...] = ()
    last: Callable[[], object] = lambda: None
    told: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class Rewritten:
    """What became of the rows, or would: the fields that changed, what follows in the topology (None: no path, share or interface
    is another one), and the routers that are to hold something else.
    """

    changes: tuple[FieldChange, ...]
    renewal: Renewal | None
    routers: tuple[str, ...]


@dataclass(frozen=True)
class _Foreseen:
    """What promises rest on before and after, and what everything live is charged to then; ``written`` is what `write` did."""

    known: topology.Known
    before: Ground
    after: Ground
    ready: Prepared | None
    written: Written


class _OtherwiseThanForeseen(Exception):
    """The rows are not those from which it was foreseen what comes of it."""


def rewrite(
    *,
    actor: Actor,
    domain: Domain,
    action: str,
    cause: str,
    reason: str,
    write: Callable[[], Written],
    first: Callable[[], None] = lambda: None,
    dry_run: bool = False,
) -> Rewritten:
    """Have `write` write rows of a domain's network and return what comes of it; on a dry run nothing stays written.

    `write` is called more than once, each time in a transaction that holds the domain (and, where a path, share or interface
    becomes another one, all its links): it reads what it decides on, and raises what speaks against it. `first` is called in
    the one that stays, before anything is locked. Everything live follows, as after an import; what no longer fits is named
    and nothing is taken from anybody.

    Raises what `write` raises, ReservationsStranded where a promise could not be kept, Conflict where the name or the
    interface is somebody else's by now, Busy while somebody else brings charges to other paths.
    """
    bring_back()
    with staged() as staging:
        for attempt in range(TRIES):
            try:
                foreseen = _foresee(domain, write, dry_run)
                if (
                    dry_run and foreseen.ready is None
                ):  # nobody's path or share: there is no version to make and take back
                    return Rewritten(
                        foreseen.written.changes, None, _routers(foreseen.before, foreseen.after)
                    )
                if not dry_run and foreseen.ready is not None:
                    stage(foreseen.ready, staging, actor=actor, cause=cause)
                with transaction.atomic():
                    first()
                    done = _do(actor, domain, action, cause, reason, write, foreseen, staging, dry_run)
                    if dry_run:
                        transaction.set_rollback(True)
            except _OtherwiseThanForeseen:
                if attempt + 1 < TRIES:
                    continue
                raise Conflict("The network changes again and again; try again.") from None
            except IntegrityError as error:
                raise Conflict(
                    "Somebody else changed the same rows meanwhile; nothing was written."
                ) from error
            return done
    raise AssertionError("every round returns or raises")


def _foresee(domain: Domain, write: Callable[[], Written], dry_run: bool) -> _Foreseen:
    """Write, look, and take it back: without the links' locks, so that who decides waits for a row at most."""
    now = known(domain)
    with transaction.atomic():
        lock_domain(domain.name)
        if dry_run:
            # The network of the version is in memory: to read every row once, after `write`, must do for what is only foreseen.
            # A hand in the tables that no version knows yet shows as if it came of this, as it will.
            before = Ground(now.network, readable(now.domain), exempt_of(domain))
        else:
            before = ground_of(domain)
        written = write()
        after = ground_of(domain)
        transaction.set_rollback(True)
    ready = None
    if after != before:
        assert isinstance(after.scheme, Scheme), "a version of the network was made with it"
        if after.network != before.network:
            ready = prepare(now.domain, after.network, after.scheme)
        refuse_stranding(fresh_obstacles(before, after, promised(domain)))
    return _Foreseen(now, before, after, ready, written)


def _do(
    actor: Actor,
    domain: Domain,
    action: str,
    cause: str,
    reason: str,
    write: Callable[[], Written],
    foreseen: _Foreseen,
    staging: Staging,
    dry_run: bool,
) -> Rewritten:
    moves = foreseen.ready is not None
    if moves:
        lock_all(domain.name, foreseen.ready)
    else:
        lock_domain(domain.name)
    if topology.number_of(domain) != foreseen.known.number:
        raise _OtherwiseThanForeseen
    now = clock.now()
    over_before = overcommitted(domain, now=now) if moves else ()
    if dry_run:  # nothing stays: what was read a moment ago is as good
        before, written, after = foreseen.before, write(), foreseen.after
    else:
        before = ground_of(domain)
        written = write()
        after = ground_of(domain)
        if (before, after) != (foreseen.before, foreseen.after):
            raise _OtherwiseThanForeseen
    renewal = None
    if moves:
        refuse_stranding(fresh_obstacles(before, after, promised(domain)))  # who was admitted meanwhile, too
        made = renew(
            domain,
            cause=cause,
            network=after.network,
            before=before.network,
            ready=foreseen.ready,
            now=now,
            staging=staging,
        )
        renewal = replace(made, over=overcommitted(domain, now=now), over_before=over_before)
    written.last()
    routers = _routers(before, after)
    _have_read(routers)
    for deed in written.deeds:
        audit.record(
            actor=actor,
            action=action,
            obj=deed.obj,
            reason=reason,
            before=deed.before,
            after=deed.after,
            nren_ids=deed.nren_ids,
        )
    if renewal is not None:
        record(actor, renewal.unrecorded, f"version {renewal.version.number}: {cause}")
    written.told()
    return Rewritten(written.changes, renewal, routers)


def _have_read(names: Collection[str]) -> None:
    """Have these routers read again: what was said of them was said of what they were to hold before."""
    if settings.VERIFY_SECONDS <= 0:
        return
    # Loaded by who edits: it brings all that plans and sends.
    from provisioning.services.jobs.making import enqueue

    read = RouterSync.objects.filter(
        router__name__in=names, router__retired_at=None, checked_at__isnull=False
    )
    enqueue(JobKind.VERIFY_ROUTER, list(read.order_by("router").values_list("router_id", flat=True)))


def _routers(before: Ground, after: Ground) -> tuple[str, ...]:
    """The routers of which anything differs that what they must hold follows from; by name."""
    if before == after:
        return ()
    old, new = before.network, after.network
    names = {router.name for network in (old, new) for router in network.routers}
    return tuple(
        sorted(
            name
            for name in names
            if _part(old, name) != _part(new, name) or before.exempt.get(name) != after.exempt.get(name)
        )
    )


def _part(network: Network, name: str) -> Network:
    """What a router must hold follows from this: of the routers at the far ends of its core links no cards and interfaces."""
    part = network.part(name)
    routers = tuple(
        each if each.name == name else RouterValue(each.name, each.platform, each.ios)
        for each in part.routers
    )
    return replace(part, routers=routers)
