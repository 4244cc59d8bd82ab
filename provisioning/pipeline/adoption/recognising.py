"""One place of a router: which access case, or the core policy, the hand-made policy bound there is."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from provisioning.pipeline.adoption.candidates import (
    NON_PARTICIPANT,
    Candidate,
    candidates,
    counted_bps,
    place_of_link,
    service_class,
    somebody,
    with_rates,
)
from provisioning.pipeline.adoption.comparing import Comparer, Comparison, lists_of
from provisioning.pipeline.adoption.lists import grants_of
from provisioning.pipeline.adoption.values import CORE, ClassFound, Finding, Found, Grant, Verdict, Weight
from provisioning.pipeline.intent import Role, RouterIntent, effective_case
from provisioning.pipeline.mqc import PolicyMap, RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import AccessLinkValue, Network, RouterValue


@dataclass(frozen=True)
class Surroundings:
    """Everything a place is judged with. `bandwidths` is BW in bit/s by interface, as the router showed it."""

    running: RunningConfig
    network: Network
    scheme: Scheme
    router: RouterValue
    profile: Profile
    renderer: Renderer
    reservations: tuple[Sls, ...]
    bandwidths: Mapping[str, int]
    exempt: frozenset[str]


@dataclass(frozen=True)
class _Place:
    interface: str
    pvc: str | None
    direction: str
    role: Role | None
    link: AccessLinkValue
    inventory_case: str


def recognise_places(around: Surroundings) -> list[Found]:
    """Return what is at every place the inventory manages, and at every other where a policy is bound."""
    return [_judge(around, place) for place in _places(around)]


def _places(around: Surroundings) -> Iterator[_Place]:
    network, name = around.network, around.router.name
    seen: set[tuple[str, str | None, str]] = set()
    for link in sorted(network.access_links, key=lambda each: each.id):
        if link.router == name and link.interface not in around.exempt:
            seen.add((link.interface, link.pvc, "input"))
            bw_bps = around.bandwidths.get(link.interface, link.bw_bps)
            sending = [sls for sls in around.reservations if sls.source_link == link.id]
            yield _Place(
                link.interface,
                link.pvc,
                "input",
                Role.ACCESS,
                dataclasses.replace(link, bw_bps=bw_bps),
                effective_case(link, sending),
            )
    for peering in sorted(network.peerings, key=lambda each: each.id):
        if peering.router == name and peering.interface not in around.exempt:
            seen.add((peering.interface, peering.pvc, "input"))
            bw_bps = around.bandwidths.get(peering.interface, peering.bw_bps)
            link = place_of_link(peering.id, name, peering.interface, peering.pvc, bw_bps)
            yield _Place(peering.interface, peering.pvc, "input", Role.PEERING, link, NON_PARTICIPANT)
    for core in sorted(network.core_links, key=lambda each: each.id):
        for end, interface in ((core.a_router, core.a_interface), (core.z_router, core.z_interface)):
            if end == name and interface not in around.exempt:
                seen.add((interface, None, "output"))
                bw_bps = around.bandwidths.get(interface, core.bw_bps)
                yield _Place(
                    interface,
                    None,
                    "output",
                    Role.CORE,
                    place_of_link(core.id, name, interface, None, bw_bps),
                    CORE,
                )
    for bound in sorted(
        around.running.bindings, key=lambda each: (each.interface, each.pvc or "", each.direction)
    ):
        if (bound.interface, bound.pvc, bound.direction) not in seen:
            shown = around.bandwidths.get(bound.interface)
            link = place_of_link(f"?@{name}:{bound.interface}", name, bound.interface, bound.pvc, shown)
            yield _Place(bound.interface, bound.pvc, bound.direction, None, link, "")


def _judge(around: Surroundings, place: _Place) -> Found:
    bound = around.running.bound(place.interface, place.direction, place.pvc)
    if bound is None:
        return _found(place, "", Verdict.ABSENT, "")
    held = around.running.policy_maps.get(bound)
    if held is None:
        missing = Finding(Weight.DIFFERS, f"policy-map {bound}", "is bound and does not exist")
        return _found(place, bound, Verdict.DIFFERENT, "", (missing,))
    grants, tried, failed = compare_cases(around, place.link, place.direction, held)
    fitting = [(candidate, found) for candidate, found in tried if not found.weight]
    classes = _classes(around, held, fitting[0] if len(fitting) == 1 else None)
    if len(fitting) > 1:
        said = tuple(
            Finding(Weight.DIFFERS, f"policy-map {bound}", f"is {candidate.case}") for candidate, _ in fitting
        )
        return _found(place, bound, Verdict.AMBIGUOUS, "", said, classes)
    if not fitting:
        nearest = min(tried, key=lambda pair: (pair[1].unpaired, pair[1].weight, pair[0].case), default=None)
        reasons = tuple(Finding(Weight.DIFFERS, "scheme", reason) for reason in failed)
        if nearest is None:
            return _found(place, bound, Verdict.DIFFERENT, "", reasons, classes)
        said = (*nearest[1].findings, *reasons)
        return _found(
            place, bound, Verdict.DIFFERENT, nearest[0].case, said, classes, _if_filtered(nearest[1], grants)
        )
    candidate, comparison = fitting[0]
    belongs = {Role.PEERING: (NON_PARTICIPANT,), Role.CORE: (CORE,)}.get(place.role or Role.ACCESS)
    verdict = Verdict.MISPLACED if belongs and candidate.case not in belongs else Verdict.RECOGNISED
    findings = tuple(comparison.findings)
    if verdict is Verdict.MISPLACED:
        said_role = place.role.value if place.role else ""
        findings = (
            *findings,
            Finding(
                Weight.DIFFERS,
                place.interface,
                f"is a {said_role} interface, where {candidate.case} is wrong",
            ),
        )
    return _found(place, bound, verdict, candidate.case, findings, classes, _if_filtered(comparison, grants))


def compare_cases(
    around: Surroundings, link: AccessLinkValue, direction: str, held: PolicyMap
) -> tuple[tuple[Grant, ...], list[tuple[Candidate, Comparison]], list[str]]:
    """The grants the policy's access lists give, every case compared with it, and why others cannot be built."""
    known = [sls for sls in around.reservations if sls.source_link == link.id]
    total = counted_bps(held)
    lists = list(lists_of(around.running, held))
    grants = tuple(grants_of(lists, link.id, service_class(around.scheme), known, total))
    sending = sending_of(around.scheme, link.id, known, grants, total)
    built, failed = candidates(around.router, around.scheme, around.profile, link, direction, sending)
    tried = [
        (
            candidate,
            Comparer(around.running, candidate.intended, around.renderer, link.bw_bps).policies(
                held, candidate.policy
            ),
        )
        for candidate in built
    ]
    return grants, tried, failed


def sending_of(
    scheme: Scheme, link: str, known: Sequence[Sls], grants: Sequence[Grant], total_bps: int | None
) -> list[Sls]:
    """The reservations a link would have if every grant found were one, rates as its policer counts them."""
    found = [*known, *(grant.sls for grant in grants if grant.sls is not None)]
    if scheme.policer != "grants":
        return found
    if not found and total_bps is not None:
        return [somebody(link, scheme, total_bps)]
    return with_rates(found, len(known), total_bps)


def _if_filtered(comparison: Comparison, grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
    lists = {name for (kind, _), name in comparison.names.items() if kind == "access-list"}
    return tuple(grant for grant in grants if grant.access_list in lists)


def _classes(
    around: Surroundings, held: PolicyMap, fitting: tuple[Candidate, Comparison] | None
) -> tuple[ClassFound, ...]:
    comparer = Comparer(around.running, RouterIntent(around.router.name), around.renderer, None)
    return tuple(
        ClassFound(
            name=entry.name,
            matches=comparer.matches_of(entry.name),
            actions=tuple(line.strip() for line in around.renderer.class_lines(entry)),
            stands_for=""
            if fitting is None
            else f"{fitting[1].pairs[entry.name]} of {fitting[0].policy.name}",
        )
        for entry in held.classes
    )


def _found(
    place: _Place,
    policy: str,
    verdict: Verdict,
    case: str,
    differences: tuple[Finding, ...] = (),
    classes: tuple[ClassFound, ...] = (),
    grants: tuple[Grant, ...] = (),
) -> Found:
    return Found(
        interface=place.interface,
        pvc=place.pvc,
        direction=place.direction,
        role=place.role,
        link=place.link.id,
        policy=policy,
        verdict=verdict,
        case=case,
        inventory_case=place.inventory_case,
        differences=differences,
        classes=classes,
        grants=grants,
    )
