"""An import may not take from under a reservation what it needs: then no plan could be made that keeps the promise.

A change of scheme is such an import. What a smaller share no longer carries is said and not refused (`resting`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from inventory.models import Domain
from provisioning.errors import Conflict, ExpediteError, InvalidInput
from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.pipeline import intent
from provisioning.pipeline.admission import standing_reasons
from provisioning.pipeline.change import RequestState
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Network
from provisioning.pipeline.units import instant_text
from provisioning.selectors.network import exempt_interfaces, load_network, object_numbers
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.services import clock
from provisioning.services.decisions.capacity import engine_obstacle


class ReservationsStranded(Conflict):
    """Reservations admitted or running could not be kept: ``links`` maps each link to why, whose they are, and when.

    ``breaks`` has an entry a reservation: ``from`` and ``to`` (ISO 8601, ``to`` null for an open end), reason and text.
    """

    code = "reservations-stranded"


@dataclass(frozen=True)
class Kept:
    """The reservations that have to be kept, and all that it takes to say whether they can be, as the rows were when they were
    read. Nothing is judged before somebody asks.
    """

    requests: tuple[PremiumRequest, ...] = ()
    network: Network | None = None
    scheme: Scheme | str = ""
    suffixes: Mapping[str, int] = field(default_factory=dict)
    exempt: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    pools: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def obstacles(self, only: Collection[int] | None = None) -> dict[int, str]:
        """Why one cannot be kept, by its request's key; of ``only`` these where they are named.

        Asks what planning and admission ask: whether the router's configuration can be built, and whether the link's case
        and every line card on the way let the class through.
        """
        wanted = [each for each in self.requests if only is None or each.pk in only]
        if isinstance(self.scheme, str):
            return {request.pk: self.scheme for request in wanted}
        found = ((request.pk, self._obstacle(request, self.scheme)) for request in wanted)
        return {pk: why for pk, why in found if why}

    def _obstacle(self, request: PremiumRequest, scheme: Scheme) -> str:
        interface = request.source_link.interface
        router, exempt = interface.router, self.exempt[interface.router.name]
        sls = sls_of(request)
        assert self.network is not None
        try:
            if interface.name in exempt:
                raise Conflict(f"{interface} is exempt ({exempt[interface.name]}) and gets no policy")
            on = profile(router.platform, router.ios)
            intent.build(self.network, scheme, router.name, on, [sls], suffixes=self.suffixes, exempt=exempt)
            reasons = standing_reasons(self.network, scheme, sls, engine_obstacle)
        except ExpediteError as error:
            return error.reason
        if reasons:
            return "; ".join(reason.text for reason in reasons)
        return self._uncounted(request.pk, scheme, sls.service_class)

    def _uncounted(self, pk: int, scheme: Scheme, service_class: str) -> str:
        """Why what the reservation holds would not be seen by the next admission; empty when it would."""
        pool = scheme.pool_of(service_class)
        for name in sorted(self.pools.get(pk, frozenset()) - {"" if pool is None else pool.name}):
            return (
                f"it is charged to the pool {name}, in which {scheme.name} does not count {service_class}: "
                "its capacity would be given twice"
            )
        return ""


def kept(domain: Domain | None) -> Kept:
    """What has to be kept, as the rows are now; nothing for a domain that is not there yet."""
    if domain is None:
        return Kept()
    rows = PremiumRequest.objects.filter(
        Q(end__isnull=True) | Q(end__gt=clock.now()),
        nren__domain=domain,
        state__in=(RequestState.ADMITTED, RequestState.ACTIVE),
    ).select_related("source_link__interface__router", "destination_link", "nren", "receiving_nren")
    requests = tuple(rows.order_by("pk"))
    if not requests:
        return Kept()
    try:
        scheme: Scheme | str = scheme_of(domain)
    except InvalidInput as error:
        scheme = error.reason
    pools: defaultdict[int, set[str]] = defaultdict(set)
    charges = LedgerEntry.objects.filter(reservation__request__nren__domain=domain, released_at=None)
    for request, pool in charges.order_by().values_list("request_id", "pool").distinct():
        pools[request].add(pool)
    return Kept(
        requests,
        load_network(domain),
        scheme,
        object_numbers(),
        exempt_interfaces({request.source_link.interface.router for request in requests}),
        {request: frozenset(names) for request, names in pools.items()},
    )


def refuse_stranding(domain: Domain, before: Kept) -> None:
    """Raise ReservationsStranded when there are obstacles that were not there `before` the rows were written."""
    now_there = kept(domain).obstacles()
    there_before = before.obstacles(only=now_there.keys()) if now_there else {}
    fresh = {pk: why for pk, why in now_there.items() if pk not in there_before}
    if not fresh:
        return
    links: dict[str, dict[str, Any]] = {}
    now = clock.now()
    for request in PremiumRequest.objects.filter(pk__in=fresh).select_related("source_link").order_by("pk"):
        link = links.setdefault(
            request.source_link.name, {"reservations": [], "reason": fresh[request.pk], "breaks": []}
        )
        link["reservations"].append(request.reference)
        at, end = max(now, request.start), request.end
        link["breaks"].append(
            {
                "reservation": request.reference,
                "reason": fresh[request.pk],
                "from": at.isoformat(),
                "to": None if end is None else end.isoformat(),
                "text": f"{request.reference} would break {'at once' if at == now else 'on ' + instant_text(at)}"
                f", until {'further notice' if end is None else instant_text(end)}",
            }
        )
    said = "; ".join(
        f"{name} carries {', '.join(link['reservations'])}: {link['reason']} "
        f"({'; '.join(each['text'] for each in link['breaks'])})"
        for name, link in sorted(links.items())
    )
    raise ReservationsStranded(
        f"{said}. Nothing was written: withdraw these first, or wait for their end.",
        field="access_links",
        links=links,
    )
