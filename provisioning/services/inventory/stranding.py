"""An import may not take from under a reservation what it needs: then no plan could be made that keeps the promise.

A change of scheme is such an import. What a smaller share no longer carries is said and not refused (`resting`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from inventory.models import Domain, Interface
from provisioning.errors import Conflict, ExpediteError, InvalidInput
from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.pipeline import intent
from provisioning.pipeline.admission import reach, standing_reasons
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.topology import Network, Path
from provisioning.pipeline.units import instant_text
from provisioning.selectors.network import load_network, object_numbers
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
class Ground:
    """What promises rest on: the network, the scheme (or the reason why it cannot be read), and by router the interfaces that
    get no policy, with the reason of each.
    """

    network: Network
    scheme: Scheme | str
    exempt: Mapping[str, Mapping[str, str]]


def ground_of(domain: Domain) -> Ground:
    """What promises rest on, as the rows say it."""
    return Ground(load_network(domain), readable(domain), exempt_of(domain))


def readable(domain: Domain) -> Scheme | str:
    """The scheme of a domain, or the reason why it cannot be read."""
    try:
        return scheme_of(domain)
    except InvalidInput as error:
        return error.reason


def exempt_of(domain: Domain) -> dict[str, dict[str, str]]:
    """By router of the domain the interfaces that get no policy, with the reason of each; routers without one left out."""
    rows = Interface.objects.filter(router__domain=domain, router__retired_at=None).exclude(exempt_reason="")
    found: dict[str, dict[str, str]] = {}
    for router, name, reason in rows.order_by("name").values_list("router__name", "name", "exempt_reason"):
        found.setdefault(router, {})[name] = reason
    return found


def promised(domain: Domain, *, without: Collection[int] = ()) -> list[PremiumRequest]:
    """Reservations admitted or running that are not over, by key; not those of the keys ``without``."""
    kept = _promised(domain)
    if without:  # nearly all: the rest is named by its keys
        kept = kept.filter(pk__in=promised_keys(domain).difference(without))
    links = ("source_link__interface__router", "destination_link", "nren", "receiving_nren")
    return list(kept.select_related(*links).order_by("pk"))


def promised_keys(domain: Domain) -> set[int]:
    """The keys of these."""
    return set(_promised(domain).order_by().values_list("pk", flat=True))


def _promised(domain: Domain) -> QuerySet[PremiumRequest]:
    return PremiumRequest.objects.filter(
        Q(end__isnull=True) | Q(end__gt=clock.now()),
        nren__domain=domain,
        state__in=(RequestState.ADMITTED, RequestState.ACTIVE),
    )


def fresh_obstacles(before: Ground, after: Ground, requests: Iterable[PremiumRequest]) -> dict[int, str]:
    """Why each of these could be kept ``before`` and cannot be ``after``, by key. Only those are looked at for which
    something differs.
    """
    doubtful = _touched(before, after, requests)
    if not doubtful:
        return {}
    there = obstacles(before, doubtful)
    return {key: why for key, why in obstacles(after, doubtful).items() if key not in there}


def obstacles(ground: Ground, requests: Iterable[PremiumRequest]) -> dict[int, str]:
    """Why each of these cannot be kept, by key.

    Asks what planning and admission ask: whether the router's configuration can be built, and whether the link's case and
    every line card on the way let the class through; not whether a share is large enough.
    """
    asked = list(requests)
    if isinstance(ground.scheme, str):
        return {request.pk: ground.scheme for request in asked}
    suffixes, pools = object_numbers(), _pools(asked)
    found = {}
    for request in asked:
        try:
            why = _unbuildable(ground.network, ground.scheme, request, ground.exempt, suffixes)
            why = why or _uncounted(request, ground.scheme, pools)
        except ExpediteError as error:
            why = error.reason
        if why:
            found[request.pk] = why
    return found


def _touched(before: Ground, after: Ground, requests: Iterable[PremiumRequest]) -> list[PremiumRequest]:
    """Those of which a promise rests on anything that differs."""
    if before == after:
        return []
    if before.scheme != after.scheme or isinstance(after.scheme, str):
        return list(requests)
    old, new, scheme = before.network, after.network, after.scheme
    elsewhere: dict[str, bool] = {}
    differs = {each.id for each in new.links if old.link(each.id) != each}
    differs |= {each.name for each in new.routers if old.router(each.name) != each}

    def rests(request: PremiumRequest) -> bool:
        router = request.source_link.interface.router.name
        if router not in elsewhere:
            other = old.part(router) != new.part(router)
            elsewhere[router] = other or before.exempt.get(router) != after.exempt.get(router)
        if elsewhere[router]:
            return True
        try:
            sls = sls_of(request)
            path = reach(new, scheme, sls)
            if not isinstance(path, Path) or path != reach(old, scheme, sls):
                return True
        except InvalidInput:
            return True
        return not differs.isdisjoint((*path.routers, *(load.link for load in path.loads)))

    return [request for request in requests if rests(request)]


def _unbuildable(
    network: Network,
    scheme: Scheme,
    request: PremiumRequest,
    exempt: Mapping[str, Mapping[str, str]],
    suffixes: Mapping[str, int],
) -> str:
    """Why its router cannot be configured for it, or the network not carry it; raises ExpediteError for that, too."""
    interface = request.source_link.interface
    left_out = exempt.get(interface.router.name, {})
    if interface.name in left_out:
        return f"{interface} is exempt ({left_out[interface.name]}) and gets no policy"
    router = network.router(interface.router.name)
    assert router is not None, "a source link's router is in the network"
    sls = sls_of(request)
    platform = profile(router.platform, router.ios)
    intent.build(network, scheme, router.name, platform, [sls], suffixes=suffixes, exempt=left_out)
    return "; ".join(reason.text for reason in standing_reasons(network, scheme, sls, engine_obstacle))


def _pools(requests: Iterable[PremiumRequest]) -> dict[int, set[str]]:
    """The pools that each reservation is charged to, by the key of its request."""
    charged = LedgerEntry.objects.filter(
        reservation__request__in=[request.pk for request in requests], released_at__isnull=True
    )
    found: dict[int, set[str]] = {}
    for key, pool in charged.order_by().values_list("request_id", "pool").distinct():
        found.setdefault(key, set()).add(pool)
    return found


def _uncounted(request: PremiumRequest, scheme: Scheme, pools: Mapping[int, set[str]]) -> str:
    """Why what the reservation holds would not be seen by the next admission; empty when it would."""
    service_class = sls_of(request).service_class
    pool = scheme.pool_of(service_class)
    for name in sorted(pools.get(request.pk, set()) - {"" if pool is None else pool.name}):
        return (
            f"it is charged to the pool {name}, in which {scheme.name} does not count {service_class}: "
            "its capacity would be given twice"
        )
    return ""


def refuse_stranding(fresh: Mapping[int, str]) -> None:
    """Raise ReservationsStranded where there are obstacles (`fresh_obstacles`)."""
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
