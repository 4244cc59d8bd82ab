"""Which promises no longer fit the network as it is now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from inventory.models import AccessLink, CoreLink, Domain, Peering
from provisioning.pipeline.admission import Overcommitment, overcommitments
from provisioning.pipeline.allowance import allowance_of
from provisioning.pipeline.failures import highest_everywhere
from provisioning.pipeline.scheme import LinkKind, Scheme
from provisioning.pipeline.topology import Direction, LinkCapacity, LinkDirection, Network, Planned
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import topology
from provisioning.selectors.capacity import planned
from provisioning.selectors.held import charged_in
from provisioning.selectors.ledger import LinkKey, charged_in_all, commitments
from provisioning.selectors.network import bandwidths_shown, load_network
from provisioning.selectors.schemes import scheme_of


def overcommitted(domain: Domain, *, now: datetime) -> tuple[Overcommitment, ...]:
    """Every stretch from ``now`` on in which reservations and holds exceed the share of a link of ``domain`` as its rows are.

    Raises InvalidInput when something is granted and the domain's scheme cannot be read.
    """
    totals = charged_in_all(now=now)
    if not totals:
        return ()
    ends = _ends(domain)
    bases = _bases(domain, ends)
    known = {link: (ends[link][0], bases[link]) for link in {key[0] for key in totals} if link in ends}
    doubtful = _doubtful(scheme_of(domain), totals, known, planned(domain))
    if not doubtful:
        return ()
    routers = {end[0] for link in doubtful for end in ends[link][1]}
    network = load_network(domain, routers=routers)
    return overcommitments(network, scheme_of(domain), commitments(now=now, links=doubtful), now)


def overcommitted_as_known(domain: Domain, *, now: datetime) -> tuple[Overcommitment, ...]:
    """The same by the current version of the network, which a process keeps: for a page, which cannot read every link anew.

    A hand in the tables shows here as late as it does in decisions: when the tick has noticed it, within five minutes (ADR 25).
    """
    totals = charged_in_all(now=now)
    if not totals:
        return ()
    current = topology.current(domain)
    return _beyond(totals, current.network, scheme_of(current.domain), now)


def overcommitted_on(
    network: Network, scheme: Scheme, *, now: datetime, links: Collection[str] | None = None
) -> tuple[Overcommitment, ...]:
    """The same on a network and under a scheme that are known, on these links (None: on all)."""
    return _beyond(charged_in_all(now=now, links=links), network, scheme, now)


def _beyond(
    totals: Mapping[LinkKey, int], network: Network, scheme: Scheme, now: datetime
) -> tuple[Overcommitment, ...]:
    found = ((link, network.link(link)) for link in {key[0] for key in totals})
    known = {link: (value.kind, value.base_bps) for link, value in found if value is not None}
    doubtful = _doubtful(scheme, totals, known, network.planned)
    full = _full(network, scheme, [key for key in totals if key[0] in doubtful], now)
    if not full:
        return ()
    return overcommitments(network, scheme, commitments(now=now, links=full), now)


def _full(network: Network, scheme: Scheme, keys: Iterable[LinkKey], now: datetime) -> set[str]:
    """The links of those where at some instant more is charged than the least that the pool may take from ``now`` on. What is
    charged month after month adds up to more than any share, and fits.
    """
    by_pool: defaultdict[str, dict[LinkDirection, int]] = defaultdict(dict)
    numbers: dict[LinkDirection, int] = {}
    for link, direction, pool in keys:
        load = LinkDirection(link, Direction(direction))
        by_pool[pool][load] = numbers.setdefault(load, len(numbers))
    spans = charged_in(numbers, now=now)
    full: set[str] = set()
    for pool, places in by_pool.items():
        most = highest_everywhere([span for span in spans if span.pool == pool], len(numbers))
        for load, place in places.items():
            allowed = allowance_of(network, scheme.pools.get(pool), load.link, now)
            if most[place] > allowed.lowest(TimeWindow(now)):
                full.add(load.link)
    return full


def _doubtful(
    scheme: Scheme,
    totals: Mapping[LinkKey, int],
    known: Mapping[str, tuple[LinkKind, int]],
    coming: Iterable[Planned],
) -> set[str]:
    """The links that must be reckoned over time: those whose charges, whenever they are, exceed the share when added up (no
    instant has more than that sum), and those whose capacity changes. ``known`` has each link's kind and what shares are of.
    """
    shares: dict[tuple[str, LinkKind, int], int] = {}
    changing = {each.link if isinstance(each, LinkCapacity) else (each.pool, each.kind) for each in coming}
    doubtful = set()
    for (link, _direction, pool), bps in totals.items():
        if link not in known:
            continue
        key = (pool, *known[link])
        if key not in shares:
            shares[key] = _share_bps(scheme, *key)
        # Where capacity changes with time the share of now says nothing of tomorrow's.
        if bps > shares[key] or link in changing or key[:2] in changing:
            doubtful.add(link)
    return doubtful


_End = tuple[str, int, str, int, int]
"""Router, its id, interface, BW and usable capacity in bit/s."""


_Link = tuple[LinkKind, tuple[_End, ...]]
"""Its kind, and the one end of an access link or a peering, both of a core link."""


def _ends(domain: Domain) -> dict[str, _Link]:
    """Every link of the domain by its id: values, no rows."""

    def of(interface: str) -> tuple[str, ...]:
        return tuple(
            f"{interface}__{name}" for name in ("router__name", "router_id", "name", "bw_bps", "usable_bps")
        )

    found: dict[str, _Link] = {}
    access = AccessLink.objects.filter(nren__domain=domain).order_by()
    for row in access.values_list("name", *of("interface")):
        found[row[0]] = ("access", (row[1:],))
    for row in Peering.objects.filter(domain=domain).order_by().values_list("name", *of("interface")):
        found[row[0]] = ("border", (row[1:],))
    core = CoreLink.objects.filter(domain=domain).order_by()
    for row in core.values_list("name", *of("a_interface"), *of("z_interface")):
        found[row[0]] = ("core", (row[1:6], row[6:]))
    return found


def _bases(domain: Domain, ends: dict[str, _Link]) -> dict[str, int]:
    """What shares are of, by the link's id, bit/s: the smallest of what the inventory has and the routers showed."""
    shown = bandwidths_shown(domain)
    return {
        link: min(min(bw, usable, shown.get((router, name), bw)) for _, router, name, bw, usable in both)
        for link, (_, both) in ends.items()
    }


def _share_bps(scheme: Scheme, name: str, kind: LinkKind, base_bps: int) -> int:
    pool = scheme.pools.get(name)
    return 0 if pool is None else pool.share_bps(kind, base_bps)
