"""6NET imported into the database, people of several NRENs and the NOC, and a request to change a word of."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

import inventory
from inventory.models import AccessLink, Nren
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM, Actor, LedgerEntry, PremiumRequest, Role, Via
from provisioning.selectors import topology
from provisioning.services import decisions, people, requests
from provisioning.services.inventory import import_network
from provisioning.services.requests import SubmitRequest
from tests.kept import kept

SIX_NET = Path(inventory.__file__).parent / "networks" / "6net.yaml"
JANET = "JANET@uk6:POS1/0"
GRNET = "GRNET@gr6:POS2/0"
SURFNET = "SURFnet@nl6:GigabitEthernet1/0"
DFN = "DFN@de6:POS1/0"

ASKED = SubmitRequest(
    source_link=JANET,
    destination_link=GRNET,
    rate=2_000_000,
    bucket_bytes=15_000,
    max_packet_bytes=1500,
    source_prefixes=("2001:630:8::/48",),
    destination_prefixes=("2001:648:2::/48",),
    contact="noc@example.org",
    reason="a concert",
)


def import_sixnet() -> None:
    """The network file that ships with the project, as rows."""
    kept("6net", lambda: import_network(actor=SYSTEM, network=read_network(SIX_NET)) and None)


def import_again() -> None:
    """The same file once more, on rows that are there: really imported."""
    import_network(actor=SYSTEM, network=read_network(SIX_NET))


def person(name: str, *roles: Role, nrens: tuple[str, ...] = ()) -> Actor:
    """A user with these roles, acting for these NRENs, as the web sees them."""
    rows = [Nren.objects.get(name=nren) for nren in nrens]
    return people.actor_for(
        people.put_person(actor=SYSTEM, username=name, roles=roles, nrens=rows), via=Via.WEB
    )


def noc(name: str = "nora") -> Actor:
    return person(name, Role.NOC)


def janet() -> Actor:
    return person("jane", nrens=("JANET",))


def grnet() -> Actor:
    return person("giorgos", nrens=("GRNET",))


def hours(count: float) -> datetime:
    """That many hours from now."""
    return timezone.now() + timedelta(hours=count)


def submitted(**changes: Any) -> PremiumRequest:
    """A request of JANET to GRNET, as ASKED with changes; GRNET has not answered."""
    return requests.submit(actor=janet(), data=replace(ASKED, **changes))[0]


def agreed(**changes: Any) -> PremiumRequest:
    """The same, and GRNET has agreed."""
    return requests.consent(actor=grnet(), request=submitted(**changes), agree=True)


def admitted(**changes: Any) -> PremiumRequest:
    """The same, and the NOC has admitted it."""
    request = agreed(**changes)
    decisions.admit(actor=noc(), request=request, reason="it fits")
    assert request.state == "ADMITTED"
    return request


def charged_bps(link: str, direction: str) -> int:
    """What unreleased rows of the ledger charge to a link direction, all windows together."""
    rows = LedgerEntry.objects.filter(link=link, direction=direction, released_at=None)
    return sum(rows.values_list("rate_bps", flat=True))


def change_link(name: str, **fields: Any) -> None:
    """Edit an access link as an import would."""
    assert AccessLink.objects.filter(name=name).update(**fields) == 1
    topology.forget()
