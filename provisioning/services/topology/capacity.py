"""Capacity that changes with time: said by the NOC, counted from then on by every decision, shown beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction

from inventory.models import Domain
from provisioning.errors import InvalidInput, NotVisible, StaleState
from provisioning.models import Actor, CapacityChange, Verb
from provisioning.pipeline.admission import Overcommitment
from provisioning.pipeline.topology import LinkCapacity, Network, Planned
from provisioning.selectors.authority import permit
from provisioning.selectors.capacity import as_value, standing
from provisioning.selectors.overcommitment import overcommitted
from provisioning.selectors.schemes import scheme_of
from provisioning.services import audit, clock
from provisioning.services.topology.moving import record
from provisioning.services.topology.recharging import prepare
from provisioning.services.topology.versions import Renewal, known, lock_all, renew
from provisioning.services.wording import reason_text

KEPT = timedelta(days=1)
"""How long a change that is over stays part of the network: then the next change takes it out."""

MOST = 500
"""Changes of a domain that may stand at once."""


@dataclass(frozen=True)
class Said:
    """What became of a change of capacity: the version it made, and who does not fit any more that did before."""

    change: CapacityChange
    renewal: Renewal
    breaks: tuple[Overcommitment, ...]
    mends: tuple[Overcommitment, ...] = ()

    def __str__(self) -> str:
        return str(as_value(self.change))


def change_capacity(
    *, actor: Actor, domain: Domain, planned: Planned, reason: str, dry_run: bool = False
) -> Said:
    """Let a link's usable capacity, or a pool's share of a kind of link, be another one from an instant on, or between two.

    Nothing is taken from anybody: who does not fit any more is named, and nobody is admitted past it from now on. On a dry run
    nothing stays written. Raises NotPermitted unless the actor is the NOC or the command line, and InvalidInput
    for a link or a pool that is not there, a capacity above the line's, a time that is over, and without a reason.
    """
    why = _may(actor, reason)
    now = clock.now()
    before = known(domain)
    _check(planned, before.network, domain, now)
    every = tuple(sorted((*before.network.planned, planned), key=str))
    after = replace(before.network, planned=every)
    ready = prepare(before.domain, after, scheme_of(before.domain))
    with transaction.atomic():
        lock_all(domain.name)
        if standing(domain).count() >= MOST:
            raise InvalidInput(f"{MOST} changes stand already: take one back first", field="capacity")
        _over(domain, now)
        broken = overcommitted(domain, now=now)
        row = CapacityChange.objects.create(
            domain=domain, reason=why, said_by=actor.label[:150], **_columns(planned)
        )
        renewal = renew(domain, cause=str(planned), before=before.network, ready=ready)
        said = _said(row, renewal, broken, overcommitted(domain, now=now))
        _note(actor, "capacity.change", said, why)
        if dry_run:
            transaction.set_rollback(True)
    return said


def take_back(*, actor: Actor, key: int, reason: str, dry_run: bool = False) -> Said:
    """Take a change of capacity back, as if it had not been said. Raises NotVisible where there is none of that key, StaleState
    when it was taken back already, else as `change_capacity`.
    """
    why = _may(actor, reason)
    found = CapacityChange.objects.select_related("domain").filter(pk=key).first()
    if found is None:
        raise NotVisible(f"there is no change of capacity {key}")
    domain, now = found.domain, clock.now()
    before = known(domain)
    value = as_value(found)
    left = tuple(each for each in before.network.planned if each != value)
    ready = prepare(before.domain, replace(before.network, planned=left), scheme_of(before.domain))
    with transaction.atomic():
        lock_all(domain.name)
        broken = overcommitted(domain, now=now)
        rows = CapacityChange.objects.filter(pk=key, taken_back_at=None)
        if not rows.update(taken_back_at=now):
            raise StaleState("this change of capacity was taken back already")
        renewal = renew(domain, cause=f"taken back: {value}", before=before.network, ready=ready)
        row = CapacityChange.objects.get(pk=key)
        said = _said(row, renewal, broken, overcommitted(domain, now=now))
        _note(actor, "capacity.take-back", said, why)
        if dry_run:
            transaction.set_rollback(True)
    return said


def _may(actor: Actor, reason: str) -> str:
    permit(actor, Verb.NETWORK)
    return reason_text(reason)


def _check(planned: Planned, network: Network, domain: Domain, now: datetime) -> None:
    window = planned.window
    if window.end is not None and window.end <= now:
        raise InvalidInput("that time is over", field="end")
    if isinstance(planned, LinkCapacity):
        link = network.link(planned.link)
        if link is None:
            raise InvalidInput(f"there is no link {planned.link!r:.200}", field="link")
        if planned.usable_bps > link.line_rate_bps:
            raise InvalidInput(
                f"the line of {link.id} is of {link.line_rate_bps} bit/s, so {planned.usable_bps} cannot be usable",
                field="usable_bps",
            )
        return
    pool = scheme_of(domain).pools.get(planned.pool)
    if pool is None:
        there = ", ".join(scheme_of(domain).pools)
        raise InvalidInput(
            f"scheme {domain.scheme} has no pool {planned.pool!r:.60}; it has {there}", field="pool"
        )
    if planned.kind not in ("access", "core", "border") or pool.share(planned.kind) is None:
        raise InvalidInput(f"{planned.pool} has no share of {planned.kind!r:.20} links", field="kind")


def _columns(planned: Planned) -> dict[str, object]:
    window = {"start": planned.window.start, "end": planned.window.end}
    if isinstance(planned, LinkCapacity):
        return {"link": planned.link, "usable_bps": planned.usable_bps, **window}
    return {"pool": planned.pool, "kind": planned.kind, "percent": planned.percent, **window}


def _over(domain: Domain, now: datetime) -> None:
    """What has been over for a while is part of the network no more."""
    rows = standing(domain).filter(end__lt=now - KEPT)
    CapacityChange.objects.filter(pk__in=list(rows.values_list("pk", flat=True))).update(taken_back_at=now)


def _said(
    row: CapacityChange,
    renewal: Renewal,
    before: Iterable[Overcommitment],
    after: Iterable[Overcommitment],
) -> Said:
    old, new = tuple(before), tuple(after)
    breaks = tuple(each for each in new if each not in old)
    return Said(row, replace(renewal, over=new), breaks, tuple(each for each in old if each not in new))


def _note(actor: Actor, action: str, said: Said, why: str) -> None:
    audit.record(
        actor=actor,
        action=action,
        obj=said.change.domain,
        reason=why,
        after={
            "capacity": str(said),
            "change": said.change.pk,
            "version": said.renewal.version.number,
            "no longer fit": [str(each) for each in said.breaks[:50]],
        },
    )
    record(actor, said.renewal.moved, f"version {said.renewal.version.number}: {said}")
