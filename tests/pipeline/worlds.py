"""Hypothesis strategies: what one router may have to hold, over all platforms, cases and reservations."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st

from provisioning.pipeline import intent
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.scheme import Scheme, from_mapping
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import (
    AccessLinkValue,
    CoreLinkValue,
    Network,
    PeeringValue,
    RouterValue,
)
from provisioning.pipeline.units import BitRate, TimeWindow
from tests.pipeline.practice import BANDWIDTHS, KINDS, PLATFORMS, profile_of

_SCHEME = yaml.safe_load(
    (Path(__file__).resolve().parents[2] / "provisioning/schemes/6net.yaml").read_text(encoding="utf-8")
)
ACCESS = {
    "ALPHA": ("POS1/0", None),
    "BETA": ("POS1/1", None),
    "GAMMA": ("GigabitEthernet3/0", None),
    "DELTA": ("ATM5/0.1", "0/32"),
}
FOREIGN = """\
class-map match-any VOICE
 match ip dscp ef
 match protocol rtp
policy-map CUSTOMER-OUT
 class VOICE
  bandwidth percent 10
 class class-default
  set dscp default
ipv6 access-list vty-in
 permit ipv6 2001:DB8:FE::/48 any
 deny ipv6 any any
interface POS1/1
 service-policy output CUSTOMER-OUT
"""


@dataclass(frozen=True)
class World:
    """One intent in words, to be built for a platform; what is not said is as Appendix A of D4.4.2v2 has it."""

    cases: tuple[tuple[str, str, bool], ...]  # link name, case, standing
    reservations: tuple[
        tuple[str, str, str, int | None, int], ...
    ] = ()  # link, source, destination, label, bit/s
    core: tuple[str, ...] = ("POS2/0",)
    ef_percent: int = 5
    lbe_first: bool = False
    lbe_dscp: int = 8
    policer: str = "cap"
    other: bool = False

    def scheme(self) -> Scheme:
        return _scheme(self.policer, self.other, self.ef_percent, self.lbe_first, self.lbe_dscp)

    def intent(self, kind: str, suffixes: dict[str, int] | None = None) -> RouterIntent:
        network = self.network(kind)
        present = {link.nren: link.id for link in network.access_links}
        taken: list[Sls] = []
        for number, (name, source, destination, label, bps) in enumerate(self.reservations):
            link = network.access_link(present.get(name, ""))
            if link is None or link.case == "non-participant":
                continue
            taken.append(reservation(f"R{number}", link.id, source, destination, label, bps))
        return intent.build(network, self.scheme(), "r1", profile_of(kind), taken, suffixes=suffixes)

    def network(self, kind: str) -> Network:
        platform, release = PLATFORMS[kind]
        links = []
        for name, case, standing in self.cases:
            interface, pvc = ACCESS[name]
            rate = BANDWIDTHS[interface]
            links.append(
                AccessLinkValue(
                    f"{name}@r1:{interface}", name, "r1", interface, pvc, rate, rate, rate, case, standing
                )
            )
        core = tuple(
            CoreLinkValue(
                f"r1:{port}--r2:POS9/{at}",
                "r1",
                port,
                "r2",
                f"POS9/{at}",
                10,
                155520000,
                155000000,
                155000000,
            )
            for at, port in enumerate(self.core)
        )
        peerings = (
            ()
            if "POS2/1" in self.core
            else (
                PeeringValue("PEER@r1:POS2/1", "PEER", "r1", "POS2/1", None, 155520000, 155000000, 155000000),
            )
        )
        routers = (RouterValue("r1", platform, release), RouterValue("r2", platform, release))
        return Network(routers, tuple(links), core, peerings)


@cache
def _scheme(policer: str, other: bool, ef_percent: int, lbe_first: bool, lbe_dscp: int) -> Scheme:
    data: dict[str, Any] = copy.deepcopy(_SCHEME)
    data["policer"] = policer
    data["options"]["emit_unused_other"] = other
    data["pools"]["ip-premium"]["access"]["percent"] = ef_percent
    for name in ("TRUSTED-IN", "FILTERED-IN"):
        classes = data["policies"][name]["classes"]
        classes[0]["police"]["percent"] = ef_percent
        data["policies"][f"{name}-RT"]["classes"][1]["police"]["percent"] = ef_percent
        if lbe_first:
            classes[0], classes[1] = classes[1], classes[0]
    data["class_maps"]["LBE"]["match"] = [{"dscp": lbe_dscp}]
    return from_mapping(data)


def reservation(
    name: str, link: str, source: str, destination: str, label: int | None = None, bps: int = 2_000_000
) -> Sls:
    """An Sls that starts in 2005 and stays."""
    return Sls(
        id=name,
        source_link=link,
        destination_link="elsewhere",
        service_class="ip-premium",
        rate=BitRate(bps),
        window=TimeWindow(datetime(2005, 1, 1, tzinfo=UTC)),
        bucket_bytes=15000,
        max_packet_bytes=1500,
        source_prefixes=(ip_network(source),),
        destination_prefixes=(ip_network(destination),),
        flow_label=label if ":" in source else None,
    )


_V6 = ["2001:db8:a::/48", "2001:db8:b::/48", "2001:db8:b:1::/64", "2001:db8:c::7/128"]
_V4 = ["198.51.100.0/24", "192.0.2.7/32"]
_pairs = st.one_of(
    st.tuples(st.sampled_from(_V6), st.sampled_from(["2001:db8:f::/48", "2001:db8:f:1::/64"])),
    st.tuples(st.sampled_from(_V4), st.just("203.0.113.0/24")),
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    names = draw(st.lists(st.sampled_from(sorted(ACCESS)), unique=True, max_size=4))
    cases = tuple(
        (name, draw(st.sampled_from(["non-participant", "trusted", "filtered"])), draw(st.booleans()))
        for name in sorted(names)
    )
    reservations = tuple(
        (
            name,
            *draw(_pairs),
            draw(st.sampled_from([None, None, 77])),
            draw(st.sampled_from([1_000_000, 500_000])),
        )
        for name in draw(st.lists(st.sampled_from(sorted(ACCESS)), max_size=6))
    )
    return World(
        cases=cases,
        reservations=reservations,
        core=draw(st.sampled_from([(), ("POS2/0",), ("POS2/0", "POS2/1")])),
        ef_percent=draw(st.sampled_from([5, 5, 5, 4, 10])),
        lbe_first=draw(st.sampled_from([False, False, False, True])),
        lbe_dscp=draw(st.sampled_from([8, 8, 8, 10])),
        policer=draw(st.sampled_from(["cap", "cap", "cap", "grants"])),
        other=draw(st.booleans()),
    )


kinds = st.sampled_from(sorted(KINDS))
