"""What a place would hold in each access case, or as a core interface: built as intent builds it, one link at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_network
from typing import Any

from provisioning.errors import InvalidInput
from provisioning.pipeline import intent
from provisioning.pipeline.adoption.lists import ALWAYS, LEAST_BUCKET_BYTES, LEAST_PACKET_BYTES
from provisioning.pipeline.adoption.values import ACCESS_OUTPUT, BORDER_OUTPUT, CORE
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import Bps, BurstBytes, PolicyClass, PolicyMap, default_burst_bytes
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.scheme import NON_PARTICIPANT, Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import (
    AccessLinkValue,
    CoreLinkValue,
    Network,
    PeeringValue,
    RouterValue,
    layer2_bps,
    layer2_bytes,
    layer3_bps,
    layer3_bytes,
)
from provisioning.pipeline.units import BitRate

_ELSEWHERE = "far-end"
_SOME_RATE_BPS = 155_000_000


@dataclass(frozen=True)
class Candidate:
    """One case a place may be in: the intent of a router with nothing else on it, and the policy bound there."""

    case: str
    intended: RouterIntent
    policy: PolicyMap


def service_class(scheme: Scheme, dscp: int | None = None) -> str:
    """The admitted class that is marked `dscp`; else the one of EF, else the first that is admitted."""
    admitted = [entry for entry in scheme.classes if entry.pool is not None]
    for wanted in (dscp, 46):
        for entry in admitted:
            if entry.dscp == wanted:
                return entry.name
    return admitted[0].name if admitted else ""


def with_numbers(
    reservations: Sequence[Sls],
    known: int,
    total_bps: int | None,
    bucket_bytes: int | None,
    header_bytes: int,
) -> list[Sls]:
    """The reservations, those after the first `known` sharing what is left of the policer's rate and bucket, which count a
    header of `header_bytes` with each packet.

    `total_bps` None: they keep what they have; `bucket_bytes` likewise.
    """
    found = list(reservations[known:])
    if total_bps is None or not found:
        return list(reservations)
    others = [*reservations[:known], *found[1:]]
    left = total_bps - sum(
        layer2_bps(each.rate.bps, each.smallest_packet_bytes, header_bytes) for each in others
    )
    deep = (bucket_bytes or 0) - sum(
        layer2_bytes(each.bucket_bytes, each.smallest_packet_bytes, header_bytes) for each in others
    )
    first = replace(found[0], **_as_granted(left, deep, header_bytes))
    return [*reservations[:known], first, *found[1:]]


def _as_granted(bps: int, bucket_bytes: int, header_bytes: int) -> dict[str, Any]:
    """Rate, bucket and packet of a grant whose policer is written with just these numbers: rounding leaves out a few numbers
    for each size of packet, so the size is the largest with which none is lost.
    """
    for packet in range(LEAST_PACKET_BYTES, LEAST_PACKET_BYTES // 2, -1):
        rate = max(1, layer3_bps(bps, packet, header_bytes))
        bucket = max(LEAST_BUCKET_BYTES, layer3_bytes(bucket_bytes, packet, header_bytes))
        exact = layer2_bps(rate, packet, header_bytes), layer2_bytes(bucket, packet, header_bytes)
        if exact == (bps, bucket_bytes) or bps < 2 or (bucket == LEAST_BUCKET_BYTES and exact[0] == bps):
            break
    return {"rate": BitRate(rate), "bucket_bytes": bucket, "max_packet_bytes": packet}


def somebody(link: str, service: str, bps: int, bucket_bytes: int | None, header_bytes: int) -> Sls:
    """A reservation of whoever sends from a trusted link, for a policer that counts grants and names nobody."""
    return Sls(
        id=f"found-{service}",
        source_link=link,
        destination_link="",
        service_class=service,
        window=ALWAYS,
        source_prefixes=(ip_network("2001:db8::/32"),),
        **_as_granted(bps, bucket_bytes or 0, header_bytes),
    )


def counted(entry: PolicyClass) -> tuple[int | None, int | None]:
    """What a dropping policer in bit/s of a class lets through, and its bucket in bytes; without one written, the one
    IOS takes for the rate (ios-facts N15).
    """
    police = entry.police
    if police is None or not isinstance(police.rate, Bps) or "drop" not in police.exceed:
        return None, None
    if police.burst is None:
        return police.rate.value, default_burst_bytes(police.rate.value)
    return police.rate.value, police.burst.value if isinstance(police.burst, BurstBytes) else None


def candidates(
    router: RouterValue,
    scheme: Scheme,
    profile: Profile,
    link: AccessLinkValue,
    direction: str,
    reservations: Sequence[Sls],
) -> tuple[list[Candidate], list[str]]:
    """Return every case `link` may be in, or every policy outwards there is; and why others cannot be built.

    `link` says where and how fast; its own case does not matter.
    """
    outwards = (CORE, ACCESS_OUTPUT, BORDER_OUTPUT)
    built: list[Candidate] = []
    failed: list[str] = []
    for case in outwards if direction == "output" else sorted(scheme.cases):
        try:
            wanted = _intended(router, scheme, profile, link, case, reservations)
        except InvalidInput as error:
            failed.append(f"{case}: {error.reason}")
            continue
        bound = next((each.policy for each in wanted.bindings if each.direction == direction), None)
        policy = next((each for each in wanted.policy_maps if each.name == bound), None)
        if policy is not None:
            built.append(Candidate(case, wanted, policy))
    return built, failed


def _intended(
    router: RouterValue,
    scheme: Scheme,
    profile: Profile,
    link: AccessLinkValue,
    case: str,
    reservations: Iterable[Sls],
) -> RouterIntent:
    far = RouterValue(_ELSEWHERE, router.platform, router.ios)
    sending: list[Sls] = []
    if case == CORE:
        rates = (link.line_rate_bps, link.bw_bps, link.usable_bps)
        core = CoreLinkValue(link.id, router.name, link.interface, _ELSEWHERE, link.interface, 1, *rates)
        network = Network((router, far), (), (core,))
    elif case == BORDER_OUTPUT:
        rates = (link.line_rate_bps, link.bw_bps, link.usable_bps)
        peering = PeeringValue(link.id, "", router.name, link.interface, link.pvc, *rates)
        network = Network((router,), (), (), (peering,))
    else:
        own = NON_PARTICIPANT if case == ACCESS_OUTPUT else case
        network = Network((router,), (replace(link, case=own, standing=True),), ())
        sending = [] if own == NON_PARTICIPANT else list(reservations)
    return intent.build(network, scheme, router.name, profile, sending)


def place_of_link(
    link_id: str, router: str, interface: str, pvc: str | None, bw_bps: int | None
) -> AccessLinkValue:
    """A link to compare at, for an interface the inventory has no access link for."""
    rate = bw_bps or _SOME_RATE_BPS
    return AccessLinkValue(
        link_id, "", router, interface, pvc, rate, rate, rate, NON_PARTICIPANT, standing=True
    )
