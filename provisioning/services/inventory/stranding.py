"""An import may not take from under a reservation what it needs: then no plan could be made that keeps the promise.

A change of scheme is such an import. What a smaller share no longer carries is said and not refused (`resting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from inventory.models import Domain
from provisioning.errors import Conflict, ExpediteError, InvalidInput
from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.pipeline import intent
from provisioning.pipeline.admission import Refused, admit
from provisioning.pipeline.change import RequestState
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.units import instant_text
from provisioning.selectors.network import exempt_interfaces, load_network, object_numbers
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.services import clock
from provisioning.services.decisions.capacity import engine_obstacle

# Capacity may shrink under a reservation: that is said in the report (`resting`) and for a person to solve.
_TOLERATED = frozenset({"share-exceeded"})


class ReservationsStranded(Conflict):
    """Reservations admitted or running could not be kept: ``links`` maps each link to why, whose they are, and when.

    ``breaks`` has an entry a reservation: ``from`` and ``to`` (ISO 8601, ``to`` null for an open end), reason and text.
    """

    code = "reservations-stranded"


def obstacles(domain: Domain | None) -> dict[int, str]:
    """Why an admitted or running reservation cannot be kept on the network as the rows say it, by its request's key.

    Empty for a domain that is not there yet. Asks what planning and admission ask: whether the router's
    configuration can be built, and whether the link's case and every line card on the way let the class through.
    """
    if domain is None:
        return {}
    found: dict[int, str] = {}
    kept = PremiumRequest.objects.filter(
        Q(end__isnull=True) | Q(end__gt=clock.now()),
        nren__domain=domain,
        state__in=(RequestState.ADMITTED, RequestState.ACTIVE),
    ).select_related("source_link__interface__router", "destination_link", "nren", "receiving_nren")
    requests = list(kept.order_by("pk"))
    if not requests:
        return {}
    network = load_network(domain)
    try:
        scheme = scheme_of(domain)
    except InvalidInput as error:
        return {request.pk: error.reason for request in requests}
    suffixes = object_numbers()
    left_out = exempt_interfaces({request.source_link.interface.router for request in requests})
    for request in requests:
        interface = request.source_link.interface
        router = interface.router
        exempt = left_out[router.name]
        sls = sls_of(request)
        try:
            if interface.name in exempt:
                raise Conflict(f"{interface} is exempt ({exempt[interface.name]}) and gets no policy")
            intent.build(
                network,
                scheme,
                router.name,
                profile(router.platform, router.ios),
                [sls],
                suffixes=suffixes,
                exempt=exempt,
            )
            verdict = admit(network, scheme, sls, (), engine_rule=engine_obstacle)
        except ExpediteError as error:
            found[request.pk] = error.reason
            continue
        if isinstance(verdict, Refused):
            reasons = [reason.text for reason in verdict.reasons if reason.code not in _TOLERATED]
            if reasons:
                found[request.pk] = "; ".join(reasons)
        if request.pk not in found and (why := _uncounted(request, scheme, sls.service_class)):
            found[request.pk] = why
    return found


def _uncounted(request: PremiumRequest, scheme: Scheme, service_class: str) -> str:
    """Why what the reservation holds would not be seen by the next admission; empty when it would."""
    pool = scheme.pool_of(service_class)
    charged = LedgerEntry.objects.filter(reservation__request=request, released_at__isnull=True)
    for name in sorted(set(charged.values_list("pool", flat=True)) - {"" if pool is None else pool.name}):
        return (
            f"it is charged to the pool {name}, in which {scheme.name} does not count {service_class}: "
            "its capacity would be given twice"
        )
    return ""


def refuse_stranding(domain: Domain, before: Mapping[int, str]) -> None:
    """Raise ReservationsStranded when there are obstacles that were not there `before` the rows were written."""
    fresh = {pk: why for pk, why in obstacles(domain).items() if pk not in before}
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
