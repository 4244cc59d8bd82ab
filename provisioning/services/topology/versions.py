"""A new version of the topology: written by whatever can move a path or a share, with the charges that follow from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction

from inventory.models import Domain, Router
from provisioning.errors import Busy, InvalidInput
from provisioning.models import SYSTEM, StagedVersion, TopologyVersion
from provisioning.pipeline.admission import Overcommitment
from provisioning.pipeline.topology import Network, changes
from provisioning.selectors import topology
from provisioning.selectors.network import load_network
from provisioning.selectors.schemes import scheme_of
from provisioning.services import clock
from provisioning.services.records import keep_network
from provisioning.services.retrying import whole
from provisioning.services.shares import note_shares
from provisioning.services.topology.ahead import take_back, write_ahead
from provisioning.services.topology.deriving import order_of
from provisioning.services.topology.locks import lock_domain, lock_links_of
from provisioning.services.topology.moving import move, record
from provisioning.services.topology.recharging import Moved, Prepared, prepare
from provisioning.services.topology.staging import (
    Staging,
    end,
    is_cut_off,
    left_behind,
    refuse_others,
    stage,
    staged,
    take_over,
)

log = structlog.get_logger(__name__)

MOST_SAID = 200
"""Sentences of what changed that a version keeps."""


@dataclass(frozen=True)
class Renewal:
    """The version that is current now, what changed since the one before, whose charges were moved, and, where it was
    asked for, who no longer fits (``over_before``: who did not before). ``lost`` are requests that the network has no path
    for: they stay charged where they were. ``staged`` are the keys of those of ``moved`` that were brought over, and recorded,
    before the version (`staging`).
    """

    version: TopologyVersion
    changed: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    over: tuple[Overcommitment, ...] = ()
    over_before: tuple[Overcommitment, ...] = ()
    lost: tuple[str, ...] = ()
    staged: frozenset[int] = frozenset()

    @property
    def unrecorded(self) -> tuple[Moved, ...]:
        """Of ``moved`` those of which the trail knows nothing yet."""
        return tuple(each for each in self.moved if each.request.pk not in self.staged)

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


def notice(domain: Domain, *, cause: str) -> Renewal:
    """Look at the rows, and make a version of them if none says what they say. Paths are derived before a link is locked. Raises
    Busy while somebody else brings charges to other paths.
    """
    before = topology.current(domain)
    fresh = before.network
    if before.number:
        fresh = load_network(before.domain)
        if topology.digest_of(fresh, before.domain) == before.digest:
            return Renewal(TopologyVersion.objects.get(domain=domain, number=before.number))
    ready = prepare(before.domain, fresh, scheme_of(before.domain))
    with staged() as staging:
        return _make(ready, staging, cause)


def _make(ready: Prepared, staging: Staging, cause: str) -> Renewal:
    domain = ready.derived.domain
    stage(ready, staging, actor=SYSTEM, cause=cause)
    with transaction.atomic():
        lock_all(domain.name, ready)
        renewal = renew(domain, cause=cause, ready=ready, staging=staging)
        record(SYSTEM, renewal.unrecorded, cause)
    return renewal


def notice_shown(router_id: int) -> None:
    """A router showed another BW than before: shares are of the smaller of what is written down and what it shows."""
    router = Router.objects.select_related("domain").get(pk=router_id)
    _try(router.domain, lambda: notice(router.domain, cause=f"{router.name} shows another BW"))


def bring_back() -> None:
    """Bring what somebody brought over who died before its version back to the paths of today."""
    for dead in left_behind():
        _try(dead.domain, lambda: _bring_back(dead))  # noqa: B023 - called at once


def _bring_back(dead: StagedVersion) -> None:
    known = topology.current(dead.domain)
    ready = prepare(known.domain, known.network, scheme_of(known.domain))
    with staged() as staging:
        if take_over(dead, staging):
            _make(ready, staging, NOT_FINISHED)


def notice_changed() -> None:
    """Look at the rows of every domain, once in so many seconds in a process: somebody may have changed them by hand. What
    somebody brought over who died before its version is brought back at once.
    """
    bring_back()
    global _looked  # noqa: PLW0603 - when this process looked last
    if time.monotonic() - _looked < LOOK_SECONDS:
        return
    _looked = time.monotonic()
    for domain in Domain.objects.order_by("pk"):
        _try(domain, lambda: notice(domain, cause="the rows were found changed"))  # noqa: B023 - called at once


NOT_FINISHED = "a change of the network was not finished: its charges are brought back"
LOOK_SECONDS = 300.0
_looked = -LOOK_SECONDS


def _try(domain: Domain, deed: Callable[[], object]) -> None:
    """A scheme that cannot be read is said elsewhere, again and again; whoever else makes a version looks at the rows, too."""
    try:
        whole(deed)
    except (Busy, InvalidInput) as error:
        log.warning("no version of the topology", domain=domain.name, reason=error.reason)


def lock_all(domain: str, ready: Prepared | None = None) -> None:
    """Lock the domain of this name, if there is one, and then its links, in the order everybody locks them: nobody
    decides, and nobody else imports. In between, what is ready to be charged is written.
    """
    lock_domain(domain)
    if ready is not None:
        write_ahead(ready)
    lock_links_of(domain)


def renew(
    domain: Domain,
    *,
    cause: str,
    network: Network | None = None,
    before: Network | None = None,
    ready: Prepared | None = None,
    now: datetime | None = None,
    always: bool = False,
    staging: Staging | None = None,
) -> Renewal:
    """Make the rows as they are the current version: shares, charges of everything live, and the row of the version.

    In the caller's transaction, under `lock_all`. `ready` are paths derived beforehand: they count where they were derived from
    this very network and no other version moved charges since. With `always` charges are brought to their paths where nothing
    changed, too. `network` is what was read of the rows under these locks (None: they are read). `staging` is what was brought
    over before. Whoever calls this records what moved, last in the transaction. Raises Busy while somebody else brings charges
    to other paths.
    """
    moment = now or clock.now()
    fresh = Domain.objects.get(pk=domain.pk)
    last = TopologyVersion.objects.filter(domain=domain).order_by("-number").first()
    network, scheme = network or load_network(fresh), scheme_of(fresh)
    digest = topology.digest_of(network, fresh)
    note_shares(network, scheme, now=moment)
    same = last is not None and last.digest == digest
    always = always or (staging is not None and staging.key is not None)
    if last is not None and same and not always:
        if ready is not None:
            take_back(ready.recharges.values())
        return Renewal(last)
    left = refuse_others(domain, staging) or is_cut_off(staging)
    number = 0 if last is None else last.number
    if ready is None or left or not ready.derived.holds(network, scheme, number):
        if ready is not None:
            take_back(ready.recharges.values())
        ready = prepare(fresh, network, scheme)
    said = changes(before, network) if before is not None and not same else ()
    # What was brought over ends with a number of its own: whoever derived paths meanwhile finds that charges were moved.
    brought = end(domain)
    if last is not None and same and not brought:
        version = last
    else:
        version = TopologyVersion.objects.create(
            domain=fresh,
            number=number + 1,
            digest=digest,
            cause=cause[:200],
            text_id=keep_network(network),
            changed=_kept(said),
        )
    staged = {} if staging is None or left else staging.moved
    before_it = staged.keys() - ready.recharges.keys()
    last_ones = move(ready, version=version.number, now=moment, without=before_it)
    moved = tuple(
        sorted((*last_ones, *(staged[key] for key in before_it)), key=lambda each: order_of(each.request))
    )
    lost = tuple(f"PIP-{key}" for key, wanted in sorted(ready.derived.wanted.items()) if wanted is None)
    return Renewal(version, said, moved, lost=lost, staged=frozenset(before_it))


def _kept(said: Iterable[str]) -> list[str]:
    every = list(said)
    rest = len(every) - MOST_SAID
    return every if rest <= 0 else [*every[:MOST_SAID], f"and {rest} more"]
