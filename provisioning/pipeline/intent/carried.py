"""The classes of an input policy on one link, each with the reservations whose traffic it carries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from provisioning.pipeline.intent.names import LinkNames
from provisioning.pipeline.scheme import CLASS_DEFAULT, ClassTemplate, PolicyTemplate, Scheme
from provisioning.pipeline.sls import Prefix, Sls


@dataclass(frozen=True)
class CarriedClass:
    """One class of the policy: the template's, or one of a flow's own.

    `flow` is the id of the oldest reservation in a class per flow, which carries it and those that no packet tells from it.
    """

    entry: ClassTemplate
    reservations: tuple[Sls, ...]
    flow: str | None = None

    def class_name(self, names: LinkNames) -> str:
        """The class-map's name: of the link, or of the flow, whose id no other link has."""
        base = self.entry.class_name
        return names.of(base) if self.flow is None else f"{base}-{self.flow}"

    def access_list(self, base: str, names: LinkNames, family: int) -> str:
        """The access list's name for one IP version."""
        if self.flow is None:
            return names.access_list(base, family)
        return f"{base}-{self.flow}" + ("-v4" if family == 4 else "")


def carried_classes(
    scheme: Scheme, template: PolicyTemplate, reservations: Sequence[Sls]
) -> tuple[CarriedClass, ...]:
    """The classes in the order IOS tries them; a class per flow stands once for each of its reservations, oldest first.

    Reservations with packets in common have one class together: of two with the same addresses the first would take the packets
    of both, and drop what exceeds its own rate.
    """
    found: list[CarriedClass] = []
    for entry in template.classes:
        services = {scheme.service_class(name).name for name in entry.services}
        own = tuple(sls for sls in reservations if scheme.service_class(sls.service_class).name in services)
        if entry.per_flow:
            flows = sorted(own, key=lambda sls: (len(sls.id), sls.id))
            found += [CarriedClass(entry, tuple(group), group[0].id) for group in _told_apart(flows)]
        else:
            found.append(CarriedClass(entry, own))
    return tuple(found)


def _told_apart(flows: Iterable[Sls]) -> list[list[Sls]]:
    """The flows, those with packets in common together, directly or by others; in the order of their oldest."""
    groups: list[list[Sls]] = []
    for sls in flows:
        joined = [group for group in groups if any(_share_packets(sls, other) for other in group)]
        if not joined:
            groups.append([sls])
            continue
        first, *rest = joined
        for group in rest:
            first += group
            groups.remove(group)
        first.append(sls)
    return groups


def _share_packets(one: Sls, other: Sls) -> bool:
    # A label tells packets of IPv6 apart; IPv4 has none.
    labels = (one.flow_label, other.flow_label)
    apart = None not in labels and one.flow_label != other.flow_label
    anywhere = not one.destination_prefixes or not other.destination_prefixes
    return any(
        _overlap(one.source_prefixes, other.source_prefixes, family)
        and (anywhere or _overlap(one.destination_prefixes, other.destination_prefixes, family))
        for family in ((4,) if apart else (6, 4))
    )


def _overlap(some: Iterable[Prefix], others: Sequence[Prefix], family: int) -> bool:
    return any(a.version == b.version == family and a.overlaps(b) for a in some for b in others)


def has_access_list(scheme: Scheme, entry: ClassTemplate) -> bool:
    """Whether the class exists once per link (or flow) because its class-map matches an access list."""
    if entry.class_name == CLASS_DEFAULT:
        return False
    held = scheme.class_maps[entry.class_name]
    return held.access_list is not None or held.link_list is not None


def renamed(entry: ClassTemplate, name: str) -> ClassTemplate:
    """The class under the name it has on the router."""
    return replace(entry, class_name=name)
