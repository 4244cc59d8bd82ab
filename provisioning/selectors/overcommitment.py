"""Which promises no longer fit the network as it is now."""

from __future__ import annotations

from datetime import datetime

from inventory.models import AccessLink, CoreLink, Domain
from provisioning.pipeline.admission import Overcommitment, overcommitments
from provisioning.pipeline.scheme import Scheme
from provisioning.selectors.ledger import charged_in_all, commitments
from provisioning.selectors.network import bandwidths_shown, load_network
from provisioning.selectors.schemes import scheme_of


def overcommitted(domain: Domain, *, now: datetime) -> tuple[Overcommitment, ...]:
    """Every stretch from ``now`` on in which reservations and holds exceed the share of a link of ``domain``.

    Only links whose charges exceed their share when all are added up, whenever they are, are reckoned over time: no instant
    has more than that sum. Raises InvalidInput when something is granted and the domain's scheme cannot be read.
    """
    totals = charged_in_all(now=now)
    if not totals:
        return ()
    ends = _ends(domain)
    held = {key: bps for key, bps in totals.items() if key[0] in ends}
    if not held:
        return ()
    scheme = scheme_of(domain)
    bases = _bases(domain, ends)
    shares: dict[tuple[str, bool, int], int] = {}
    doubtful = set()
    for (link, _direction, pool), bps in held.items():
        key = (pool, len(ends[link]) > 1, bases[link])
        if key not in shares:
            shares[key] = _share_bps(scheme, *key)
        if bps > shares[key]:
            doubtful.add(link)
    if not doubtful:
        return ()
    routers = {end[0] for link in doubtful for end in ends[link]}
    network = load_network(domain, routers=routers)
    return overcommitments(network, scheme, commitments(now=now, links=doubtful), now)


_End = tuple[str, int, str, int, int]
"""Router, its id, interface, BW and usable capacity in bit/s."""


def _ends(domain: Domain) -> dict[str, tuple[_End, ...]]:
    """Both ends of each core link, the one of each access link, by the link's id: values, no rows."""

    def of(interface: str) -> tuple[str, ...]:
        return tuple(
            f"{interface}__{name}" for name in ("router__name", "router_id", "name", "bw_bps", "usable_bps")
        )

    access = AccessLink.objects.filter(nren__domain=domain).order_by()
    core = CoreLink.objects.filter(domain=domain).order_by()
    found: dict[str, tuple[_End, ...]] = {
        row[0]: (row[1:],) for row in access.values_list("name", *of("interface"))
    }
    rows = core.values_list("name", *of("a_interface"), *of("z_interface"))
    return found | {row[0]: (row[1:6], row[6:]) for row in rows}


def _bases(domain: Domain, ends: dict[str, tuple[_End, ...]]) -> dict[str, int]:
    """What shares are of, by the link's id, bit/s: the smallest of what the inventory has and the routers showed."""
    shown = bandwidths_shown(domain)
    return {
        link: min(min(bw, usable, shown.get((router, name), bw)) for _, router, name, bw, usable in both)
        for link, both in ends.items()
    }


def _share_bps(scheme: Scheme, name: str, core: bool, base_bps: int) -> int:
    pool = scheme.pools.get(name)
    share = None if pool is None else pool.core if core else pool.access
    return 0 if share is None else share.of(base_bps)
