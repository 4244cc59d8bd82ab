"""Links with what is committed on them, over time and now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.urls import reverse

from inventory.models import AccessLink, CoreLink, Domain, Interface, Peering
from provisioning.models import LedgerEntry
from provisioning.pipeline.scheme import Pool, Scheme
from provisioning.pipeline.timeline import Commitment, Timeline
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.selectors.ledger import commitments
from provisioning.selectors.schemes import scheme_of

ACCESS_WAYS = (Direction.IN, Direction.OUT)
CORE_WAYS = (Direction.A_Z, Direction.Z_A)


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
    committed_bps: int
    headroom_bps: int | None
    routers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Course:
    """What is committed on one direction of a link in one pool, over time, against its share (bit/s)."""

    direction: Direction
    pool: str
    base_bps: int
    share_bps: int
    percent: str
    provenance: str
    is_choice: bool
    steps: tuple[tuple[datetime, int], ...]
    now: datetime
    entries: tuple[LedgerEntry, ...] = field(hash=False)

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
        """Return what is free at the peak from now on, bit/s."""
        return self.share_bps - self.peak_bps


def scheme_in_force() -> Scheme | None:
    """Return the scheme of the domain, None before anything is imported."""
    domain = Domain.objects.first()
    return scheme_of(domain) if domain else None


def _steps(counted: Iterable[Commitment], way: LinkDirection, pool: str) -> tuple[tuple[datetime, int], ...]:
    return Timeline.of(one for one in counted if one.link_direction == way and one.pool == pool).steps


def _share(pool: Pool, core: bool) -> tuple[str, str, bool]:
    share = (pool.core if core else pool.access) or pool.access
    return share.words.removesuffix(" %"), share.provenance, share.is_choice


def courses(
    name: str, interface: Interface, now: datetime, *, core: bool = False, far: Interface | None = None
) -> list[Course]:
    """Return both directions of a link, per pool of the scheme, with the charges that still count."""
    scheme = scheme_in_force()
    if scheme is None:
        return []
    base = min([interface.percent_base_bps, *([far.percent_base_bps] if far else [])])
    counted = commitments(now=now, links=[name])
    charged = LedgerEntry.objects.filter(link=name, released_at=None).select_related(
        "reservation__request__nren",
        "reservation__request__receiving_nren",
        "hold__nren",
        "hold__receiving_nren",
    )
    sorted_out: dict[tuple[str, str], list[LedgerEntry]] = defaultdict(list)
    for entry in charged.order_by("start", "pk"):
        sorted_out[entry.direction, entry.pool].append(entry)
    found = []
    for way in CORE_WAYS if core else ACCESS_WAYS:
        for pool in scheme.pools.values():
            entries = sorted_out[way.value, pool.name]
            percent, provenance, is_choice = _share(pool, core)
            found.append(
                Course(
                    way,
                    pool.name,
                    base,
                    ((pool.core if core else pool.access) or pool.access).of(base),
                    percent,
                    provenance,
                    is_choice,
                    _steps(counted, LinkDirection(name, way), pool.name),
                    now,
                    tuple(entries),
                )
            )
    return found


def link_rows(now: datetime) -> list[LinkRow]:
    """Return every link of the domain for the list; one query for the ledger, not one per link."""
    scheme = scheme_in_force()
    pool = next(iter(scheme.pools.values())) if scheme else None
    held: dict[tuple[str, str], int] = defaultdict(int)
    for one in commitments(now=now):
        if one.window.contains(now):
            held[one.link_direction.link, one.link_direction.direction.value] += one.rate_bps

    def row(
        name: str,
        kind: str,
        owner: str,
        case: str,
        view: str,
        pk: int,
        base: int,
        ends: tuple[Interface, ...],
    ) -> LinkRow:
        core = len(ends) > 1
        ways = CORE_WAYS if core else ACCESS_WAYS
        share = (
            ((pool.core if core else pool.access) or pool.access).of(base)
            if pool and kind != "peering"
            else None
        )
        committed = max(held[name, way.value] for way in ways)
        url = reverse(f"web:{view}", args=[pk])
        return LinkRow(
            name,
            kind,
            owner,
            case,
            url,
            base,
            share,
            committed,
            None if share is None else share - committed,
            tuple(end.router.name for end in ends),
        )

    rows = [
        row(
            x.name,
            "access",
            x.nren.name,
            x.case,
            "link-access",
            x.pk,
            x.interface.percent_base_bps,
            (x.interface,),
        )
        for x in AccessLink.objects.select_related("nren", "interface__router")
    ]
    rows += [
        row(
            x.name,
            "core",
            "",
            "",
            "link-core",
            x.pk,
            min(x.a_interface.percent_base_bps, x.z_interface.percent_base_bps),
            (x.a_interface, x.z_interface),
        )
        for x in CoreLink.objects.select_related("a_interface__router", "z_interface__router")
    ]
    rows += [
        row(
            x.name,
            "peering",
            x.peer,
            "non-participant",
            "link-peering",
            x.pk,
            x.interface.percent_base_bps,
            (x.interface,),
        )
        for x in Peering.objects.select_related("interface__router")
    ]
    return rows
