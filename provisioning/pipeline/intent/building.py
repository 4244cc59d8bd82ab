"""Network, scheme and reservations -> what one router must hold (D4.4.2v2 section 2.6; Appendix A)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from provisioning.errors import InvalidInput
from provisioning.pipeline.intent.access_lists import access_list, uses_family, wide_entries
from provisioning.pipeline.intent.adopted import AdoptedObject, under_adopted_names
from provisioning.pipeline.intent.names import LinkNames, link_names
from provisioning.pipeline.intent.policies import class_map, policy_map
from provisioning.pipeline.intent.values import ManagedInterface, Role, RouterIntent
from provisioning.pipeline.mqc import CLASS_DEFAULT, AccessList, Binding, ClassMap, PolicyMap
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.scheme import PolicyTemplate, Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import AccessLinkValue, Network
from provisioning.pipeline.units import share_of

NON_PARTICIPANT = "non-participant"
FILTERED = "filtered"


@dataclass
class _Wanted:
    """Objects gathered while the interfaces are walked; a name is wanted once, with one content."""

    access_lists: dict[str, AccessList] = field(default_factory=dict)
    class_maps: dict[str, ClassMap] = field(default_factory=dict)
    policy_maps: dict[str, PolicyMap] = field(default_factory=dict)
    bindings: set[Binding] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)


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
    sending: dict[str, list[Sls]] = {}
    for sls in sorted(reservations, key=lambda sls: sls.id):
        sending.setdefault(sls.source_link, []).append(sls)

    wanted = _Wanted()
    numbers = dict(suffixes or {})
    left_out = frozenset(exempt)
    interfaces: list[ManagedInterface] = []
    for link in sorted(network.access_links, key=lambda link: link.id):
        if link.router != router or link.interface in left_out:
            continue
        interfaces.append(ManagedInterface(link.interface, link.pvc, Role.ACCESS, link.id))
        _add_access(wanted, scheme, profile, link, sending.get(link.id, []), numbers, network)
    for peering in sorted(network.peerings, key=lambda peering: peering.id):
        if peering.router == router and peering.interface not in left_out:
            interfaces.append(ManagedInterface(peering.interface, peering.pvc, Role.PEERING, peering.id))
            template = scheme.case_policy(NON_PARTICIPANT)
            _bind(wanted, peering.interface, peering.pvc, "input", _policy(wanted, scheme, profile, template))
    for core in sorted(network.core_links, key=lambda core: core.id):
        for end, interface in ((core.a_router, core.a_interface), (core.z_router, core.z_interface)):
            if end == router and interface not in left_out:
                interfaces.append(ManagedInterface(interface, None, Role.CORE, core.id))
                _bind(wanted, interface, None, "output", _policy(wanted, scheme, profile, scheme.core_policy))
    for template_name, class_template in scheme.class_maps.items():
        # A class no policy uses is written only when its option asks for it (Appendix A's OTHER).
        if class_template.emit is not None and scheme.emitted(template_name):
            wanted.class_maps.setdefault(template_name, class_map(class_template, template_name, ()))
    intent = RouterIntent(
        router=router,
        access_lists=tuple(wanted.access_lists[name] for name in sorted(wanted.access_lists)),
        class_maps=tuple(wanted.class_maps[name] for name in sorted(wanted.class_maps)),
        policy_maps=tuple(wanted.policy_maps[name] for name in sorted(wanted.policy_maps)),
        bindings=frozenset(wanted.bindings),
        interfaces=tuple(sorted(interfaces)),
        suffixes={entry.link: numbers[entry.link] for entry in interfaces if entry.link in numbers},
        warnings=tuple(wanted.warnings),
    )
    bandwidths = {link.id: link.bw_bps for link in network.access_links}
    bandwidths |= {link.id: link.bw_bps for link in network.peerings}
    bandwidths |= {link.id: link.bw_bps for link in network.core_links}
    return under_adopted_names(intent, adopted, bandwidths)


def effective_case(link: AccessLinkValue, reservations: Sequence[Sls]) -> str:
    """The access case that applies now: the link's own when it is standing or a reservation sends from it."""
    return link.case if link.standing or reservations else NON_PARTICIPANT


def _add_access(
    wanted: _Wanted,
    scheme: Scheme,
    profile: Profile,
    link: AccessLinkValue,
    reservations: Sequence[Sls],
    numbers: dict[str, int],
    network: Network,
) -> None:
    case = effective_case(link, reservations)
    template = scheme.case_policy(case)
    if not link.standing:
        # It stays on the router while a reservation has the interface: baseline is not taken away and brought back.
        _policy(wanted, scheme, profile, scheme.case_policy(NON_PARTICIPANT))
    if case == NON_PARTICIPANT:
        if reservations:
            raise InvalidInput(
                f"{link.id} does not participate and cannot send {reservations[0].id}", field="case"
            )
        _bind(wanted, link.interface, link.pvc, "input", _policy(wanted, scheme, profile, template))
        return
    if case != FILTERED and scheme.policer == "cap":
        _bind(wanted, link.interface, link.pvc, "input", _policy(wanted, scheme, profile, template))
        return
    names = link_names(scheme, numbers.setdefault(link.id, _next_number(network, link, numbers)), case)
    granted = _granted(scheme, link, template, reservations, wanted) if scheme.policer == "grants" else None
    classes: dict[str, str] = {}
    if case == FILTERED:
        classes = _filtered_class(wanted, scheme, names, reservations)
    for entry in template.classes:
        _class(wanted, scheme, entry.class_name, classes)
    wanted.policy_maps[names.policy] = policy_map(
        template, names.policy, profile, classes=classes, granted_bps=granted
    )
    _bind(wanted, link.interface, link.pvc, "input", names.policy)


def _filtered_class(
    wanted: _Wanted, scheme: Scheme, names: LinkNames, reservations: Sequence[Sls]
) -> dict[str, str]:
    """Add the link's access lists and class-map; return how its class is called in the policy."""
    lists = [access_list(names.access_list_v6, 6, reservations)]
    if uses_family(reservations, 4):
        lists.append(access_list(names.access_list_v4, 4, reservations))
    wanted.access_lists.update({entry.name: entry for entry in lists})
    wanted.warnings += wide_entries(reservations)
    template_name = scheme.names["filtered_class_map"]
    template = scheme.class_maps[template_name]
    wanted.class_maps[names.class_map] = class_map(
        template, names.class_map, tuple(entry.name for entry in lists)
    )
    return {template_name: names.class_map}


def _granted(
    scheme: Scheme,
    link: AccessLinkValue,
    template: PolicyTemplate,
    reservations: Sequence[Sls],
    wanted: _Wanted,
) -> dict[str, int]:
    """bit/s granted per service class, never above the cap of the class (D4.4.2v2 section 2.5 a)."""
    granted: dict[str, int] = {}
    for entry in template.classes:
        if entry.service is None or entry.police is None or scheme.pool_of(entry.service) is None:
            continue
        asked = sum(
            sls.rate.bps
            for sls in reservations
            if scheme.service_class(sls.service_class) == scheme.service_class(entry.service)
        )
        cap = share_of(link.base_bps, entry.police.percent)
        if asked > cap:
            wanted.warnings.append(f"{link.id}: {asked} bit/s granted, policed to the cap of {cap} bit/s")
        granted[entry.service] = min(asked, cap)
    return granted


def _policy(wanted: _Wanted, scheme: Scheme, profile: Profile, template: PolicyTemplate) -> str:
    """Want a policy that all links share, with its classes; return its name."""
    if template.name not in wanted.policy_maps:
        for entry in template.classes:
            _class(wanted, scheme, entry.class_name, {})
        wanted.policy_maps[template.name] = policy_map(template, template.name, profile)
    return template.name


def _class(wanted: _Wanted, scheme: Scheme, name: str, renamed: Mapping[str, str]) -> None:
    if name != CLASS_DEFAULT and name not in renamed and name not in wanted.class_maps:
        wanted.class_maps[name] = class_map(scheme.class_maps[name], name, ())


def _bind(wanted: _Wanted, interface: str, pvc: str | None, direction: str, policy: str) -> None:
    wanted.bindings.add(Binding(interface, pvc, direction, policy))


def _next_number(network: Network, link: AccessLinkValue, numbers: Mapping[str, int]) -> int:
    """The lowest number no other link of this router carries."""
    taken = {
        numbers[other.id]
        for other in network.access_links
        if other.router == link.router and other.id in numbers and other.id != link.id
    }
    number = 1
    while number in taken:
        number += 1
    return number
