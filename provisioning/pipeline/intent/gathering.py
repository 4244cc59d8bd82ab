"""What one router has to hold, gathered interface by interface: an object is wanted once, with one content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from provisioning.pipeline.intent.access_lists import link_access_list
from provisioning.pipeline.intent.carried import has_access_list, renamed
from provisioning.pipeline.intent.names import LinkNames, link_names
from provisioning.pipeline.intent.policies import OwnNumbers, class_map, policy_map, unwritten_queues
from provisioning.pipeline.mqc import CLASS_DEFAULT, AccessList, Binding, ClassMap, PolicyMap
from provisioning.pipeline.platforms import Profile, Tag
from provisioning.pipeline.scheme import (
    NON_PARTICIPANT,
    ClassMapTemplate,
    ClassTemplate,
    PolicyTemplate,
    Scheme,
)
from provisioning.pipeline.topology import AccessLinkValue, Network, PeeringValue

Edge = AccessLinkValue | PeeringValue
"""Where a neighbour enters: both kinds have an id, a router and the addresses of the link itself."""


@dataclass
class Wanted:
    """Objects gathered while the interfaces are walked; a name is wanted once, with one content."""

    scheme: Scheme
    profile: Profile
    numbers: dict[str, int]
    access_lists: dict[str, AccessList] = field(default_factory=dict)
    class_maps: dict[str, ClassMap] = field(default_factory=dict)
    policy_maps: dict[str, PolicyMap] = field(default_factory=dict)
    bindings: set[Binding] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    def policy(self, template: PolicyTemplate) -> str:
        """Want a policy that all links share, with its classes and the policies inside it; return its name."""
        if template.name not in self.policy_maps:
            self.classes(template)
            self.policy_maps[template.name] = policy_map(template, template.name, self.profile)
        return template.name

    def classes(self, template: PolicyTemplate) -> None:
        """Want what a policy refers to and nobody has wanted yet; say what of it this router cannot be told."""
        within = {entry.child for each in self.scheme.policies.values() for entry in each.classes}
        self.warnings += unwritten_queues(template, self.profile, inside=template.name in within)
        for entry in template.classes:
            name = entry.class_name
            if name != CLASS_DEFAULT and name not in self.class_maps:
                self.class_maps[name] = class_map(self.scheme.class_maps[name], name, ())
            if entry.child is not None:
                self.policy(self.scheme.policies[entry.child])

    def bind(self, interface: str, pvc: str | None, direction: str, policy: str) -> None:
        self.bindings.add(Binding(interface, pvc, direction, policy))

    def refuses_queues(self, network: Network, router: str, interface: str) -> bool:
        """Whether the interface is on a card that takes no output policy; a plan then says so."""
        engine = network.engine_at(router, interface)
        if self.scheme.outputs.stand_on(engine):
            return False
        self.warnings.append(
            f"{interface}: a card of Engine {engine} takes no output policy, so nothing is queued first there"
        )
        return True

    def say_unshaped(self, link: AccessLinkValue, template: PolicyTemplate, network: Network) -> None:
        """Say of a class that is to be shaped where it enters (@IRS section 2.2.3.1) why this edge does not."""
        found = network.router(link.router)
        card = None if found is None else found.engine_of(link.interface)
        names = {name for entry in template.classes for name in entry.services}
        for service in self.scheme.classes:
            if service.shaped and names & {service.name, service.abbreviation}:
                why = self.profile.why_not_shaped(None if card is None else card[1], link.interface)
                self.warnings.append(
                    f"{link.interface}: {service.title} is not shaped on input by {self.profile}: {why.source}"
                    f"{', likely' if why.tag is Tag.LIKELY else ''}"
                )

    def names(self, edge: Edge, network: Network) -> LinkNames:
        """The names of the edge's own objects; an edge without a number gets the next free one."""
        return link_names(self.numbers.setdefault(edge.id, _next_number(network, edge, self.numbers)))

    def closed(self, edge: Edge, network: Network) -> str:
        """Want the policy of an edge that does not participate, with its own list of the neighbour's routing packets where
        the scheme exempts those; return its name.
        """
        template = self.scheme.case_policy(NON_PARTICIPANT)
        if not any(has_access_list(self.scheme, entry) for entry in template.classes):
            return self.policy(template)
        names = self.names(edge, network)
        classes: list[ClassTemplate] = []
        for entry in template.classes:
            name = entry.class_name
            if has_access_list(self.scheme, entry):
                name = names.of(name)
                self.neighbours_list(edge, self.scheme.class_maps[entry.class_name], name, names)
            classes.append(renamed(entry, name))
        own = replace(template, name=names.of(template.name), classes=tuple(classes))
        self.classes(own)
        self.policy_maps[own.name] = policy_map(
            own, own.name, self.profile, OwnNumbers(rest_dscp=self.scheme.rest_dscp)
        )
        return own.name

    def neighbours_list(self, edge: Edge, template: ClassMapTemplate, name: str, names: LinkNames) -> None:
        """Want the class-map `name` of what the neighbour on this edge sends to it, with the access list it matches."""
        own = link_access_list(names.of(template.link_list or ""), edge.prefix)
        self.access_lists[own.name] = own
        self.class_maps[name] = class_map(template, name, (own.name,))
        if not edge.prefix:
            self.warnings.append(
                f"{edge.id}: its own addresses are not in the inventory, so nothing is exempted"
            )


def _next_number(network: Network, edge: Edge, numbers: Mapping[str, int]) -> int:
    """The lowest number no other edge of this router carries."""
    edges: tuple[Edge, ...] = (*network.access_links, *network.peerings)
    taken = {
        numbers[other.id]
        for other in edges
        if other.router == edge.router and other.id in numbers and other.id != edge.id
    }
    number = 1
    while number in taken:
        number += 1
    return number
