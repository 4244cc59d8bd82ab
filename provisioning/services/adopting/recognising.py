"""What looks mean under the inventory there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

from inventory.models import AccessLink
from provisioning.pipeline.adoption import RouterAdoption, adopt
from provisioning.pipeline.intent import Role
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.requests import sls_of
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import intents
from provisioning.services.adopting.looking import Look


@dataclass(frozen=True)
class Recognised:
    """One look with what it means; `notes` is what the rows say against confirming its grants."""

    look: Look
    adoption: RouterAdoption
    notes: tuple[str, ...] = ()


def recognise(looks: Iterable[Look]) -> tuple[list[Recognised], list[str]]:
    """Recognise every look whose router is in the inventory; and why the others were not.

    Raises Conflict when there is no inventory.
    """
    seen = list(looks)
    wanted = intents.wanted(routers=[look.router for look in seen])
    reservations = [sls_of(request) for request in wanted.requests]
    renderer = Renderer(shared_ios_environment())
    found, strangers = [], []
    for look in seen:
        if look.router not in wanted.routers:
            strangers.append(f"{look.router}: not in the inventory; propose it with --into first")
            continue
        if look.router in wanted.unbuildable:
            strangers.append(
                f"{look.router}: what it is to hold cannot be worked out: {wanted.unbuildable[look.router]}"
            )
            continue
        adoption = adopt(
            look.config,
            wanted.network,
            wanted.scheme,
            look.router,
            wanted.profiles[look.router],
            renderer,
            reservations=reservations,
            bandwidths=look.bandwidths,
            exempt=wanted.exempt[look.router],
            suffixes=wanted.suffixes,
        )
        found.append(Recognised(look, adoption, tuple(_foreign_sources(adoption))))
    return found, strangers


def _foreign_sources(adoption: RouterAdoption) -> Iterator[str]:
    """Sources that an access list authorises and that are not their NREN's own: no request for them is taken."""
    for place in adoption.places:
        if not place.grants or place.role is not Role.ACCESS:
            continue
        link = AccessLink.objects.select_related("nren").get(name=place.link)
        own = [prefix.network for prefix in link.nren.prefixes.all()]
        for grant in place.grants:
            if grant.sls is None:
                continue
            source = grant.sls.source_prefixes[0]
            if not any(_within(source, network) for network in own):
                said = ", ".join(map(str, own)) or "none are known"
                yield (
                    f"{grant.access_list}: {source} is in no prefix of {link.nren.name} ({said}): add it to the network "
                    "file if it is theirs"
                )


def _within(source: IPv4Network | IPv6Network, network: IPv4Network | IPv6Network) -> bool:
    if isinstance(source, IPv6Network):
        return isinstance(network, IPv6Network) and source.subnet_of(network)
    return isinstance(network, IPv4Network) and source.subnet_of(network)
