"""The network as decisions know it: one version, loaded once and kept in the process with the paths derived from it."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

from inventory.models import Domain
from provisioning.models import TopologyVersion
from provisioning.pipeline.topology import Network, network_to_json
from provisioning.selectors.network import load_network

_KEPT: Final = 4
"""Networks that a process keeps: the current one of each domain, and one that an import has just replaced."""

_networks: OrderedDict[str, Network] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True)
class Known:
    """A domain as its row says it now, its network, and the number of the version that this is.

    ``number`` is 0 while nobody noted the state that the rows are in.
    """

    domain: Domain
    number: int
    digest: str
    network: Network


def number_of(domain: Domain) -> int:
    """The number of the current version; 0 when there is none. One read of an index."""
    rows = TopologyVersion.objects.filter(domain=domain).order_by("-number")
    return rows.values_list("number", flat=True).first() or 0


def current(domain: Domain) -> Known:
    """The current version with its network, from memory where this process has it.

    The rows are read where it has not; rows that are as no version says have the number 0, and are read every time.
    """
    while True:
        row = _newest(domain)
        if row is not None:
            with _lock:
                kept = _networks.get(row.digest)
                if kept is not None:
                    _networks.move_to_end(row.digest)
            if kept is not None:
                return Known(row.domain, row.number, row.digest, kept)
        fresh = Domain.objects.get(pk=domain.pk) if row is None else row.domain
        network = load_network(fresh)
        digest = digest_of(network, fresh)
        if row is not None and row.digest == digest:
            keep(digest, network)
            return Known(fresh, row.number, digest, network)
        if number_of(domain) == (0 if row is None else row.number):
            return Known(fresh, 0, digest, network)


def keep(digest: str, network: Network) -> None:
    """Keep a network for whoever decides next in this process."""
    with _lock:
        _networks[digest] = network
        _networks.move_to_end(digest)
        while len(_networks) > _KEPT:
            _networks.popitem(last=False)


def forget() -> None:
    """Keep nothing: what is asked for next is read."""
    with _lock:
        _networks.clear()


def digest_of(network: Network, domain: Domain) -> str:
    """SHA-256 (hex) of all that paths and shares follow from: the network, and the scheme with its choices."""
    engines = [(router.name, sorted(router.engines.items())) for router in network.routers]
    plain = [(router.name, router.platform, router.ios) for router in network.routers]
    chosen = (domain.scheme, domain.policer, sorted(domain.options.items()))
    parts: tuple[object, ...] = (
        plain,
        engines,
        network.access_links,
        network.core_links,
        network.peerings,
        chosen,
    )
    if network.planned:
        parts = (*parts, [str(each) for each in network_to_json(network)["planned"]])
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _newest(domain: Domain) -> TopologyVersion | None:
    return TopologyVersion.objects.filter(domain=domain).select_related("domain").order_by("-number").first()
