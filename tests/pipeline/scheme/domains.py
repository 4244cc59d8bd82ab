"""A small domain under each scheme: one router of every kind of edge, with what its classes can have reserved."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import inventory
from inventory.readers.network_yaml import read_network
from lab.device import Device
from lab.spec import RouterSpec
from provisioning.pipeline import intent, ios
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import (
    AccessLinkValue,
    CoreLinkValue,
    Network,
    PeeringValue,
    RouterValue,
)
from provisioning.pipeline.units import BitRate
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.networks import window
from tests.pipeline.practice import KINDS, profile_of

NETWORKS = Path(inventory.__file__).parent / "networks"
KBIT = {
    "POS1/0": 155000,
    "POS1/1": 155000,
    "GigabitEthernet3/0.6": 1000000,
    "POS2/0": 155000,
    "POS2/1": 155000,
}
BANDWIDTHS = {name: kbit * 1000 for name, kbit in KBIT.items()}
NORTH, SOUTH, EAST = "NORTH@r1:POS1/0", "SOUTH@r1:POS1/1", "EAST@r1:GigabitEthernet3/0.6"

# What NORTH, whose link is filtered, has reserved under each scheme: (id, class, bit/s, destination, flow label).
RESERVED: dict[str, tuple[tuple[str, str, int, str | None, int | None], ...]] = {
    "6net": (("PIP-1", "ip-premium", 2_000_000, "2001:db8:2::/48", None),),
    "grnet": (
        ("PIP-1", "virtual-wire", 4_000_000, "2001:db8:2::/48", None),
        ("PIP-2", "voip", 1_000_000, None, None),
        ("PIP-3", "transparent", 2_000_000, "2001:db8:ffff::/48", None),
    ),
    "cti": (("PIP-1", "foreground", 800_000, "2001:db8:2::/48", None),),
    "irs": (
        ("PIP-1", "guaranteed", 83_750, "2001:db8:2::/48", 74565),
        ("PIP-2", "assured", 335_000, "2001:db8:2::/48", 74566),
        ("PIP-3", "guaranteed", 83_750, "2001:db8:2::/48", 74567),
    ),
    "enst": (("PIP-1", "video", 650_000, "2001:db8:2::/48", None),),
}


def network(scheme: Scheme, kind: str) -> Network:
    """NORTH filtered, SOUTH trusted where the scheme has that, EAST a VLAN that does not participate, a peering."""
    platform, release = KINDS[kind]

    def link(identifier: str, case: str) -> AccessLinkValue:
        nren, _, place = identifier.partition("@")
        interface = place.removeprefix("r1:")
        bps = BANDWIDTHS[interface]
        own = "2001:db8:28:200::/64"
        return AccessLinkValue(identifier, nren, "r1", interface, None, bps, bps, bps, case, True, prefix=own)

    second = "trusted" if "trusted" in scheme.cases else "non-participant"
    return Network(
        (
            RouterValue("r1", platform, release, {1: "3", 2: "3", 3: "3"}),
            RouterValue("r2", platform, release),
        ),
        (link(NORTH, "filtered"), link(SOUTH, second), link(EAST, "non-participant")),
        (
            CoreLinkValue(
                "r1:POS2/0--r2:POS9/0", "r1", "POS2/0", "r2", "POS9/0", 10, 155520000, 155000000, 155000000
            ),
        ),
        (
            PeeringValue(
                "PEER@r1:POS2/1",
                "PEER",
                "r1",
                "POS2/1",
                None,
                155520000,
                155000000,
                155000000,
                "198.51.100.4/30",
            ),
        ),
    )


def reservations(scheme: str) -> tuple[Sls, ...]:
    """What NORTH has reserved, as the pipeline's values."""
    return tuple(
        Sls(
            id=name,
            source_link=NORTH,
            destination_link=None,
            service_class=service,
            rate=BitRate(bps),
            window=window(0, None),
            bucket_bytes=15000,
            max_packet_bytes=1500,
            source_prefixes=(ip_network(f"2001:db8:1:{number}::/64"),),
            destination_prefixes=() if destination is None else (ip_network(destination),),
            flow_label=label,
        )
        for number, (name, service, bps, destination, label) in enumerate(RESERVED[scheme], start=1)
    )


def wanted(scheme: str, kind: str, *, reserved: bool = True, **options: bool) -> RouterIntent:
    """What r1 must hold, with NORTH's reservations or as the baseline, under the scheme with these options."""
    loaded = load_scheme(scheme)
    loaded = replace(loaded, options={**loaded.options, **options})
    taken = reservations(scheme) if reserved else ()
    return intent.build(network(loaded, kind), loaded, "r1", profile_of(kind), taken)


class Bench:
    """The practice router r1 of one kind, in this process."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        platform, release = KINDS[kind]
        ports: list[dict[str, Any]] = [
            {"name": name, "bandwidth_kbit": kbit, "ipv6": f"2001:db8:{at}::1/64"}
            for at, (name, kbit) in enumerate(KBIT.items(), start=40)
        ]
        spec = {
            "name": "r1", "platform": platform, "ios": release, "password": "pw", "enable": "secret",
            "engines": {"1": 3, "2": 3, "3": 3}, "interfaces": ports,
        }  # fmt: skip
        self.device = Device(RouterSpec.from_dict(spec))

    def type(self, lines: list[str]) -> list[str]:
        """What the router answered to these lines in configuration mode, line cards included."""
        session = self.device.open_session(privilege=15)
        session.execute("configure terminal")
        said: list[str] = []
        for line in lines:
            replies = [session.execute(line).strip(), *session.asynchronous()]
            said += [f"{line}: {reply}" for reply in replies if reply and "SYS-5" not in reply]
        session.execute("end")
        session.close()
        return said

    def read(self) -> RunningConfig:
        """Its running-config, parsed."""
        return ios.parse(self.device.running_config(), profile_of(self.kind))


def bundled(name: str) -> Network:
    """A bundled network as the pipeline sees it: BW and usable capacity as its file has them."""
    file = read_network(NETWORKS / f"{name}.yaml")
    rates = {(each.router, each.name, each.pvc): each for each in file.interfaces}

    def bps(router: str, interface: str, pvc: str = "") -> dict[str, int]:
        found = rates[router, interface, pvc]
        return {"line_rate_bps": found.line_rate_bps, "bw_bps": found.bw_bps, "usable_bps": found.usable_bps}

    return Network(
        tuple(RouterValue(each.name, each.platform, each.ios, dict(each.engines)) for each in file.routers),
        tuple(
            AccessLinkValue(
                id=each.name,
                nren=each.nren,
                router=each.interface.router,
                interface=each.interface.name,
                pvc=each.interface.pvc or None,
                case=each.case,
                standing=each.standing,
                **bps(each.interface.router, each.interface.name, each.interface.pvc),
            )
            for each in file.access_links
        ),
        tuple(
            CoreLinkValue(
                id=each.name,
                a_router=each.a.router,
                a_interface=each.a.name,
                z_router=each.z.router,
                z_interface=each.z.name,
                metric=each.metric,
                **bps(each.a.router, each.a.name),
            )
            for each in file.core_links
        ),
        tuple(
            PeeringValue(
                id=each.name,
                name=each.name,
                router=each.interface.router,
                interface=each.interface.name,
                pvc=each.interface.pvc or None,
                **bps(each.interface.router, each.interface.name, each.interface.pvc),
            )
            for each in file.peerings
        ),
    )
