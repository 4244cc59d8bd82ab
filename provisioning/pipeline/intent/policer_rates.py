"""What the policers of a router let through, at the layer they count and at the layer that was asked for.

Rates are asked for, granted and charged at layer 3, our choice: D4.4.2v2 section 2.3 offers a line "at the IP layer" and
section 4.1.2 reckons the 5 % "at the physical level". A router counts packets with their layer 2 header.
How much of a policer is left for IP therefore depends on the size of the packets.

The headers that are assumed are those of `topology.framing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from provisioning.pipeline.intent.building import effective_case
from provisioning.pipeline.intent.carried import CarriedClass, carried_classes
from provisioning.pipeline.intent.values import Role, RouterIntent
from provisioning.pipeline.mqc import Bps, PolicyClass, PolicyMap, in_bps
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import (
    AccessLinkValue,
    Framing,
    Network,
    framing_of,
    layer2_bps,
    layer3_bps,
)
from provisioning.pipeline.units import rate_text

ANY_PACKET_BYTES = 1500
"""The packet that a policer without reservations is reckoned for: an Ethernet's largest."""


@dataclass(frozen=True)
class PolicerRate:
    """One policer of an access link. Rates in bit/s, packets and headers in bytes; None is not known.

    `percent` is None for a policer in bit/s; `rate_bps` counts at layer 2, of the BW the router showed. `granted` are
    (id, layer 3 rate, packet) of the reservations whose traffic it polices, with the smallest packet that was named, else
    the largest.
    """

    link: str
    interface: str
    policy: str
    class_name: str
    percent: Decimal | None
    bw_bps: int | None
    rate_bps: int | None
    framing: Framing | None
    drops: bool
    granted: tuple[tuple[str, int, int], ...] = ()

    @property
    def packet_bytes(self) -> tuple[int, ...]:
        """The packet sizes it is reckoned for: one of each reservation, else ANY_PACKET_BYTES."""
        return tuple(sorted({size for _, _, size in self.granted})) or (ANY_PACKET_BYTES,)

    @property
    def layer3(self) -> tuple[tuple[int, int], ...]:
        """(packet size, layer 3 rate) for each of `packet_bytes`; empty when rate or framing is not known."""
        if self.rate_bps is None or self.framing is None:
            return ()
        header = self.framing.header_bytes
        return tuple((size, layer3_bps(self.rate_bps, size, header)) for size in self.packet_bytes)

    @property
    def needed_bps(self) -> int | None:
        """What the grants take at layer 2 in packets of the sizes of `granted`; smaller packets would take more."""
        if self.framing is None:
            return None
        header = self.framing.header_bytes
        return sum(layer2_bps(rate, size, header) for _, rate, size in self.granted)

    @property
    def short_bps(self) -> int:
        """By how much the grants exceed the policer at layer 2; 0 when they fit or it is not known."""
        if self.needed_bps is None or self.rate_bps is None or not self.drops:
            return 0
        return max(0, self.needed_bps - self.rate_bps)

    def __str__(self) -> str:
        what = "polices" if self.drops else "meters, never drops,"
        said = f"{self.interface} {self.policy}, class {self.class_name}: {what} "
        if self.rate_bps is None:
            return f"{said}{self.percent} % of a BW that the router does not show"
        base = "" if self.percent is None else f" ({self.percent} % of BW {rate_text(self.bw_bps or 0)})"
        said += f"{rate_text(self.rate_bps)} at layer 2{base}"
        if self.framing is None:
            return f"{said}; what that is at layer 3 is not known for this kind of interface"
        sizes = ", ".join(f"{rate_text(bps)} in packets of {size} bytes" for size, bps in self.layer3)
        said += f", at layer 3 {sizes} ({self.framing.name}, {self.framing.header_bytes} bytes a packet)"
        if self.granted:
            names = ", ".join(name for name, _, _ in self.granted)
            said += f"; granted to {names}: {rate_text(sum(bps for _, bps, _ in self.granted))} at layer 3, "
            said += f"{rate_text(self.needed_bps or 0)} at layer 2"
        if self.short_bps:
            said += f", {rate_text(self.short_bps)} MORE than the policer lets through"
        return said

    def to_json(self) -> dict[str, Any]:
        return {
            "link": self.link,
            "interface": self.interface,
            "policy": self.policy,
            "class": self.class_name,
            "percent": None if self.percent is None else str(self.percent),
            "bw_bps": self.bw_bps,
            "layer2_bps": self.rate_bps,
            "framing": None if self.framing is None else self.framing.name,
            "header_bytes": None if self.framing is None else self.framing.header_bytes,
            "drops": self.drops,
            "layer3": [{"packet_bytes": size, "rate_bps": bps} for size, bps in self.layer3],
            "granted": [
                {"id": name, "rate_bps": bps, "packet_bytes": size} for name, bps, size in self.granted
            ],
            "granted_layer2_bps": self.needed_bps,
            "short_bps": self.short_bps,
            "text": str(self),
        }


def carried_entries(
    scheme: Scheme, link: AccessLinkValue, own: Sequence[Sls], policy: PolicyMap
) -> Iterator[tuple[CarriedClass, PolicyClass]]:
    """What each class of the input policy of an access link carries while `own` send from it, beside that class itself."""
    template = scheme.case_policy(effective_case(link, own))
    # A policy is written class by class from its template, in the same order; an empty class-default falls away.
    return zip(carried_classes(scheme, template, own), policy.classes, strict=False)


def policer_rates(
    network: Network,
    scheme: Scheme,
    intended: RouterIntent,
    bandwidths: Mapping[str, int],
    reservations: Iterable[Sls],
) -> tuple[PolicerRate, ...]:
    """Every policer on the access links of one router while exactly `reservations` are on, by link and class.

    `bandwidths` is the BW in bit/s by interface as the router showed it.
    """
    sending: dict[str, list[Sls]] = {}
    for sls in reservations:
        sending.setdefault(sls.source_link, []).append(sls)
    return tuple(_rates(network, scheme, intended, bandwidths, sending))


def _rates(
    network: Network,
    scheme: Scheme,
    intended: RouterIntent,
    bandwidths: Mapping[str, int],
    sending: Mapping[str, list[Sls]],
) -> Iterator[PolicerRate]:
    policies = {policy.name: policy for policy in intended.policy_maps}
    bound = {
        (each.interface, each.pvc): each.policy for each in intended.bindings if each.direction == "input"
    }
    for managed in sorted(intended.interfaces, key=lambda each: each.link):
        link = network.access_link(managed.link)
        policy = policies.get(bound.get((managed.interface, managed.pvc), ""))
        if managed.role is not Role.ACCESS or link is None or policy is None:
            continue
        own = sending.get(link.id, [])
        for wanted, entry in carried_entries(scheme, link, own, policy):
            if entry.police is None or not wanted.entry.services:
                continue
            bw_bps = bandwidths.get(managed.interface)
            yield PolicerRate(
                link=link.id,
                interface=managed.key,
                policy=policy.name,
                class_name=entry.name,
                percent=None if isinstance(entry.police.rate, Bps) else entry.police.rate.value,
                bw_bps=bw_bps,
                rate_bps=in_bps(entry.police.rate, bw_bps),
                framing=framing_of(managed.interface),
                drops="drop" in entry.police.exceed,
                granted=tuple(
                    (sls.id, sls.rate.bps, sls.smallest_packet_bytes) for sls in wanted.reservations
                ),
            )
