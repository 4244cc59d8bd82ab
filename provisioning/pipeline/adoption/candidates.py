"""What a place would hold in each access case, or as a core interface: built as intent builds it, one link at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_network

from provisioning.errors import InvalidInput
from provisioning.pipeline import intent
from provisioning.pipeline.adoption.lists import ALWAYS, LEAST_BUCKET_BYTES, LEAST_PACKET_BYTES
from provisioning.pipeline.adoption.values import CORE
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import Bps, PolicyMap
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import AccessLinkValue, CoreLinkValue, Network, RouterValue
from provisioning.pipeline.units import BitRate

NON_PARTICIPANT = "non-participant"
_ELSEWHERE = "far-end"
_SOME_RATE_BPS = 155_000_000


@dataclass(frozen=True)
class Candidate:
    """One case a place may be in: the intent of a router with nothing else on it, and the policy bound there."""

    case: str
    intended: RouterIntent
    policy: PolicyMap


def service_class(scheme: Scheme) -> str:
    """The class whose traffic an access list authorises: the one of EF, else the first that is admitted."""
    admitted = [entry for entry in scheme.classes if entry.pool is not None]
    return next((entry.name for entry in admitted if entry.dscp == 46), admitted[0].name if admitted else "")


def with_rates(reservations: Sequence[Sls], known: int, total_bps: int | None) -> list[Sls]:
    """The reservations, those after the first `known` sharing what is left of `total_bps` (None: they keep theirs)."""
    found = list(reservations[known:])
    if total_bps is None or not found:
        return list(reservations)
    left = total_bps - sum(each.rate.bps for each in reservations[:known])
    first = max(1, left - (len(found) - 1))
    rates = [first] + [1] * (len(found) - 1)
    return [
        *reservations[:known],
        *(dataclasses.replace(each, rate=BitRate(bps)) for each, bps in zip(found, rates, strict=True)),
    ]


def somebody(link: str, scheme: Scheme, bps: int) -> Sls:
    """A reservation of whoever sends from a trusted link, for a policer that counts grants and names nobody."""
    return Sls(
        id="found",
        source_link=link,
        destination_link="",
        service_class=service_class(scheme),
        rate=BitRate(bps),
        window=ALWAYS,
        bucket_bytes=LEAST_BUCKET_BYTES,
        max_packet_bytes=LEAST_PACKET_BYTES,
        source_prefixes=(ip_network("2001:db8::/32"),),
    )


def counted_bps(policy: PolicyMap) -> int | None:
    """What the first dropping policer in bit/s of a policy lets through."""
    for entry in policy.classes:
        if entry.police is not None and isinstance(entry.police.rate, Bps) and "drop" in entry.police.exceed:
            return entry.police.rate.value
    return None


def candidates(
    router: RouterValue,
    scheme: Scheme,
    profile: Profile,
    link: AccessLinkValue,
    direction: str,
    reservations: Sequence[Sls],
) -> tuple[list[Candidate], list[str]]:
    """Return every case `link` may be in (the core policy when `direction` is output), and why others cannot be built.

    `link` says where and how fast; its own case does not matter.
    """
    built: list[Candidate] = []
    failed: list[str] = []
    for case in [CORE] if direction == "output" else sorted(scheme.cases):
        try:
            built.append(_candidate(router, scheme, profile, link, case, reservations))
        except InvalidInput as error:
            failed.append(f"{case}: {error.reason}")
    return built, failed


def _candidate(
    router: RouterValue,
    scheme: Scheme,
    profile: Profile,
    link: AccessLinkValue,
    case: str,
    reservations: Iterable[Sls],
) -> Candidate:
    if case == CORE:
        core = CoreLinkValue(
            id=link.id,
            a_router=router.name,
            a_interface=link.interface,
            z_router=_ELSEWHERE,
            z_interface=link.interface,
            metric=1,
            line_rate_bps=link.line_rate_bps,
            bw_bps=link.bw_bps,
            usable_bps=link.usable_bps,
        )
        far = RouterValue(_ELSEWHERE, router.platform, router.ios)
        network = Network((router, far), (), (core,))
        sending: list[Sls] = []
    else:
        network = Network((router,), (dataclasses.replace(link, case=case, standing=True),), ())
        sending = [] if case == NON_PARTICIPANT else list(reservations)
    wanted = intent.build(network, scheme, router.name, profile, sending)
    bound = next(iter(wanted.bindings)).policy
    return Candidate(case, wanted, next(entry for entry in wanted.policy_maps if entry.name == bound))


def place_of_link(
    link_id: str, router: str, interface: str, pvc: str | None, bw_bps: int | None
) -> AccessLinkValue:
    """A link to compare at, for an interface the inventory has no access link for."""
    rate = bw_bps or _SOME_RATE_BPS
    return AccessLinkValue(
        link_id, "", router, interface, pvc, rate, rate, rate, NON_PARTICIPANT, standing=True
    )
