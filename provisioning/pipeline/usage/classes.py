"""Which class of a router counts what: the link, the services, and the reservations whose traffic falls into it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from provisioning.pipeline.intent import ManagedInterface, Role, RouterIntent, carried_entries
from provisioning.pipeline.mqc import PolicyMap, base_name
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Network, framing_of
from provisioning.pipeline.usage.counting import Place


@dataclass(frozen=True, slots=True)
class UsedClass:
    """One class on one managed interface.

    ``services`` are the scheme's names of what it carries, none for the rest. ``requests`` are the ids of the reservations
    whose traffic enters by it, ``reserved_bps`` their sum at layer 3: of several nobody can tell who sent what, unless the
    scheme gives each a class of its own. ``header_bytes`` is the layer 2 header that is counted with each packet, None
    where the kind of interface does not say it.
    """

    link: str
    role: Role
    services: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    reserved_bps: int = 0
    header_bytes: int | None = None


Known = Mapping[tuple[str, str, str, str], UsedClass]
"""By interface, PVC, direction and the BASE name of the class."""


def used_classes(
    network: Network, scheme: Scheme, intended: RouterIntent, reservations: Iterable[Sls]
) -> Known:
    """Every class of every policy bound on the managed interfaces of one router while exactly `reservations` are on."""
    sending: dict[str, list[Sls]] = {}
    for sls in reservations:
        sending.setdefault(sls.source_link, []).append(sls)
    managed = {(each.interface, each.pvc): each for each in intended.interfaces}
    policies = {policy.name: policy for policy in intended.policy_maps}
    services = _services(scheme)
    found: dict[tuple[str, str, str, str], UsedClass] = {}
    for bound in sorted(intended.bindings, key=lambda each: (each.interface, each.pvc or "", each.direction)):
        place, policy = managed.get((bound.interface, bound.pvc)), policies.get(bound.policy)
        if place is None or policy is None:
            continue
        entering = _entering(network, scheme, place, policy, bound.direction, sending)
        for name in _class_names(policy, policies):
            carried, own = entering.get(name, (services.get(name, ()), ()))
            framing = framing_of(bound.interface)
            found[bound.interface, bound.pvc or "", bound.direction, name] = UsedClass(
                link=place.link,
                role=place.role,
                services=carried,
                requests=tuple(sls.id for sls in own),
                reserved_bps=sum(sls.rate.bps for sls in own),
                header_bytes=None if framing is None else framing.header_bytes,
            )
    return found


def class_at(place: Place, known: Known) -> UsedClass | None:
    """The class that is counted at `place`, by its own name or as a version of it; None on what is not managed."""
    where = (place.interface, place.pvc, place.direction)
    name = place.classes[-1]
    return known.get((*where, name)) or known.get((*where, base_name(name)[0]))


def series_of(place: Place, known: Known) -> tuple[str, str, str, str]:
    """Interface, PVC, direction and the path of BASE names: what stays when a policy or a class gets another version."""
    where = (place.interface, place.pvc, place.direction)
    path = [name if (*where, name) in known else base_name(name)[0] for name in place.classes]
    return (*where, " / ".join(path))


def _services(scheme: Scheme) -> dict[str, tuple[str, ...]]:
    """What a class of the scheme's policies carries, by its name."""
    found: dict[str, tuple[str, ...]] = {}
    for template in scheme.policies.values():
        for entry in template.classes:
            if entry.services:
                found.setdefault(
                    entry.class_name, tuple(scheme.service_class(name).name for name in entry.services)
                )
    return found


def _entering(
    network: Network,
    scheme: Scheme,
    place: ManagedInterface,
    policy: PolicyMap,
    direction: str,
    sending: Mapping[str, Sequence[Sls]],
) -> dict[str, tuple[tuple[str, ...], tuple[Sls, ...]]]:
    """Services and reservations by class of the input policy of an access link; of other policies nothing."""
    link = network.access_link(place.link) if place.role is Role.ACCESS and direction == "input" else None
    if link is None:
        return {}
    own = sending.get(link.id, [])
    pairs = carried_entries(scheme, link, own, policy)
    return {
        entry.name: (
            tuple(scheme.service_class(name).name for name in wanted.entry.services),
            wanted.reservations,
        )
        for wanted, entry in pairs
        if wanted.entry.services
    }


def _class_names(policy: PolicyMap, policies: Mapping[str, PolicyMap]) -> Iterator[str]:
    """The classes of a policy and of those inside it, and class-default, which is always there."""
    seen: set[str] = set()
    waiting = [policy.name]
    while waiting:
        inside = policies.get(waiting.pop())
        if inside is None or inside.name in seen:
            continue
        seen.add(inside.name)
        yield from (entry.name for entry in inside.classes)
        waiting += sorted(inside.children)
    yield "class-default"
