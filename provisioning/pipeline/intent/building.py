"""Network, scheme and reservations -> what one router must hold (D4.4.2v2 section 2.6; Appendix A)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from provisioning.errors import InvalidInput
from provisioning.pipeline.intent import neighbours
from provisioning.pipeline.intent.access_lists import access_list, uses_family, wide_entries
from provisioning.pipeline.intent.adopted import AdoptedObject, under_adopted_names
from provisioning.pipeline.intent.carried import CarriedClass, carried_classes, has_access_list, renamed
from provisioning.pipeline.intent.gathering import Wanted
from provisioning.pipeline.intent.names import LinkNames
from provisioning.pipeline.intent.policies import OwnNumbers, class_map, policy_map
from provisioning.pipeline.intent.values import ManagedInterface, Markings, Role, RouterIntent
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.scheme import (
    NEIGHBOUR_IN,
    NEIGHBOUR_OUT,
    NON_PARTICIPANT,
    UNPOLICED,
    ClassTemplate,
    PolicyTemplate,
    Pool,
    Scheme,
)
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import (
    AccessLinkValue,
    Network,
    framing_or_longest,
    layer2_bps,
    layer2_bytes,
)
from provisioning.pipeline.units import rate_text

LEAST_BUCKET_BYTES = 1000
_TWO_MILLISECONDS = 4000
"""bit/s over this are the bytes of 2 ms."""


def build(
    network: Network,
    scheme: Scheme,
    router: str,
    profile: Profile,
    reservations: Iterable[Sls],
    *,
    suffixes: Mapping[str, int] | None = None,
    exempt: Iterable[str] = (),
    adopted: Iterable[AdoptedObject] = (),
) -> RouterIntent:
    """Return what `router` must hold while exactly `reservations` are on.

    Every access and peering interface gets one of the scheme's input policies, every core interface its output
    policy; nothing else is wanted. A link that is not `standing` keeps the non-participant policy until a
    reservation sends from it. `suffixes` (link id -> number) are the numbers links' own objects already carry; a
    link without one gets the next free, shown in the result. Interfaces named in `exempt` are left out. Objects in
    `adopted` go by the names the router had for them. Raises InvalidInput naming the router, the link or the case
    that cannot be built.
    """
    if network.router(router) is None:
        raise InvalidInput(f"{router} is not a router of this network", field="router")
    network = network.part(router)
    sending: dict[str, list[Sls]] = {}
    for sls in sorted(reservations, key=lambda sls: sls.id):
        sending.setdefault(sls.source_link, []).append(sls)

    wanted = Wanted(scheme, profile, numbers=dict(suffixes or {}))
    left_out = frozenset(exempt)
    interfaces: list[ManagedInterface] = []
    # Who participates is numbered first: an appendix's own names are for the first link that authorises anybody.
    for link in sorted(network.access_links, key=lambda link: (link.case == NON_PARTICIPANT, link.id)):
        if link.router != router or link.interface in left_out:
            continue
        interfaces.append(ManagedInterface(link.interface, link.pvc, Role.ACCESS, link.id))
        _add_access(wanted, link, sending.get(link.id, []), network)
    for peering in sorted(network.peerings, key=lambda peering: peering.id):
        if peering.router == router and peering.interface not in left_out:
            interfaces.append(ManagedInterface(peering.interface, peering.pvc, Role.PEERING, peering.id))
            wanted.bind(peering.interface, peering.pvc, "input", wanted.closed(peering, network))
            if scheme.border_output is not None:
                wanted.bind(peering.interface, peering.pvc, "output", wanted.policy(scheme.border_output))
    for core in sorted(network.core_links, key=lambda core: core.id):
        for end, interface in ((core.a_router, core.a_interface), (core.z_router, core.z_interface)):
            if end == router and interface not in left_out:
                interfaces.append(ManagedInterface(interface, None, Role.CORE, core.id))
                if not wanted.refuses_queues(network, router, interface):
                    wanted.bind(interface, None, "output", wanted.policy(scheme.core_policy))
    for template_name, class_template in scheme.class_maps.items():
        # A class no policy uses is written only when its option asks for it (Appendix A's OTHER).
        if class_template.emit is not None and scheme.emitted(template_name):
            wanted.class_maps.setdefault(template_name, class_map(class_template, template_name, ()))
    numbers = wanted.numbers
    intent = RouterIntent(
        router=router,
        access_lists=tuple(wanted.access_lists[name] for name in sorted(wanted.access_lists)),
        class_maps=tuple(wanted.class_maps[name] for name in sorted(wanted.class_maps)),
        policy_maps=tuple(wanted.policy_maps[name] for name in sorted(wanted.policy_maps)),
        bindings=frozenset(wanted.bindings),
        interfaces=tuple(sorted(interfaces)),
        suffixes={entry.link: numbers[entry.link] for entry in interfaces if entry.link in numbers},
        warnings=(*_declared(scheme), *scheme.plan_notes, *dict.fromkeys(wanted.warnings)),
        markings=Markings(scheme.premium_dscps, scheme.allowed_dscps, scheme.excepted(UNPOLICED) is not None),
    )
    bandwidths = {link.id: link.bw_bps for link in network.access_links}
    bandwidths |= {link.id: link.bw_bps for link in network.peerings}
    bandwidths |= {link.id: link.bw_bps for link in network.core_links}
    return under_adopted_names(intent, adopted, bandwidths)


def effective_case(link: AccessLinkValue, reservations: Sequence[Sls]) -> str:
    """The access case that applies now: the link's own when it is standing or a reservation sends from it."""
    return link.case if link.standing or reservations else NON_PARTICIPANT


def _declared(scheme: Scheme) -> list[str]:
    """What the scheme's document does against a rule of ours: said in every plan."""
    return [f"{each.rule}: {each.text} ({each.provenance})" for each in scheme.exceptions]


def _add_access(wanted: Wanted, link: AccessLinkValue, reservations: Sequence[Sls], network: Network) -> None:
    scheme = wanted.scheme
    case = effective_case(link, reservations)
    template = scheme.case_policy(case)
    if not link.standing:
        # It stays on the router while a reservation has the interface: baseline is not taken away and brought back.
        wanted.closed(link, network)
    if case == NON_PARTICIPANT and reservations:
        raise InvalidInput(
            f"{link.id} does not participate and cannot send {reservations[0].id}", field="case"
        )
    if case == NON_PARTICIPANT:
        policy = wanted.closed(link, network)
    else:
        policy = _input_policy(wanted, link, template, reservations, network)
    wanted.bind(link.interface, link.pvc, "input", policy)
    wanted.say_unshaped(link, template, network)
    output = neighbours.outward(scheme, link, scheme.access_output(link.interface))
    if output is not None and not wanted.refuses_queues(network, link.router, link.interface):
        wanted.bind(link.interface, link.pvc, "output", _output_policy(wanted, link, output, network))


def _input_policy(
    wanted: Wanted,
    link: AccessLinkValue,
    template: PolicyTemplate,
    reservations: Sequence[Sls],
    network: Network,
) -> str:
    scheme = wanted.scheme
    agreed = bool(link.dscp_map)
    grants = agreed or scheme.policer == "grants"
    if not grants and not any(has_access_list(scheme, entry) for entry in template.classes):
        return wanted.policy(template)
    names = wanted.names(link, network)
    classes: list[ClassTemplate] = []
    granted: dict[str, int] = {}
    bursts: dict[str, int] = {}
    flows = carried_classes(scheme, template, reservations)
    for each in flows:
        carried = _translated(wanted, link, each) if agreed else each
        name = carried.entry.class_name
        if name in scheme.class_maps and has_access_list(scheme, carried.entry):
            name = carried.class_name(names)
            _own_class(wanted, link, carried, name, names)
        pool = scheme.pool_of(carried.entry.services[0]) if carried.entry.services else None
        if grants and carried.entry.police is not None and pool is not None:
            together = [
                sls
                for flow in flows
                if flow.entry.class_name == each.entry.class_name
                for sls in flow.reservations
            ]
            granted[name] = _granted(wanted, link, carried, together, pool)
            bursts[name] = _bucket(link, carried, granted[name])
        classes.append(renamed(carried.entry, name))
    base = NEIGHBOUR_IN if agreed else template.name
    own = replace(template, name=names.of(base), classes=tuple(classes))
    wanted.classes(own)
    numbers = OwnNumbers(granted_bps=granted if grants else None, bursts=bursts, rest_dscp=scheme.rest_dscp)
    wanted.policy_maps[own.name] = policy_map(own, own.name, wanted.profile, numbers)
    return own.name


def _translated(wanted: Wanted, link: AccessLinkValue, carried: CarriedClass) -> CarriedClass:
    """The class by the neighbour's DSCP, its class-map wanted; the class itself where the map says nothing."""
    found = neighbours.inward(wanted.scheme, link, carried.entry)
    if found is None:
        return carried
    wanted.class_maps[found.class_map.name] = class_map(found.class_map, found.class_map.name, ())
    return replace(carried, entry=found.entry)


def _own_class(
    wanted: Wanted, link: AccessLinkValue, carried: CarriedClass, name: str, names: LinkNames
) -> None:
    """Want the access lists and the class-map, called `name`, for the reservations a class carries."""
    template = wanted.scheme.class_maps[carried.entry.class_name]
    if template.link_list is not None:
        wanted.neighbours_list(link, template, name, names)
        return
    base = template.access_list or ""
    reservations = carried.reservations
    lists = [
        access_list(carried.access_list(base, names, family), family, reservations)
        for family in (6, 4)
        if (family in wanted.scheme.families and carried.flow is None) or uses_family(reservations, family)
    ]
    wanted.access_lists.update({each.name: each for each in lists})
    wanted.warnings += wide_entries(reservations)
    wanted.class_maps[name] = class_map(template, name, tuple(each.name for each in lists))


def _granted(
    wanted: Wanted, link: AccessLinkValue, carried: CarriedClass, together: Sequence[Sls], pool: Pool
) -> int:
    """The rate of a policer to grants, bit/s: what was granted at layer 3 as this interface's frames are counted.

    The policers of all the flows of a class (`together` are their grants) are never above the share of its pool (D4.4.2v2
    section 2.5 a): where they would be, each is cut in proportion. A share in per cent of a link is of what the link carries,
    frames; a fixed one is of layer 3, as the grants are (@IRS measures payload).
    """
    header = framing_or_longest(link.interface).header_bytes

    def framed(grants: Iterable[Sls]) -> int:
        return sum(layer2_bps(sls.rate.bps, sls.smallest_packet_bytes, header) for sls in grants)

    own, all_framed = framed(carried.reservations), framed(together)
    granted, cap = sum(sls.rate.bps for sls in together), pool.access.of(link.base_bps)
    have = granted if pool.access.percent is None else all_framed
    if have <= cap:
        return own
    wanted.warnings.append(
        f"{link.id}: {rate_text(granted)} granted are {rate_text(all_framed)} with their headers, policed to the cap of "
        f"{rate_text(all_framed * cap // have)}: what conforms may exceed it"
    )
    return own * cap // have


def _bucket(link: AccessLinkValue, carried: CarriedClass, granted_bps: int) -> int:
    """The bucket of a policer to grants, bytes: the buckets that were asked for together, as frames are counted, written out
    because what a platform takes by itself differs from 4 ms to 250 ms (ios-facts 1.3).

    Never below 2 ms of the rate or 1000 bytes: a router raises those by itself and says so (ios-facts 3.3).
    """
    header = framing_or_longest(link.interface).header_bytes
    asked = sum(
        layer2_bytes(sls.bucket_bytes, sls.smallest_packet_bytes, header) for sls in carried.reservations
    )
    return max(asked, LEAST_BUCKET_BYTES, -(-granted_bps // _TWO_MILLISECONDS))


def _output_policy(wanted: Wanted, link: AccessLinkValue, template: PolicyTemplate, network: Network) -> str:
    """The policy outbound on an access link; one that shapes to the interface is the link's own."""
    if not template.per_interface and template.name != NEIGHBOUR_OUT:
        return wanted.policy(template)
    name = wanted.names(link, network).of(template.name)
    wanted.classes(template)
    wanted.policy_maps[name] = policy_map(template, name, wanted.profile, OwnNumbers(base_bps=link.base_bps))
    return name
