"""An import may not take from under a reservation what it needs: then no plan could be made that keeps the promise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from django.utils import timezone

from inventory.models import Domain
from provisioning.errors import Conflict, ExpediteError
from provisioning.models import LinkObjectName, PremiumRequest
from provisioning.pipeline import intent
from provisioning.pipeline.admission import Refused, admit
from provisioning.pipeline.change import RequestState
from provisioning.pipeline.platforms import profile
from provisioning.selectors.network import exempt_interfaces, load_network
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.services.decisions.capacity import engine_obstacle

# Capacity may shrink under a reservation: that is said in the report (`resting`) and for a person to solve.
_TOLERATED = frozenset({"share-exceeded"})


class ReservationsStranded(Conflict):
    """Reservations admitted or running could not be kept: ``links`` maps each link to why and to whose they are."""

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
        Q(end__isnull=True) | Q(end__gt=timezone.now()),
        nren__domain=domain,
        state__in=(RequestState.ADMITTED, RequestState.ACTIVE),
    ).select_related("source_link__interface__router", "destination_link", "nren", "receiving_nren")
    requests = list(kept.order_by("pk"))
    if not requests:
        return {}
    network, scheme = load_network(domain), scheme_of(domain)
    suffixes = dict(LinkObjectName.objects.values_list("link__name", "suffix"))
    for request in requests:
        interface = request.source_link.interface
        router = interface.router
        exempt = exempt_interfaces(router)
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
    return found


def refuse_stranding(domain: Domain, before: Mapping[int, str]) -> None:
    """Raise ReservationsStranded when there are obstacles that were not there `before` the rows were written."""
    fresh = {pk: why for pk, why in obstacles(domain).items() if pk not in before}
    if not fresh:
        return
    links: dict[str, dict[str, Any]] = {}
    for request in PremiumRequest.objects.filter(pk__in=fresh).select_related("source_link").order_by("pk"):
        link = links.setdefault(request.source_link.name, {"reservations": [], "reason": fresh[request.pk]})
        link["reservations"].append(request.reference)
    said = "; ".join(
        f"{name} carries {', '.join(link['reservations'])}: {link['reason']}"
        for name, link in sorted(links.items())
    )
    raise ReservationsStranded(
        f"{said}. Nothing was written: withdraw these first, or wait for their end.",
        field="access_links",
        links=links,
    )
