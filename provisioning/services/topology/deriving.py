"""What everything live is charged to on a network, derived without a lock; written only where that network is still the one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q, QuerySet

from inventory.models import AccessLink, Domain
from provisioning.errors import InvalidInput
from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.pipeline.admission import charged, reach
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.topology import LinkDirection, Network, Path
from provisioning.selectors import topology
from provisioning.selectors.requests import sls_of
from provisioning.services.topology.keys import among

Load = tuple[str, str]
"""(link, direction)."""


@dataclass(frozen=True)
class Wanted:
    """What one request is charged to: the loads, the hops shown, and whether its class counts on the way or at the edge alone."""

    loads: frozenset[Load]
    hops: tuple[LinkDirection, ...]
    on_the_way: bool


@dataclass(frozen=True)
class Derived:
    """By the request's key what it is charged to on `network` under `scheme`; None: it has no path there, or asks nothing.

    ``elsewhere`` are those that are charged to something else. That was read while `version` was the number of the current
    version (0: none): another version may have moved charges since.
    """

    domain: Domain
    network: Network
    scheme: Scheme
    version: int = 0
    wanted: dict[int, Wanted | None] = field(default_factory=dict, hash=False)
    elsewhere: set[int] = field(default_factory=set, hash=False)

    def holds(self, network: Network, scheme: Scheme, version: int) -> bool:
        """Whether this is still what follows from the rows."""
        return (self.version, self.scheme, self.network) == (version, scheme, network)

    def more(self, requests: Iterable[PremiumRequest]) -> None:
        """Derive those that were granted since."""
        for request in requests:
            if request.pk not in self.wanted:
                self.wanted[request.pk] = _wanted(self.network, self.scheme, request)


def derive(domain: Domain, network: Network, scheme: Scheme) -> Derived:
    """Everything of the domain that holds capacity."""
    version = topology.number_of(
        domain
    )  # before the charges are read: what moves them meanwhile makes another
    found = Derived(domain, network, scheme, version)
    found.more(_asking(domain))
    there = _charged(domain)
    for key, wanted in found.wanted.items():
        if wanted is not None and key in there and there[key] != wanted.loads:
            found.elsewhere.add(key)
    return found


def _charged(domain: Domain) -> dict[int, set[Load]]:
    """By the request's key what it is charged to, without what it leaves until its move is over."""
    rows = LedgerEntry.objects.order_by().filter(released_at=None, request__nren__domain=domain)
    found: defaultdict[int, set[Load]] = defaultdict(set)
    for key, link, direction, since in rows.values_list("request_id", "link", "direction", "moving_since"):
        if since is None:
            found[key].add((link, direction))
    return found


def live_keys(domain: Domain) -> set[int]:
    """The keys of the requests that hold capacity."""
    return set(_live(domain).values_list("pk", flat=True))


def live(domain: Domain, *, only: Collection[int] | None = None) -> list[PremiumRequest]:
    """Requests that hold capacity (of these keys; None: all), in the order in which it was given."""
    rows = _live(domain) if only is None else _live(domain).filter(pk__in=among(only))
    found = rows.select_related("reservation", "source_link", "destination_link", "nren", "receiving_nren")
    return sorted(found, key=order_of)


_ASKED = (
    "source_link_id",
    "destination_link_id",
    "service_class",
    "rate_bps",
    "start",
    "end",
    "bucket_bytes",
    "max_packet_bytes",
    "min_packet_bytes",
    "source_prefixes",
    "destination_prefixes",
    "flow_label",
)


def _asking(domain: Domain) -> list[PremiumRequest]:
    """Requests that hold capacity, in no order, with what their paths follow from alone; a link is one object for all."""
    found = list(_live(domain).only(*_ASKED))
    links = AccessLink.objects.order_by().only("name").in_bulk()
    for request in found:
        request.source_link = links[request.source_link_id]
        if request.destination_link_id is not None:
            request.destination_link = links[request.destination_link_id]
    return found


def order_of(request: PremiumRequest) -> tuple[bool, datetime, int]:
    """Requests by this are in the order in which they were given what they hold."""
    return request.decided_at is None, request.decided_at or request.start, request.pk


def _live(domain: Domain) -> QuerySet[PremiumRequest]:
    holding = Q(reservation__isnull=False, reservation__released_at=None) | Q(state=RequestState.HELD)
    return PremiumRequest.objects.order_by().filter(holding, nren__domain=domain)


def _wanted(network: Network, scheme: Scheme, request: PremiumRequest) -> Wanted | None:
    """A class or an end that the scheme cannot promise, and a row that asks nothing, is somebody else's to refuse
    (`inventory.stranding`); and who has no path any more stays charged where it was.
    """
    try:
        sls = sls_of(request)
        found = reach(network, scheme, sls)
        if not isinstance(found, Path):
            return None
        loads = charged(scheme, sls, found)
    except InvalidInput:
        return None
    on_the_way = charged_on_the_way(scheme, request)
    return Wanted(frozenset((each.link, each.direction.value) for each in loads), found.hops, on_the_way)


def charged_on_the_way(scheme: Scheme, request: PremiumRequest) -> bool:
    """Whether it is charged between its ends too; not that of a class that the scheme has not."""
    try:
        return scheme.service_class(request.service_class).admission != "edge"
    except InvalidInput:
        return False
