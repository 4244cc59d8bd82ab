"""The inventory's rows as the frozen `Network` that admission, intent and safety work on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from operator import attrgetter, itemgetter
from typing import Any

from django.db.models import Max, Q

from inventory.models import AccessLink, CoreLink, Domain, Interface, LineCard, Peering, Router
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import ConfigSnapshot, LinkObjectName
from provisioning.pipeline.topology import (
    AccessLinkValue,
    CoreLinkValue,
    Network,
    PeeringValue,
    RouterValue,
)
from provisioning.selectors.capacity import planned


def the_domain(name: str | None = None) -> Domain:
    """Return the domain of that name, or the only one there is.

    Raises:
        InvalidInput: there is no domain of that name.
        Conflict: no network has been imported, or there are several and none was named.
    """
    if name is not None:
        domain = Domain.objects.filter(name=name).first()
        if domain is None:
            raise InvalidInput(f"there is no domain {name!r}", field="domain")
        return domain
    domains = list(Domain.objects.order_by("name")[:2])
    if not domains:
        raise Conflict("No network has been imported yet: run import_inventory.")
    if len(domains) > 1:
        raise Conflict("There are several domains: name one.")
    return domains[0]


def router_named(name: str) -> Router:
    """Return the router of that name; raises InvalidInput where there is none."""
    router = Router.objects.filter(name=name).select_related("domain").first()
    if router is None:
        raise InvalidInput(f"there is no router {name!r:.80}", field="router")
    return router


def load_network(
    domain: Domain | None = None,
    *,
    routers: Collection[str] | None = None,
) -> Network:
    """Return the network of `domain`, or of the only domain there is; tuples are sorted by name.

    With `routers` it is the slice that what those routers hold depends on: these routers with their cards, interfaces,
    edges and core links, and the far ends of those core links by name, platform and release alone. What is elsewhere is
    not read.

    An interface's BW is the smaller of the inventory's and what its router showed when it was last read: the
    router polices percents of the BW it has, whatever the inventory believes. A core link has the smaller
    rates of its ends.

    Raises Conflict as `the_domain` does.
    """
    domain = domain or the_domain()
    chosen = Router.objects.filter(domain=domain).order_by("name")
    if routers is not None:
        chosen = chosen.filter(name__in=routers)
    rows = list(chosen)
    keys = None if routers is None else [row.pk for row in rows]
    names = _interfaces(domain, keys)
    ids = None if keys is None else [pk for held in names.values() for pk, _ in held]
    core = sorted(_core_links(domain, ids), key=_name)
    links = AccessLink.objects.filter(_on(ids), nren__domain=domain).order_by()
    peerings = Peering.objects.filter(_on(ids), domain=domain).order_by()
    shown = bandwidths_shown(domain, routers=None if keys is None else {*keys, *_ends(core)})
    access_fields = ("nren__name", "case", "standing", "dscp_map", *_EDGE)
    return Network(
        routers=_routers(domain, rows, keys, names, core),
        access_links=tuple(
            AccessLinkValue(
                id=link.name,
                nren=link.nren__name,
                router=link.interface__router__name,
                interface=link.interface__name,
                pvc=link.interface__pvc or None,
                line_rate_bps=link.interface__line_rate_bps,
                bw_bps=_bw(link, "interface", shown),
                usable_bps=link.interface__usable_bps,
                case=link.case,
                standing=link.standing,
                dscp_map=tuple(sorted((int(ours), int(theirs)) for ours, theirs in link.dscp_map.items())),
                prefix="" if link.prefix is None else str(link.prefix),
            )
            for link in sorted(links.values_list(*access_fields, named=True), key=_name)
        ),
        core_links=tuple(_core_link(link, shown) for link in core),
        peerings=tuple(
            PeeringValue(
                id=peering.name,
                name=peering.peer,
                router=peering.interface__router__name,
                interface=peering.interface__name,
                pvc=peering.interface__pvc or None,
                line_rate_bps=peering.interface__line_rate_bps,
                bw_bps=_bw(peering, "interface", shown),
                usable_bps=peering.interface__usable_bps,
                prefix="" if peering.prefix is None else str(peering.prefix),
            )
            for peering in sorted(peerings.values_list("peer", *_EDGE, named=True), key=_name)
        ),
        planned=planned(domain),
    )


def object_numbers(network: Network | None = None) -> dict[str, int]:
    """Return the numbers that edges' own objects carry, by the name of the access link or peering; of all edges, or of
    those in `network`.
    """
    rows = LinkObjectName.objects.order_by().values_list("link__name", "peering__name", "suffix")
    if network is None:
        return {link or peering: suffix for link, peering, suffix in rows}
    links = rows.filter(link__name__in=[link.id for link in network.access_links])
    peerings = rows.filter(peering__name__in=[peering.id for peering in network.peerings])
    return {link or peering: suffix for link, peering, suffix in (*links, *peerings)}


def exempt_interfaces(routers: Iterable[Router]) -> dict[str, dict[str, str]]:
    """Return, by router, the interfaces that are exempted from being an open edge, with the reason of each."""
    names = {router.pk: router.name for router in routers}
    found: dict[str, dict[str, str]] = {name: {} for name in names.values()}
    rows = Interface.objects.filter(router__in=list(names)).exclude(exempt_reason="")
    for pk, name, reason in rows.order_by("name").values_list("router_id", "name", "exempt_reason"):
        found[names[pk]][name] = reason
    return found


def bandwidths_shown(domain: Domain, *, routers: Collection[int] | None = None) -> dict[tuple[int, str], int]:
    """Return the BW in bit/s by (router id, interface), as each router (or each of `routers`, by id) showed it when last
    read.
    """
    read = ConfigSnapshot.objects.filter(router__domain=domain)
    if routers is not None:
        read = ConfigSnapshot.objects.filter(router_id__in=routers)
    newest = read.order_by().values("router").annotate(newest=Max("pk")).values("newest")
    return {
        (router_id, interface): bw_bps
        for router_id, bandwidths in read.filter(pk__in=newest)
        .order_by()
        .values_list("router_id", "bandwidths")
        for interface, bw_bps in bandwidths.items()
        if bw_bps
    }


def _end(interface: str) -> tuple[str, ...]:
    """What is read of an interface, through the field of a link that leads there."""
    names = ("name", "router_id", "router__name", "line_rate_bps", "bw_bps", "usable_bps")
    return tuple(f"{interface}__{name}" for name in names)


# Values, no rows: a network of 5,000 links is read for each decision about it, and an object for each end of each would be
# most of what that takes.
_EDGE = ("name", "prefix", "interface__pvc", *_end("interface"))
_CORE = (
    "name",
    "metric",
    "down",
    *(f"{end}_interface__router__{name}" for end in "az" for name in ("platform", "ios")),
    *_end("a_interface"),
    *_end("z_interface"),
)

_name = attrgetter("name")
"""Sorted here: each database has an order of text of its own, and the network is the same network on all of them."""


def _on(interfaces: Collection[int] | None) -> Q:
    """The edges on these interfaces; all of them when None."""
    return Q() if interfaces is None else Q(interface__in=interfaces)


def _interfaces(domain: Domain, routers: Collection[int] | None) -> dict[int, list[tuple[int, str]]]:
    """(id, name) of every interface by the id of its router, by name."""
    rows = Interface.objects.filter(router__domain=domain)
    if routers is not None:
        rows = Interface.objects.filter(router__in=routers)
    found: dict[int, list[tuple[int, str]]] = {}
    for router_id, pk, name in sorted(
        rows.order_by().values_list("router_id", "pk", "name"), key=itemgetter(2, 1)
    ):
        found.setdefault(router_id, []).append((pk, name))
    return found


def _core_links(domain: Domain, interfaces: Collection[int] | None) -> Iterable[Any]:
    rows = CoreLink.objects.filter(domain=domain).order_by()
    if interfaces is not None:
        rows = rows.filter(Q(a_interface__in=interfaces) | Q(z_interface__in=interfaces))
    return rows.values_list(*_CORE, named=True)


def _ends(core: Iterable[Any]) -> dict[int, RouterValue]:
    """The routers at both ends of these core links, by id: name, platform and release alone."""
    found = {}
    for link in core:
        found[link.a_interface__router_id] = RouterValue(
            name=link.a_interface__router__name,
            platform=link.a_interface__router__platform,
            ios=link.a_interface__router__ios,
        )
        found[link.z_interface__router_id] = RouterValue(
            name=link.z_interface__router__name,
            platform=link.z_interface__router__platform,
            ios=link.z_interface__router__ios,
        )
    return found


def _routers(
    domain: Domain,
    rows: Iterable[Router],
    keys: Collection[int] | None,
    names: Mapping[int, Iterable[tuple[int, str]]],
    core: Iterable[Any],
) -> tuple[RouterValue, ...]:
    engines: dict[int, dict[int, str]] = {}
    cards = LineCard.objects.order_by()
    for card in cards.filter(router__domain=domain) if keys is None else cards.filter(router__in=keys):
        engines.setdefault(card.router_id, {})[card.slot] = card.engine
    found = {
        router.pk: RouterValue(
            name=router.name,
            platform=router.platform,
            ios=router.ios,
            engines=engines.get(router.pk, {}),
            interfaces=tuple(name for _, name in names.get(router.pk, ())),
        )
        for router in rows
    }
    for pk, end in _ends(core).items():
        found.setdefault(pk, end)
    return tuple(sorted(found.values(), key=lambda router: router.name))


def _bw(link: Any, end: str, shown: dict[tuple[int, str], int]) -> int:
    bw: int = getattr(link, f"{end}__bw_bps")
    return min(bw, shown.get((getattr(link, f"{end}__router_id"), getattr(link, f"{end}__name")), bw))


def _core_link(link: Any, shown: dict[tuple[int, str], int]) -> CoreLinkValue:
    return CoreLinkValue(
        id=link.name,
        a_router=link.a_interface__router__name,
        a_interface=link.a_interface__name,
        z_router=link.z_interface__router__name,
        z_interface=link.z_interface__name,
        metric=link.metric,
        line_rate_bps=min(link.a_interface__line_rate_bps, link.z_interface__line_rate_bps),
        bw_bps=min(_bw(link, "a_interface", shown), _bw(link, "z_interface", shown)),
        usable_bps=min(link.a_interface__usable_bps, link.z_interface__usable_bps),
        down=link.down,
    )
