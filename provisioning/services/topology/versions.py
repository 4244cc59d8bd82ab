"""A new version of the topology: written by whatever can move a path or a share, with the charges that follow from it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction

from inventory.models import AccessLink, CoreLink, Domain, Peering, Router
from provisioning.errors import InvalidInput
from provisioning.models import SYSTEM, Actor, TopologyVersion
from provisioning.pipeline.admission import Overcommitment
from provisioning.pipeline.topology import Network, changes
from provisioning.selectors import topology
from provisioning.selectors.network import load_network
from provisioning.selectors.schemes import scheme_of
from provisioning.services import clock
from provisioning.services.locking import locked
from provisioning.services.records import keep_network
from provisioning.services.retrying import whole
from provisioning.services.shares import note_shares
from provisioning.services.topology.ahead import take_back, write_ahead
from provisioning.services.topology.moving import move, record
from provisioning.services.topology.recharging import Moved, Prepared, prepare

log = structlog.get_logger(__name__)

MOST_SAID = 200
"""Sentences of what changed that a version keeps."""


@dataclass(frozen=True)
class Renewal:
    """The version that is current now, what changed since the one before, whose charges were moved, and, where it was
    asked for, who no longer fits (``over_before``: who did not before). ``lost`` are requests that the network has no path
    for: they stay charged where they were.
    """

    version: TopologyVersion
    changed: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    over: tuple[Overcommitment, ...] = ()
    over_before: tuple[Overcommitment, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def over_by_this(self) -> tuple[Overcommitment, ...]:
        """Who no longer fits and did before."""
        before = set(self.over_before)
        return tuple(each for each in self.over if each not in before)

    @property
    def over_already(self) -> tuple[Overcommitment, ...]:
        """Who did not fit before either, in just this stretch."""
        before = set(self.over_before)
        return tuple(each for each in self.over if each in before)


def known(domain: Domain) -> topology.Known:
    """The current version, made now where the rows are as none says (a first decision, a hand in the tables)."""
    found = topology.current(domain)
    while not found.number:
        notice(domain, cause="the rows were found changed")
        found = topology.current(domain)
    return found


def notice(domain: Domain, *, cause: str, actor: Actor = SYSTEM) -> Renewal:
    """Look at the rows, and make a version of them if none says what they say. Paths are derived before a link is locked."""
    before = topology.current(domain)
    if before.number:
        fresh = load_network(before.domain)
        if topology.digest_of(fresh, before.domain) == before.digest:
            return Renewal(TopologyVersion.objects.get(domain=domain, number=before.number))
    else:
        fresh = before.network
    ready = prepare(before.domain, fresh, scheme_of(before.domain))
    with transaction.atomic():
        lock_all(domain.name, ready)
        renewal = renew(domain, cause=cause, ready=ready)
        record(actor, renewal.moved, cause)
    return renewal


def notice_shown(router_id: int) -> None:
    """A router showed another BW than before: shares are of the smaller of what is written down and what it shows."""
    router = Router.objects.select_related("domain").get(pk=router_id)
    _try(router.domain, f"{router.name} shows another BW")


def notice_changed() -> None:
    """Look at the rows of every domain, once in so many seconds in a process: somebody may have changed them by hand."""
    global _looked  # noqa: PLW0603 - when this process looked last
    if time.monotonic() - _looked < LOOK_SECONDS:
        return
    _looked = time.monotonic()
    for domain in Domain.objects.order_by("pk"):
        _try(domain, "the rows were found changed")


LOOK_SECONDS = 300.0
_looked = -LOOK_SECONDS


def _try(domain: Domain, cause: str) -> None:
    """A scheme that cannot be read is said elsewhere, again and again."""
    try:
        whole(lambda: notice(domain, cause=cause))
    except InvalidInput as error:
        log.warning("no version of the topology", domain=domain.name, reason=error.reason)


def lock_all(domain: str, ready: Prepared | None = None) -> None:
    """Lock the domain of this name, if there is one, and then its links, in the order everybody locks them: nobody
    decides, and nobody else imports. In between, what is ready to be charged is written.
    """
    lock_domain(domain)
    if ready is not None:
        write_ahead(ready)
    lock_links_of(domain)


def lock_domain(domain: str) -> None:
    """Lock the domain of this name alone, if there is one: whatever makes a version waits, and who decides does not."""
    list(locked(Domain.objects.filter(name=domain)).values_list("pk"))


def lock_links_of(domain: str) -> None:
    """Lock its links, after the domain: nobody decides."""
    for rows in (
        AccessLink.objects.filter(nren__domain__name=domain),
        CoreLink.objects.filter(domain__name=domain),
        Peering.objects.filter(domain__name=domain),
    ):
        list(locked(rows.order_by("pk")).values_list("pk"))


def renew(
    domain: Domain,
    *,
    cause: str,
    network: Network | None = None,
    before: Network | None = None,
    ready: Prepared | None = None,
    now: datetime | None = None,
    always: bool = False,
) -> Renewal:
    """Make the rows as they are the current version: shares, charges of everything live, and the row of the version.

    In the caller's transaction, under `lock_all`. `ready` are paths derived beforehand: they count where they were derived from
    this very network and no other version moved charges since. With `always` charges are brought to their paths where nothing
    changed, too. `network` is what was read of the rows under these locks (None: they are read). Whoever calls this records
    what moved, last in the transaction.
    """
    moment = now or clock.now()
    fresh = Domain.objects.get(pk=domain.pk)
    last = TopologyVersion.objects.filter(domain=domain).order_by("-number").first()
    network, scheme = network or load_network(fresh), scheme_of(fresh)
    digest = topology.digest_of(network, fresh)
    note_shares(network, scheme, now=moment)
    same = last is not None and last.digest == digest
    if last is not None and same and not always:
        if ready is not None:
            take_back(ready.recharges.values())
        return Renewal(last)
    if ready is None or not ready.derived.holds(network, scheme, 0 if last is None else last.number):
        if ready is not None:
            take_back(ready.recharges.values())
        ready = prepare(fresh, network, scheme)
    said = changes(before, network) if before is not None and not same else ()
    if last is not None and same:
        version = last
    else:
        version = TopologyVersion.objects.create(
            domain=fresh,
            number=1 if last is None else last.number + 1,
            digest=digest,
            cause=cause[:200],
            text_id=keep_network(network),
            changed=_kept(said),
        )
    moved = tuple(move(ready, version=version.number, now=moment))
    lost = tuple(f"PIP-{key}" for key, wanted in sorted(ready.derived.wanted.items()) if wanted is None)
    return Renewal(version, said, moved, lost=lost)


def _kept(said: Iterable[str]) -> list[str]:
    every = list(said)
    rest = len(every) - MOST_SAID
    return every if rest <= 0 else [*every[:MOST_SAID], f"and {rest} more"]
