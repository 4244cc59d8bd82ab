"""How full links are in each direction, under four questions: now, at the peak to come, after a failure, by use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import FailureEffect, UsageSeries
from provisioning.pipeline.allowance import allowance
from provisioning.pipeline.failures import highest_everywhere
from provisioning.pipeline.scheme import Pool, Scheme
from provisioning.pipeline.topology import Direction, Failure, LinkDirection, LinkValue, Network, lost_links
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.failures import effect_of, newest_run
from provisioning.selectors.held import charged_in
from provisioning.selectors.ledger import charged_now
from provisioning.web.bars import percent
from provisioning.web.using import STALE_AFTER

NOW, PEAK, AFTER, USE = "now", "peak", "after", "use"
QUESTIONS: Final = {
    NOW: "Reserved now",
    PEAK: "Reserved at the peak to come",
    AFTER: "Reserved after a failure, at the peak to come",
    USE: "Sent, as last counted",
}
LEGEND: Final = (
    ("none", "nothing"),
    ("low", "below 50 %"),
    ("mid", "below 80 %"),
    ("high", "up to all of the share"),
    ("over", "more than the share"),
    ("unknown", "? not counted lately"),
    ("lost", "out of use"),
)
"""The levels of `Load`, each with what it says."""
_WAYS: Final = {
    "access": (Direction.IN, Direction.OUT),
    "core": (Direction.A_Z, Direction.Z_A),
    "border": (Direction.OUT,),
}


@dataclass(frozen=True, order=True)
class Load:
    """What one direction of a link carries of its share, bit/s. ``bps`` None: it is not known, or (``lost``) the link fails."""

    bps: int | None
    share_bps: int
    lost: bool = False

    @property
    def text(self) -> str:
        """In per cent of the share; what is not known is no number."""
        if self.bps is None:
            return "out" if self.lost else "?"
        return "0 %" if not self.bps else percent(self.bps, self.share_bps)

    @property
    def level(self) -> str:
        """How full that is, in a word: none, low, mid, high, over; lost; unknown."""
        if self.bps is None:
            return "lost" if self.lost else "unknown"
        if self.bps > self.share_bps:
            return "over"
        parts = 100 * self.bps / self.share_bps if self.share_bps else 0
        return "none" if not self.bps else "low" if parts < 50 else "mid" if parts < 80 else "high"

    @property
    def rank(self) -> float:
        """The fuller, the higher; below all what is not known."""
        return -1.0 if self.bps is None else self.bps / max(self.share_bps, 1)


Loads = dict[LinkDirection, Load]


def directions(link: LinkValue) -> tuple[LinkDirection, ...]:
    """Return the directions of a link in which something can be promised."""
    return tuple(LinkDirection(link.id, way) for way in _WAYS[link.kind])


@dataclass(frozen=True)
class Asked:
    """What is asked of the links: one of `QUESTIONS`, of which pool, at which moment, and after which failure."""

    question: str
    pool: Pool
    now: datetime
    failure: Failure | None = None


def loads_of(
    domain: Domain, network: Network, scheme: Scheme, links: Iterable[LinkValue], asked: Asked
) -> Loads:
    """Return how full each direction of these links is. What is charged to others is not read, but where a failure is asked for:
    what moves may come from anywhere.

    Raises InvalidInput for a failure of what there is not.
    """
    chosen = list(links)
    later = asked.question in (PEAK, AFTER)
    shares: dict[str, int] = {}
    for link in chosen:
        allowed = allowance(network, asked.pool, link, asked.now)
        shares[link.id] = allowed.lowest(TimeWindow(asked.now)) if later else allowed.at(asked.now)
    places = [load for link in chosen for load in directions(link)]
    found: dict[LinkDirection, int | None]
    if asked.question == NOW:
        found = _now(places, asked)
    elif asked.question == USE:
        found = _used(chosen, scheme, asked)
    else:
        found = _peaks(places, asked)
    lost: frozenset[str] = frozenset()
    if asked.question == AFTER and asked.failure is not None:
        lost = lost_links(network, asked.failure)
        effect = effect_of(domain, asked.failure, now=asked.now)
        found |= {
            shift.load: shift.after_bps
            for shift in effect.shifts
            if shift.pool == asked.pool.name and shift.load in found
        }
    return {
        load: Load(None if load.link in lost else found[load], shares[load.link], load.link in lost)
        for load in places
    }


def worst_failure(domain: Domain) -> Failure | None:
    """Return the single failure that leaves most without what was promised, as last worked out; None where none does anything."""
    run = newest_run(domain)
    row = None if run is None else FailureEffect.objects.filter(run=run).first()
    return None if row is None else Failure("router" if row.kind == "router" else "link", row.name)


def failure_named(network: Network, name: str) -> Failure:
    """Return the failure of the core link or router of that name; raises InvalidInput where there is neither."""
    if network.core_link(name) is not None:
        return Failure("link", name)
    if network.router(name) is not None:
        return Failure("router", name)
    raise InvalidInput(f"there is no core link and no router “{name:.200}”", field="fails")


def _now(places: Sequence[LinkDirection], asked: Asked) -> dict[LinkDirection, int | None]:
    sums = charged_now(now=asked.now, links={load.link for load in places})
    return {load: sums.get((load.link, load.direction.value, asked.pool.name), 0) for load in places}


def _peaks(places: Sequence[LinkDirection], asked: Asked) -> dict[LinkDirection, int | None]:
    if not places:
        return {}
    spans = charged_in({load: place for place, load in enumerate(places)}, now=asked.now)
    most = highest_everywhere([span for span in spans if span.pool == asked.pool.name], len(places))
    return dict(zip(places, most, strict=True))


def _used(links: Sequence[LinkValue], scheme: Scheme, asked: Asked) -> dict[LinkDirection, int | None]:
    """What the classes of the pool's services were last counted to send, where that is not long ago.

    An interface counts what it sends, so a direction of a core link is counted at the router that it leaves; what enters the
    backbone on an access link is counted there inwards.
    """
    at: dict[tuple[str, str, str], LinkDirection] = {}
    for link in links:
        if link.kind == "core":
            at[link.id, link.a_router, "output"] = LinkDirection(link.id, Direction.A_Z)
            at[link.id, link.z_router, "output"] = LinkDirection(link.id, Direction.Z_A)
        else:
            at[link.id, link.router, "input"] = LinkDirection(link.id, Direction.IN)
            at[link.id, link.router, "output"] = LinkDirection(link.id, Direction.OUT)
    services = {each.name for each in scheme.classes if each.pool == asked.pool.name}
    since = asked.now - timedelta(seconds=STALE_AFTER * settings.USAGE_SECONDS)
    rows = UsageSeries.objects.filter(link__in={link.id for link in links}, seen_at__gte=since)
    sums: defaultdict[LinkDirection, int] = defaultdict(int)
    unknown: set[LinkDirection] = set()
    fields = ("link", "router__name", "direction", "services", "sent_bps")
    for name, router, direction, carried, sent in rows.exclude(services=[]).values_list(*fields):
        load = at.get((name, router, direction))
        if load is None or not services.intersection(carried):
            continue
        sums[load] += sent or 0
        if sent is None:
            unknown.add(load)
    return {
        load: sums[load] if load in sums and load not in unknown else None
        for link in links
        for load in directions(link)
    }
