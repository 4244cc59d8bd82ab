"""A file may be right in itself and still contradict rows that it does not mention."""

from __future__ import annotations

from inventory.models import AccessLink, CoreLink, Nren, Peering, Prefix, Router
from inventory.readers.entries import NetworkFile
from provisioning import drivers
from provisioning.errors import Conflict, InvalidInput
from provisioning.pipeline.platforms import has_shell


def refuse_drivers_without_a_shell(network: NetworkFile) -> None:
    """Raise InvalidInput for a router with a shell whose driver speaks to a vty only."""
    for router in network.routers:
        if why := why_not_driven(router.platform, router.driver):
            raise InvalidInput(f"{router.name}: {why}", field="driver")


def why_not_driven(platform: str, driver: str) -> str:
    """Why a driver does not speak to a platform, empty where it does."""
    return drivers.why_no_shell(driver) if has_shell(platform) else ""


def refuse_other_domains(network: NetworkFile) -> None:
    """Raise Conflict if a name of the file is a router or an NREN of another domain."""
    name = network.domain.name
    routers = Router.objects.filter(name__in=[router.name for router in network.routers])
    nrens = Nren.objects.filter(name__in=[nren.name for nren in network.nrens])
    for taken in (
        routers.exclude(domain__name=name).select_related("domain").first(),
        nrens.exclude(domain__name=name).select_related("domain").first(),
    ):
        if taken is not None:
            raise Conflict(f"{taken.name} belongs to the domain {taken.domain.name}, not to {name}.")


def refuse_held_interfaces(network: NetworkFile) -> None:
    """Raise Conflict if an interface the file uses is held by a link of another name, which it does not
    mention.
    """
    wanted = {link.interface.label: link.name for link in network.access_links}
    wanted |= {peering.interface.label: peering.name for peering in network.peerings}
    wanted |= {end.label: link.name for link in network.core_links for end in (link.a, link.z)}
    wanted |= {interface.label: "" for interface in network.other_interfaces}
    for label, holder in _held():
        if wanted.get(label, holder) != holder:
            what = wanted[label] or "an interface without a link"
            raise Conflict(
                f"Interface {label} is held by {holder}; the file makes it {what}. "
                "An import deletes nothing: take the old link away first."
            )


def _held() -> list[tuple[str, str]]:
    held = [
        (str(link.interface), link.name) for link in AccessLink.objects.select_related("interface__router")
    ]
    held += [(str(link.interface), link.name) for link in Peering.objects.select_related("interface__router")]
    for core in CoreLink.objects.select_related("a_interface__router", "z_interface__router"):
        held += [(str(core.a_interface), core.name), (str(core.z_interface), core.name)]
    return held


def refuse_overlapping_prefixes() -> None:
    """Raise Conflict if two prefixes of NRENs overlap, once the file's own are written."""
    previous: Prefix | None = None
    for prefix in Prefix.objects.select_related("nren").order_by("network"):
        if previous is not None and previous.network.overlaps(prefix.network):
            raise Conflict(
                f"{prefix.network} of {prefix.nren.name} overlaps {previous.network} of {previous.nren.name}."
            )
        previous = prefix
