"""The inventory's rows as the frozen `Network` that admission, intent and safety work on."""

from __future__ import annotations

from django.db.models import Max

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


def load_network(domain: Domain | None = None) -> Network:
    """Return the network of `domain`, or of the only domain there is; tuples are sorted by name.

    An interface's BW is the smaller of the inventory's and what its router showed when it was last read: the
    router polices percents of the BW it has, whatever the inventory believes. A core link has the smaller
    rates of its ends.

    Raises Conflict as `the_domain` does.
    """
    domain = domain or the_domain()
    shown = bandwidths_shown(domain)
    return Network(
        routers=_routers(domain),
        access_links=tuple(
            AccessLinkValue(
                id=link.name,
                nren=link.nren.name,
                router=link.interface.router.name,
                interface=link.interface.name,
                pvc=link.interface.pvc or None,
                line_rate_bps=link.interface.line_rate_bps,
                bw_bps=_bw(link.interface, shown),
                usable_bps=link.interface.usable_bps,
                case=link.case,
                standing=link.standing,
                dscp_map=tuple(sorted((int(ours), int(theirs)) for ours, theirs in link.dscp_map.items())),
                prefix="" if link.prefix is None else str(link.prefix),
            )
            for link in AccessLink.objects.filter(nren__domain=domain)
            .select_related("nren", "interface__router")
            .order_by("name")
        ),
        core_links=tuple(
            _core_link(link, shown)
            for link in CoreLink.objects.filter(domain=domain)
            .select_related("a_interface__router", "z_interface__router")
            .order_by("name")
        ),
        peerings=tuple(
            PeeringValue(
                id=peering.name,
                name=peering.peer,
                router=peering.interface.router.name,
                interface=peering.interface.name,
                pvc=peering.interface.pvc or None,
                line_rate_bps=peering.interface.line_rate_bps,
                bw_bps=_bw(peering.interface, shown),
                usable_bps=peering.interface.usable_bps,
                prefix="" if peering.prefix is None else str(peering.prefix),
            )
            for peering in Peering.objects.filter(domain=domain)
            .select_related("interface__router")
            .order_by("name")
        ),
    )


def object_numbers() -> dict[str, int]:
    """Return the numbers that edges' own objects carry, by the name of the access link or peering."""
    rows = LinkObjectName.objects.values_list("link__name", "peering__name", "suffix")
    return {link or peering: suffix for link, peering, suffix in rows}


def exempt_interfaces(router: Router) -> dict[str, str]:
    """Return the interfaces of `router` that are exempted from being an open edge, with the reason of
    each.
    """
    rows = Interface.objects.filter(router=router).exclude(exempt_reason="")
    return dict(rows.order_by("name").values_list("name", "exempt_reason"))


def bandwidths_shown(domain: Domain) -> dict[tuple[int, str], int]:
    """Return the BW in bit/s by (router id, interface), as each router showed it when last read."""
    read = ConfigSnapshot.objects.filter(router__domain=domain)
    newest = read.order_by().values("router").annotate(newest=Max("pk")).values("newest")
    return {
        (router_id, interface): bw_bps
        for router_id, bandwidths in read.filter(pk__in=newest).values_list("router_id", "bandwidths")
        for interface, bw_bps in bandwidths.items()
        if bw_bps
    }


def _routers(domain: Domain) -> tuple[RouterValue, ...]:
    engines: dict[int, dict[int, str]] = {}
    for card in LineCard.objects.filter(router__domain=domain):
        engines.setdefault(card.router_id, {})[card.slot] = card.engine
    interfaces: dict[int, list[str]] = {}
    for router_id, name in (
        Interface.objects.filter(router__domain=domain).order_by("name").values_list("router_id", "name")
    ):
        interfaces.setdefault(router_id, []).append(name)
    return tuple(
        RouterValue(
            name=router.name,
            platform=router.platform,
            ios=router.ios,
            engines=engines.get(router.pk, {}),
            interfaces=tuple(interfaces.get(router.pk, ())),
        )
        for router in Router.objects.filter(domain=domain).order_by("name")
    )


def _bw(interface: Interface, shown: dict[tuple[int, str], int]) -> int:
    return min(interface.bw_bps, shown.get((interface.router_id, interface.name), interface.bw_bps))


def _core_link(link: CoreLink, shown: dict[tuple[int, str], int]) -> CoreLinkValue:
    a, z = link.a_interface, link.z_interface
    return CoreLinkValue(
        id=link.name,
        a_router=a.router.name,
        a_interface=a.name,
        z_router=z.router.name,
        z_interface=z.name,
        metric=link.metric,
        line_rate_bps=min(a.line_rate_bps, z.line_rate_bps),
        bw_bps=min(_bw(a, shown), _bw(z, shown)),
        usable_bps=min(a.usable_bps, z.usable_bps),
    )
