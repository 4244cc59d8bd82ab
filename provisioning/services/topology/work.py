"""What planned work on core links would do while it lasts: who moves, who fits no more, who has no path. Nothing is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.admission import Overcommitment, overcommitments
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import topology
from provisioning.selectors.ledger import commitments, window_of
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.services import clock
from provisioning.services.topology.deriving import Derived, Load, live
from provisioning.services.topology.recharging import words


@dataclass(frozen=True)
class Detour:
    """A request whose traffic would take other links while the work lasts."""

    request: PremiumRequest
    window: TimeWindow
    left: frozenset[Load]
    taken: frozenset[Load]

    def __str__(self) -> str:
        taken = words(self.taken) or "nothing else"
        return f"{self.request.reference} takes {taken} in place of {words(self.left)}, {self.window}"


@dataclass(frozen=True)
class Affected:
    """``detours`` are those that move, ``over`` the stretches in which something does not fit for it that fits today (clipped to
    the work), ``cut`` those without any path.
    """

    links: tuple[str, ...]
    window: TimeWindow
    detours: tuple[Detour, ...]
    over: tuple[Overcommitment, ...]
    cut: tuple[PremiumRequest, ...]

    @property
    def references(self) -> tuple[str, ...]:
        """Everybody that is named, by number."""
        names = {each.request.reference for each in self.detours} | {each.reference for each in self.cut}
        names |= {name for each in self.over for name in each.sls_ids}
        return tuple(sorted(names, key=lambda name: (len(name), name)))


def affected(domain: Domain, links: Collection[str], window: TimeWindow) -> Affected:
    """What it would do if these core links carried nothing while `window` lasts. Raises InvalidInput for a link that is no core
    link, for none at all, and for a time that is over.
    """
    now = clock.now()
    if window.end is not None and window.end <= now:
        raise InvalidInput("that time is over", field="until")
    known = topology.current(domain)
    network, scheme = known.network, scheme_of(known.domain)
    for name in links:
        if network.core_link(name) is None:
            raise InvalidInput(f"there is no core link {name!r:.200}", field="core_link")
    if not links:
        raise InvalidInput("name a core link", field="core_link")
    without = replace(
        network,
        core_links=tuple(replace(each, down=each.down or each.id in links) for each in network.core_links),
    )
    lasting = [each for each in live(domain) if _meets(each, window, now)]
    today, then = Derived(domain, network, scheme), Derived(domain, without, scheme)
    today.more(lasting)
    then.more(lasting)
    detours, cut = [], []
    for request in lasting:
        before, after = today.wanted[request.pk], then.wanted[request.pk]
        if before is None:
            continue  # it has no path today either
        if after is None:
            cut.append(request)
        elif before.loads != after.loads:
            both = _both(window_of(request.start, request.end, now), window)
            detours.append(Detour(request, both, before.loads - after.loads, after.loads - before.loads))
    over = _over(known, detours, cut, window, now)
    return Affected(tuple(sorted(links)), window, tuple(detours), over, tuple(cut))


def _over(
    known: topology.Known,
    detours: Iterable[Detour],
    cut: Iterable[PremiumRequest],
    window: TimeWindow,
    now: datetime,
) -> tuple[Overcommitment, ...]:
    """Stretches of the work in which a link is too full because traffic came."""
    coming = {load for each in detours for load in each.taken}
    if not coming:
        return ()
    scheme = scheme_of(known.domain)
    charged = commitments(now=now, links={link for link, _ in coming}, within=window)
    gone = {(each.request.reference, load) for each in detours for load in each.left}
    off = {each.reference for each in cut}
    stays = [
        each
        for each in charged
        if each.sls_id not in off
        and (each.sls_id, (each.link_direction.link, each.link_direction.direction.value)) not in gone
    ]
    comes = [
        Commitment(
            LinkDirection(link, Direction(way)),
            _pool(scheme, each.request),
            each.request.rate_bps,
            each.window,
            each.request.reference,
        )
        for each in detours
        for link, way in each.taken
    ]
    since = max(window.start, now)
    before = set(overcommitments(known.network, scheme, charged, since))
    found = overcommitments(known.network, scheme, [*stays, *comes], since)
    return tuple(
        _within(each, window)
        for each in found
        if (each.link, each.direction.value) in coming
        and each not in before
        and (window.end is None or each.start < window.end)
    )


def _pool(scheme: Scheme, request: PremiumRequest) -> str:
    pool = scheme.pool_of(sls_of(request).service_class)
    return "" if pool is None else pool.name


def _within(over: Overcommitment, window: TimeWindow) -> Overcommitment:
    if window.end is not None and (over.end is None or over.end > window.end):
        return replace(over, end=window.end)
    return over


def _meets(request: PremiumRequest, window: TimeWindow, now: datetime) -> bool:
    return window_of(request.start, request.end, now).overlaps(window)


def _both(one: TimeWindow, other: TimeWindow) -> TimeWindow:
    ends = [end for end in (one.end, other.end) if end is not None]
    return TimeWindow(max(one.start, other.start), min(ends, default=None))
