"""What everything live is charged to on a network, derived without a lock; written only where that network is still the one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Q

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.admission import charged, reach
from provisioning.pipeline.change import RequestState
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import LinkDirection, Network, Path
from provisioning.selectors.requests import sls_of

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
    """By the request's key what it is charged to on `network` under `scheme`; None: it has no path there, or asks nothing."""

    domain: Domain
    network: Network
    scheme: Scheme
    wanted: dict[int, Wanted | None] = field(hash=False)

    def more(self, requests: Iterable[PremiumRequest]) -> None:
        """Derive those that were granted since."""
        for request in requests:
            if request.pk not in self.wanted:
                self.wanted[request.pk] = _wanted(self.network, self.scheme, request)


def derive(domain: Domain, network: Network, scheme: Scheme) -> Derived:
    """Everything of the domain that holds capacity."""
    found = Derived(domain, network, scheme, {})
    found.more(live(domain))
    return found


def live(domain: Domain) -> list[PremiumRequest]:
    """Requests that hold capacity, in the order in which it was given."""
    holding = Q(reservation__isnull=False, reservation__released_at=None) | Q(state=RequestState.HELD)
    found = PremiumRequest.objects.filter(holding, nren__domain=domain).select_related(
        "reservation", "source_link", "destination_link", "nren", "receiving_nren"
    )
    return sorted(found, key=lambda each: (each.decided_at is None, each.decided_at or each.start, each.pk))


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
    on_the_way = scheme.service_class(sls.service_class).admission != "edge"
    return Wanted(frozenset((each.link, each.direction.value) for each in loads), found.hops, on_the_way)
