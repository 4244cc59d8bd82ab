"""A practice router that can take back by itself what it is not told to keep, in the place of one that cannot."""

from __future__ import annotations

from inventory.models import AccessLink, Domain, LineCard, Router
from lab.device import Device
from tests.services.house import House
from tests.services.in_process import Routers, secrets_for

ARCHIVE = ("archive", "path disk0:keep")
HERE = "ip address 127.0.0.1 255.0.0.0"


def row_with_timers(name: str) -> str:
    """The router is a 7200 that knows timers, as the inventory has it; its first interface towards an NREN."""
    row = Router.objects.get(name=name)
    LineCard.objects.filter(router=row).delete()
    Router.objects.filter(pk=row.pk).update(platform="cisco-7200vxr", ios="12.4(24)T")
    link = AccessLink.objects.filter(interface__router=row).order_by("pk").first()
    assert link is not None
    return str(link.interface.name)


def routed(house: House, name: str) -> str:
    """A 7200 that knows timers in the place of the router, as it came; the interface on which a policy will be bound."""
    interface = row_with_timers(name)
    fresh = Routers(Domain.objects.get(), secrets_for(list(Router.objects.values_list("name", flat=True))))
    house.routers.devices[name] = fresh.devices[name]
    return interface


def managed_over(house: House, name: str, interface: str, *lines: str) -> Device:
    """Let sessions come in over that interface, type these lines too, and save it all."""
    device = house.routers.devices[name]
    house.routers.type(name, *lines, f"interface {interface}", HERE)
    device.save("console")
    return device
