"""One place of a router: which access case, or the core policy, the hand-made policy bound there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from provisioning.pipeline import intent
from provisioning.pipeline.adoption.candidates import (
    Candidate,
    candidates,
    counted,
    place_of_link,
    service_class,
    somebody,
    with_numbers,
)
from provisioning.pipeline.adoption.comparing import Comparer, Comparison, lists_of
from provisioning.pipeline.adoption.lists import Authorising, grants_of
from provisioning.pipeline.adoption.values import (
    ACCESS_OUTPUT,
    BORDER_OUTPUT,
    CORE,
    ClassFound,
    Finding,
    Found,
    Grant,
    Verdict,
    Weight,
)
from provisioning.pipeline.intent import Role, RouterIntent, effective_case
from provisioning.pipeline.mqc import PolicyClass, PolicyMap, RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.scheme import NON_PARTICIPANT, Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import AccessLinkValue, Network, RouterValue, framing_or_longest


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
    """What intent binds a policy at, then every other place where the router has one."""
    name = around.router.name
    wanted = intent.build(
        around.network,
        around.scheme,
        name,
        around.profile,
        around.reservations,
        exempt=around.exempt,
    )
    bound = {(each.interface, each.pvc, each.direction) for each in wanted.bindings}
    access = {link.id: link for link in around.network.access_links}
    rates = {link.id: link.bw_bps for link in around.network.core_links}
    rates |= {link.id: link.bw_bps for link in around.network.peerings}
    for entry in sorted(wanted.interfaces, key=lambda each: (each.role, each.link)):
        for direction in ("input", "output"):
            if (entry.interface, entry.pvc, direction) not in bound:
                continue
            bw_bps = around.bandwidths.get(entry.interface, rates.get(entry.link))
            if entry.role is Role.ACCESS:
                known = access[entry.link]
                link = replace(known, bw_bps=around.bandwidths.get(entry.interface, known.bw_bps))
                sending = [sls for sls in around.reservations if sls.source_link == link.id]
                case = effective_case(link, sending) if direction == "input" else ACCESS_OUTPUT
            else:
                link = place_of_link(entry.link, name, entry.interface, entry.pvc, bw_bps)
                inwards = direction == "input"
                case = CORE if entry.role is Role.CORE else NON_PARTICIPANT if inwards else BORDER_OUTPUT
            yield _Place(entry.interface, entry.pvc, direction, entry.role, link, case)
    for held in sorted(
        around.running.bindings, key=lambda each: (each.interface, each.pvc or "", each.direction)
    ):
        if (held.interface, held.pvc, held.direction) not in bound:
            shown = around.bandwidths.get(held.interface)
            link = place_of_link(f"?@{name}:{held.interface}", name, held.interface, held.pvc, shown)
            yield _Place(held.interface, held.pvc, held.direction, None, link, "")


def _judge(around: Surroundings, place: _Place) -> Found:
    bound = around.running.bound(place.interface, place.direction, place.pvc)
    if bound is None:
        return _found(place, "", Verdict.ABSENT, "")
    held = around.running.policy_maps.get(bound)
    if held is None:
        missing = Finding(Weight.DIFFERS, f"policy-map {bound}", "is bound and does not exist")
        return _found(place, bound, Verdict.DIFFERENT, "", (missing,))
    grants, tried, failed = compare_cases(around, place.link, place.direction, held)
    fitting = _one_of([(candidate, found) for candidate, found in tried if not found.weight], place)
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
    # An access link may be in any case; everything else is what the inventory says it is.
    free = place.role is None or (place.role is Role.ACCESS and place.direction == "input")
    verdict = Verdict.RECOGNISED if free or candidate.case == place.inventory_case else Verdict.MISPLACED
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
    named = _if_filtered(comparison, grants)
    if place.direction == "input" and candidate.case != NON_PARTICIPANT:
        named = (*named, *_unnamed(around, place.link, held, grants))
    return _found(place, bound, verdict, candidate.case, findings, classes, named)


def _one_of(fitting: list[tuple[Candidate, Comparison]], place: _Place) -> list[tuple[Candidate, Comparison]]:
    """Of several that fit, the one the inventory says; else all that say something different."""
    said = [pair for pair in fitting if pair[0].case == place.inventory_case]
    if said:
        return said
    unlike: list[tuple[Candidate, Comparison]] = []
    for pair in fitting:
        if all(pair[0].policy != other.policy for other, _ in unlike):
            unlike.append(pair)
    return unlike


def compare_cases(
    around: Surroundings, link: AccessLinkValue, direction: str, held: PolicyMap
) -> tuple[tuple[Grant, ...], list[tuple[Candidate, Comparison]], list[str]]:
    """The grants the policy's access lists give, every case compared with it, and why others cannot be built."""
    known = [sls for sls in around.reservations if sls.source_link == link.id]
    lists = [
        Authorising(listed, entry.name, service_class(around.scheme, _marked(entry)), *counted(entry))
        for listed, entry in lists_of(around.running, held)
    ]
    grants = tuple(grants_of(lists, link.id, known))
    sending = sending_of(around, link.id, link.interface, held, grants)
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
    around: Surroundings, link: str, interface: str, held: PolicyMap, grants: Sequence[Grant]
) -> list[Sls]:
    """The reservations a link would have if every grant found were one, their policers being the ones that were found."""
    header = framing_or_longest(interface).header_bytes
    known = [sls for sls in around.reservations if sls.source_link == link]
    if around.scheme.policer != "grants":
        return [*known, *(grant.sls for grant in grants if grant.sls is not None)]
    found = list(known)
    by_class: dict[str, list[Grant]] = {}
    for grant in grants:
        by_class.setdefault(grant.class_name, []).append(grant)
    for each in by_class.values():
        asked = [grant.sls for grant in each if grant.sls is not None]
        before = [sls for sls in known if asked and sls.service_class == asked[0].service_class]
        numbered = with_numbers(
            [*before, *asked], len(before), each[0].counted_bps, each[0].bucket_bytes, header
        )
        found += numbered[len(before) :]
    if not found:
        found += [sls for _, sls in _somebody(around, link, header, held)]
    return found


def _unnamed(
    around: Surroundings, link: AccessLinkValue, held: PolicyMap, grants: Sequence[Grant]
) -> Iterator[Grant]:
    """What policers to grants let through of whoever marks: nobody is named, and no reservation is in the rows yet."""
    known = any(sls.source_link == link.id for sls in around.reservations)
    if around.scheme.policer != "grants" or known or any(grant.sls is not None for grant in grants):
        return
    header = framing_or_longest(link.interface).header_bytes
    for entry, sls in _somebody(around, link.id, header, held):
        bps, bucket_bytes = counted(entry)
        yield Grant(
            "", f"class {entry.name}", "whoever marks", "any", None, "", bps, bucket_bytes, entry.name,
            sls.service_class,
        )  # fmt: skip


def _somebody(
    around: Surroundings, link: str, header_bytes: int, held: PolicyMap
) -> Iterator[tuple[PolicyClass, Sls]]:
    """One reservation for each class that is taken by its DSCP and policed in bit/s; and that class."""
    for entry in held.classes:
        bps, bucket_bytes = counted(entry)
        taken = around.running.class_maps.get(entry.name)
        values = (
            {value for match in taken.matches if match.kind == "dscp" for value in match.values}
            if taken
            else set()
        )
        if bps is not None and len(values) == 1:
            (dscp,) = values
            service = service_class(around.scheme, dscp if isinstance(dscp, int) else None)
            yield entry, somebody(link, service, bps, bucket_bytes, header_bytes)


def _marked(entry: PolicyClass) -> int | None:
    """The DSCP a class marks, None when it marks none."""
    marked = next((each.value for each in entry.set_fields if each.field == "dscp"), None)
    return marked if isinstance(marked, int) else None


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
