"""The inventory's routers as the specification of practice routers (the JSON that ``python -m lab``
reads).
"""

from __future__ import annotations

from typing import Any

from inventory.fields import IPNetwork
from inventory.models import AccessLink, CoreLink, Domain, Interface, LineCard, Peering, Router

# The first address of a link's prefix is the backbone's own on an edge, and the A end's on a core link.
FIRST, SECOND = 1, 2


def router_specs(domain: Domain, secrets: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Return ``{"routers": [...]}`` for every router of `domain`.

    `secrets` holds username, password and enable by the router's name. Interfaces carry what the inventory
    says: BW in kbit/s, description, address, PVC. Ports are 0: the practice process chooses free ones and
    keeps them.
    """
    addresses = _addresses(domain)
    routers = Router.objects.filter(domain=domain).order_by("name")
    return {"routers": [_router(router, addresses, secrets[router.name]) for router in routers]}


def _router(router: Router, addresses: dict[int, str], secrets: dict[str, str]) -> dict[str, Any]:
    cards = LineCard.objects.filter(router=router)
    return {
        "name": router.name,
        "platform": router.platform,
        "ios": router.ios,
        "engines": {str(card.slot): card.engine for card in cards},
        "serial": router.serial or None,
        "ssh_profile": router.ssh_profile,
        "port": 0,
        "interfaces": [
            _interface(interface, addresses)
            for interface in Interface.objects.filter(router=router).order_by("name")
        ],
        **secrets,
    }


def _interface(interface: Interface, addresses: dict[int, str]) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "name": interface.name,
        "bandwidth_kbit": interface.bw_bps // 1000,
        "description": interface.description,
        "ipv6": addresses.get(interface.pk, ""),
        "shutdown": False,
        "pvc": interface.pvc or None,
    }
    if interface.pvc:
        spec["pvc_rate_kbit"] = interface.bw_bps // 1000
    return spec


def _addresses(domain: Domain) -> dict[int, str]:
    """IPv6 addresses by interface id; a link without an IPv6 prefix leaves its interface without one."""
    addresses: dict[int, str] = {}
    for link in AccessLink.objects.filter(nren__domain=domain):
        _address(addresses, link.interface_id, link.prefix, FIRST)
    for peering in Peering.objects.filter(domain=domain):
        _address(addresses, peering.interface_id, peering.prefix, FIRST)
    for core in CoreLink.objects.filter(domain=domain):
        _address(addresses, core.a_interface_id, core.prefix, FIRST)
        _address(addresses, core.z_interface_id, core.prefix, SECOND)
    return addresses


def _address(addresses: dict[int, str], interface: int, prefix: IPNetwork | None, place: int) -> None:
    if prefix is not None and prefix.version == 6 and prefix.num_addresses > place:
        addresses[interface] = f"{prefix[place]}/{prefix.prefixlen}"
