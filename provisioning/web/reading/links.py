"""Links with what is committed on them now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from inventory.models import AccessLink, CoreLink, Domain, Peering
from provisioning.pipeline.failures import highest_everywhere
from provisioning.pipeline.scheme import LinkKind, Pool, Scheme
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.selectors.held import charged_in
from provisioning.selectors.ledger import charged_now
from provisioning.selectors.schemes import scheme_of

ACCESS_WAYS = (Direction.IN, Direction.OUT)
CORE_WAYS = (Direction.A_Z, Direction.Z_A)


class Charged:
    """What is charged to links at one instant: read for those that are named first, or for all when another is asked for."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self._names: set[str] | None = set()
        self._sums: dict[tuple[str, str], int] = {}
        self._peaks: dict[tuple[str, str], int] = {}

    def read(self, names: Iterable[str] | None) -> None:
        """Read what is charged to these links (None: to all), in one go."""
        self._names = None if names is None else set(names)
        self._sums = defaultdict(int)
        for (link, way, _pool), bps in charged_now(now=self.now, links=self._names).items():
            self._sums[link, way] += bps

    def read_peaks(self, links: Iterable[tuple[str, Sequence[Direction]]]) -> None:
        """Read the peaks to come of these links and their directions, in one go and of no others."""
        loads = [LinkDirection(name, way) for name, ways in links for way in ways]
        places = {load: place for place, load in enumerate(loads)}
        most = highest_everywhere(charged_in(places, now=self.now), len(places)) if places else []
        self._peaks |= {(load.link, load.direction.value): most[place] for load, place in places.items()}

    def peak_of(self, name: str, way: Direction) -> int:
        """Return the most that is charged to one direction of a link in all pools from now on, bit/s."""
        if (name, way.value) not in self._peaks:
            self.read_peaks([(name, (way,))])
        return self._peaks[name, way.value]

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
    prefix: IPv4Network | IPv6Network | None = None

    # Each once: sorting 5,000 of them asks ten times for each.
    @cached_property
    def committed_bps(self) -> int:
        """Return what is charged now in the direction that has more, bit/s."""
        return max(self.charged.of(self.name, way) for way in self.ways)

    @property
    def ways(self) -> tuple[Direction, ...]:
        """Return the directions of the link."""
        return CORE_WAYS if self.kind == "core" else ACCESS_WAYS

    @cached_property
    def peak_bps(self) -> int:
        """Return the most that is charged from now on in the direction that has more then, bit/s."""
        return max(self.charged.peak_of(self.name, way) for way in self.ways)

    @cached_property
    def headroom_bps(self) -> int | None:
        """Return what is free now, bit/s; None where nothing is shared out."""
        return None if self.share_bps is None else self.share_bps - self.committed_bps


def scheme_in_force() -> Scheme | None:
    """Return the scheme of the domain, None before anything is imported."""
    domain = Domain.objects.first()
    return scheme_of(domain) if domain else None


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
    plain = [name for name in ("pk", "name", "prefix", kind.owner, kind.case) if name]
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
                row["prefix"],
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


def core_links_named(text: str, *, most: int) -> list[str]:
    """Return the names of the first ``most`` core links that hold ``text``."""
    rows = CoreLink.objects.filter(name__icontains=text).order_by("name")
    return list(rows.values_list("name", flat=True)[:most])
