"""What is committed on each direction of one link over time, for its page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, QuerySet

from inventory.models import Domain, Interface
from provisioning.models import LedgerEntry, UnprotectedRequest
from provisioning.pipeline.admission import Allowance, allowance
from provisioning.pipeline.scheme import LinkKind, Pool
from provisioning.pipeline.timeline import Commitment, Timeline
from provisioning.pipeline.topology import Direction, LinkDirection, LinkValue, Network
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import topology
from provisioning.selectors.failures import newest_run
from provisioning.selectors.ledger import commitments
from provisioning.web.reading.links import ACCESS_WAYS, CORE_WAYS, scheme_in_force

MOST = 200
"""Charges of one direction and pool that the page of a link lists; its chart is of all."""
WAYS: dict[LinkKind, tuple[Direction, ...]] = {
    "access": ACCESS_WAYS,
    "core": CORE_WAYS,
    "border": (Direction.OUT,),  # nothing is promised of what a peering sends
}


@dataclass(frozen=True)
class Course:
    """What is committed on one direction of a link in one pool, over time, against its share (bit/s).

    ``entries`` are the first charges, ``more`` those beyond them; ``unprotected`` the keys of requests among them that a single
    failure leaves without what was promised.
    """

    direction: Direction
    pool: str
    base_bps: int
    share_bps: int
    share_words: str
    provenance: str
    is_choice: bool
    steps: tuple[tuple[datetime, int], ...]
    now: datetime
    entries: tuple[LedgerEntry, ...] = field(hash=False)
    layers: tuple[tuple[str, tuple[tuple[datetime, int], ...]], ...] = ()
    shares: tuple[tuple[datetime, int], ...] = ()
    unprotected: frozenset[int] = frozenset()
    more: int = 0

    @property
    def committed_bps(self) -> int:
        """Return what is committed at this moment, bit/s."""
        return Timeline(self.steps).rate_at(self.now)

    @property
    def peak_bps(self) -> int:
        """Return the most that is committed from now on, bit/s."""
        return max([self.committed_bps, *(rate for at, rate in self.steps if at > self.now)])

    @property
    def headroom_bps(self) -> int:
        """Return what is free from now on where least is, bit/s."""
        allowed = Allowance(self.share_bps, self.shares)
        held = allowed.beside(Timeline(self.steps))
        return allowed.top - held.peak(TimeWindow(self.now)).rate_bps

    @property
    def lacking_bps(self) -> int:
        """Return by how much more than the share is committed where it is worst, bit/s; 0 where it is not."""
        return max(0, -self.headroom_bps)


def _steps(counted: Iterable[Commitment], way: LinkDirection, pool: str) -> tuple[tuple[datetime, int], ...]:
    return Timeline.of(one for one in counted if one.link_direction == way and one.pool == pool).steps


def _share(pool: Pool, kind: LinkKind) -> tuple[str, str, bool]:
    share = pool.share(kind)
    if share is None:
        return "0 % of", f"the pool has no share of {kind} links", False
    between = ", on" if share.percent is None else " of"
    return share.words + between, share.provenance, share.is_choice


def courses(
    name: str, interface: Interface, now: datetime, *, kind: LinkKind = "access", far: Interface | None = None
) -> list[Course]:
    """Return the directions of a link, per pool of the scheme, with the charges that still count; a pool without a share of
    such links only where it is charged all the same.
    """
    scheme = scheme_in_force()
    if scheme is None:
        return []
    base = min([interface.percent_base_bps, *([far.percent_base_bps] if far else [])])
    link = _link(name)
    counted = commitments(now=now, links=[name])
    unprotected = _unprotected(interface.router.domain, {each.sls_id for each in counted})
    charged = LedgerEntry.objects.filter(link=name, released_at=None)
    held = {f"PIP-{key}" for key in charged.filter(hold__isnull=False).values_list("request_id", flat=True)}
    counts: dict[tuple[str, str], int] = {
        (way, pool): count
        for way, pool, count in charged.order_by().values_list("direction", "pool").annotate(Count("pk"))
    }
    found = []
    for way in WAYS[kind]:
        for pool in scheme.pools.values():
            count = counts.get((way.value, pool.name), 0)
            if pool.share(kind) is None and not count:
                continue
            entries = _entries(charged.filter(direction=way.value, pool=pool.name))
            words, provenance, is_choice = _share(pool, kind)
            found.append(
                Course(
                    way,
                    pool.name,
                    base,
                    pool.share_bps(kind, base),
                    words,
                    provenance,
                    is_choice,
                    _steps(counted, LinkDirection(name, way), pool.name),
                    now,
                    tuple(entries),
                    _layers(counted, held, unprotected, LinkDirection(name, way), pool.name, now),
                    () if link is None else allowance(link[0], pool, link[1], now).steps,
                    frozenset(int(each.removeprefix("PIP-")) for each in unprotected),
                    count - len(entries),
                )
            )
    return found


def _entries(charged: QuerySet[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """The first of these charges with whose they are."""
    rows = charged.select_related(
        "reservation__request__nren",
        "reservation__request__receiving_nren",
        "hold__nren",
        "hold__receiving_nren",
    )
    return tuple(rows.order_by("start", "pk")[:MOST])


def _link(name: str) -> tuple[Network, LinkValue] | None:
    """The link as decisions know it, with its network; None where that has none of this name."""
    domain = Domain.objects.first()
    network = None if domain is None else topology.current(domain).network
    link = None if network is None else network.link(name)
    return None if network is None or link is None else (network, link)


def _unprotected(domain: Domain, references: set[str]) -> set[str]:
    """Those of these requests that a single failure would leave without what was promised, as last worked out."""
    run = newest_run(domain)
    if run is None:
        return set()
    keys = [int(each.removeprefix("PIP-")) for each in references]
    rows = UnprotectedRequest.objects.filter(run=run, request__in=keys)
    return {f"PIP-{key}" for key in rows.values_list("request", flat=True)}


ON, TO_COME, UNPROTECTED, HELD = "Granted and on", "Granted, to come", "Granted, unprotected", "Held"


def _layers(
    counted: Iterable[Commitment],
    held: set[str],
    unprotected: set[str],
    way: LinkDirection,
    pool: str,
    now: datetime,
) -> tuple[tuple[str, tuple[tuple[datetime, int], ...]], ...]:
    """What is committed in four parts, which add up to all of it."""
    parts: dict[str, list[Commitment]] = {ON: [], TO_COME: [], UNPROTECTED: [], HELD: []}
    for each in counted:
        if each.link_direction == way and each.pool == pool:
            begun = ON if each.window.start <= now else TO_COME
            granted = UNPROTECTED if each.sls_id in unprotected else begun
            parts[HELD if each.sls_id in held else granted].append(each)
    return tuple((name, Timeline.of(found).steps) for name, found in parts.items())
