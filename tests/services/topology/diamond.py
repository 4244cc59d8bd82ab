"""Made-up networks as network files: routers that are letters, core links of 20 Mbit/s, of which 4 Mbit/s are for IP Premium."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from inventory.models import Router
from inventory.readers.network_yaml import read_network
from provisioning.models import (
    SYSTEM,
    Actor,
    ConfigSnapshot,
    PremiumRequest,
    Role,
    RouterSync,
    SyncState,
)
from provisioning.services import people, requests
from provisioning.services.inventory import ImportReport, import_network
from provisioning.services.requests import SubmitRequest
from tests.services.requests.sixnet import ASKED, person

CORE_BPS = 20_000_000
SHARE_BPS = 4_000_000
MBIT = 1_000_000

Core = tuple[str, str, int]
"""Both routers and the metric; the place in the list tells parallel links apart."""

DIAMOND: tuple[Core, ...] = (("a", "b", 10), ("b", "d", 10), ("a", "c", 15), ("c", "d", 15))


def network(
    path: Path, cores: tuple[Core, ...], *, routers: str = "abcd", down: frozenset[int] = frozenset()
) -> Path:
    """A file with an access link at every router; the core link at place n ends on POS2/n at both its ends."""
    text = [
        "domain:",
        "  name: DIAMOND",
        "  asn: 64512",
        "  prefix: 2001:db8::/40",
        "  scheme: 6net",
        "  classes:",
        "    - {name: IP Premium, abbreviation: IPP, phb: EF, dscp: 46}",
        "    - {name: Best Effort, abbreviation: BE, phb: default, dscp: 0}",
        "    - {name: Less than Best Effort, abbreviation: LBE, phb: LBE, dscp: 8}",
        "  caps: {ipp_percent_of_access_link: 5, lbe_percent_of_access_link: 1, ef_percent_of_core_link: 20}",
        "  policer: cap",
        "routers:",
    ]
    for router in routers:
        text.append(
            f"  - {{name: {router}, pop: P{router}, country: eu, platform: cisco-7200vxr, "
            'ios: "12.3(14)T", roles: [core, access], provenance: representative}'
        )
    text.append("core_links:")
    for place, (a, z, metric) in enumerate(cores):
        text.append(
            f"  - {{a: [{a}, POS2/{place}], z: [{z}, POS2/{place}], capacity_bps: {CORE_BPS}, "
            f"metric: {metric}, down: {'true' if place in down else 'false'}, provenance: representative}}"
        )
    text.append("nrens:")
    for number, router in enumerate(routers):
        text.append(
            f'  - {{name: N{router}, country: eu, prefixes: ["2001:db8:{number + 1:x}00::/40"], '
            "provenance: representative}"
        )
    text.append("access_links:")
    for router in routers:
        text.append(
            f"  - {{nren: N{router}, router: {router}, interface: GigabitEthernet1/0, capacity_bps: 1000000000, "
            "case: trusted, standing: true, standing_consent: true, provenance: representative}"
        )
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


def put(file: Path, *, dry_run: bool = False) -> ImportReport:
    """Import the file."""
    return import_network(actor=SYSTEM, network=read_network(file), dry_run=dry_run)


def seen(*routers: str, text: str | None = None) -> None:
    """Read as showing this; without more, that every interface of it is shut."""
    for row in Router.objects.filter(name__in=routers):
        names = row.interfaces.order_by("name").values_list("name", flat=True)
        shut = "".join(f"interface {name}\n shutdown\n!\n" for name in names)
        ConfigSnapshot.objects.create(router=row, text=shut if text is None else text, digest="")
        RouterSync.objects.get_or_create(router=row)
        RouterSync.objects.filter(router=row).update(state=SyncState.IN_SYNC)


def core(place: int, cores: tuple[Core, ...] = DIAMOND) -> str:
    """The id of a core link."""
    a, z, _ = cores[place]
    return f"{a}:POS2/{place}--{z}:POS2/{place}"


def access(router: str) -> str:
    """The id of a router's access link."""
    return f"N{router}@{router}:GigabitEthernet1/0"


def asking(source: str, goal: str, rate: int, **changes: object) -> tuple[Actor, SubmitRequest]:
    """Who asks for what between two routers' access links; the far end has agreed to everything beforehand."""
    number = {router: f"{place + 1:x}" for place, router in enumerate("abcdefgh")}
    data = replace(
        ASKED,
        source_link=access(source),
        destination_link=access(goal),
        rate=rate,
        source_prefixes=(f"2001:db8:{number[source]}00::/48",),
        destination_prefixes=(f"2001:db8:{number[goal]}00::/48",),
        **changes,
    )
    return person(f"at-{source}", nrens=(f"N{source}",)), data


def ask(source: str, goal: str, rate: int, **changes: object) -> PremiumRequest:
    """The same, asked for."""
    actor, data = asking(source, goal, rate, **changes)
    row, *_ = requests.submit(actor=actor, data=data)
    return row


def someone() -> None:
    """So that the NOC exists."""
    people.put_person(actor=SYSTEM, username="nora", roles=[Role.NOC])
