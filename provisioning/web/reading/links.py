"""Links with what is committed on them, over time and now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from inventory.models import AccessLink, CoreLink, Domain, Interface, Peering
from provisioning.models import LedgerEntry, UnprotectedRequest
from provisioning.pipeline.admission import Allowance, allowance
from provisioning.pipeline.scheme import LinkKind, Pool, Scheme
from provisioning.pipeline.timeline import Commitment, Timeline
from provisioning.pipeline.topology import Direction, LinkDirection, LinkValue, Network
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import topology
from provisioning.selectors.failures import newest_run
from provisioning.selectors.ledger import charged_now, commitments
from provisioning.selectors.schemes import scheme_of

MOST = 200
"""Charges of one direction and pool that the page of a link lists; its chart is of all."""
ACCESS_WAYS = (Direction.IN, Direction.OUT)
CORE_WAYS = (Direction.A_Z, Direction.Z_A)
WAYS: dict[LinkKind, tuple[Direction, ...]] = {
    "access": ACCESS_WAYS,
    "core": CORE_WAYS,
    "border": (Direction.OUT,),  # nothing is promised of what a peering sends
}


class Charged:
    """What is charged to links at one instant: read for those that are named first, or for all when another is asked for."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self._names: set[str] | None = set()
        self._sums: dict[tuple[str, str], int] = {}

    def read(self, names: Iterable[str] | None) -> None:
        """Read what is charged to these links (None: to all), in one go."""
        self._names = None if names is None else set(names)
        self._sums = defaultdict(int)
        for (link, way, _pool), bps in charged_now(now=self.now, links=self._names).items():
            self._sums[link, way] += bps

    def of(self, name: str, way: Direction) -> int:
        """Return what is charged to one direction of a link in all pools, bit/s."""
        if self._names is not None and name not in self._names:
            self.read(None)
        return self._sums.get((name, way.value), 0)


@dataclass(frozen=True)
class LinkRow:
    """One link in the list; rates in bit/s, headroom the smaller of the two directions."""

    name: str
    kind: str
    owner: str
    case: str
    url: str
    base_bps: int
    share_bps: int | None
    charged: Charged = field(hash=False, compare=False, repr=False)
    routers: tuple[str, ...] = ()

    # Each once: sorting 5,000 of them asks ten times for each.
    @cached_property
    def committed_bps(self) -> int:
        """Return what is charged now in the direction that has more, bit/s."""
        return max(
            self.charged.of(self.name, way) for way in (CORE_WAYS if self.kind == "core" else ACCESS_WAYS)
        )

    @cached_property
    def headroom_bps(self) -> int | None:
        """Return what is free now, bit/s; None where nothing is shared out."""
        return None if self.share_bps is None else self.share_bps - self.committed_bps


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


def scheme_in_force() -> Scheme | None:
    """Return the scheme of the domain, None before anything is imported."""
    domain = Domain.objects.first()
    return scheme_of(domain) if domain else None


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


@dataclass(frozen=True)
class _Kind:
    """One kind of link as values: rows, the name of its page, where owner, case and ends stand, and which share counts."""

    name: str
    view: str
    rows: QuerySet[Any]
    owner: str
    case: str
    ends: tuple[str, ...]
    share: LinkKind


def _kinds() -> tuple[_Kind, ...]:
    return (
        _Kind(
            "access", "link-access", AccessLink.objects.all(), "nren__name", "case", ("interface",), "access"
        ),
        _Kind("core", "link-core", CoreLink.objects.all(), "", "", ("a_interface", "z_interface"), "core"),
        _Kind("peering", "link-peering", Peering.objects.all(), "peer", "", ("interface",), "border"),
    )


def _values(kind: _Kind, rows: QuerySet[Any], charged: Charged) -> list[LinkRow]:
    pool = _first_pool()
    plain = [name for name in ("pk", "name", kind.owner, kind.case) if name]
    numbers = [f"{end}__{name}" for end in kind.ends for name in ("bw_bps", "usable_bps")]
    routers = [f"{end}__router__name" for end in kind.ends]
    shares: dict[int, int | None] = {}
    pattern = reverse(f"web:{kind.view}", args=[0])
    found = []
    for row in rows.order_by("name").values(*plain, *numbers, *routers):
        base = min(row[name] for name in numbers)
        if base not in shares:
            shares[base] = _share_of(pool, kind, base)
        found.append(
            LinkRow(
                row["name"],
                kind.name,
                row[kind.owner] if kind.owner else "",
                row[kind.case] if kind.case else "non-participant" if kind.name == "peering" else "",
                pattern.replace("/0/", f"/{row['pk']}/"),
                base,
                shares[base],
                charged,
                tuple(row[name] for name in routers),
            )
        )
    return found


def _first_pool() -> Pool | None:
    scheme = scheme_in_force()
    return next(iter(scheme.pools.values())) if scheme else None


def _share_of(pool: Pool | None, kind: _Kind, base_bps: int) -> int | None:
    if pool is None or pool.share(kind.share) is None:
        return None
    return pool.share_bps(kind.share, base_bps)


def link_rows(now: datetime) -> list[LinkRow]:
    """Return every link of the domain for the list, as values; what is charged to them is read for those that are shown."""
    charged = Charged(now)
    return [row for kind in _kinds() for row in _values(kind, kind.rows, charged)]


def links_named(text: str, *, most: int) -> tuple[list[LinkRow], int]:
    """Return the first ``most`` links whose name or owner holds ``text``, and how many there are."""
    charged = Charged(timezone.now())
    found: list[LinkRow] = []
    count = 0
    for kind in _kinds():
        matches = Q(name__icontains=text)
        if kind.owner:
            matches |= Q(**{f"{kind.owner}__icontains": text})
        rows = kind.rows.filter(matches)
        count += rows.count()
        names = list(rows.order_by("name").values_list("pk", flat=True)[: most - len(found)])
        found += _values(kind, kind.rows.filter(pk__in=names), charged)
    return found, count
