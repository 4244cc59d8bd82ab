"""Hand-made routers side by side -> the links between them, and what every other interface looks like."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from provisioning.pipeline.adoption.overlaps import of_one_alone, on_one_link
from provisioning.pipeline.adoption.text import InterfaceText, RouterText
from provisioning.pipeline.adoption.values import CORE, Found, Verdict
from provisioning.pipeline.scheme import NON_PARTICIPANT

_PEER_WORDS = re.compile(r"\b(?:peer(?:ing)?|transit|upstream|ix|exchange)\b", re.IGNORECASE)
_SPEED = re.compile(
    r"(?:stm|oc|ds|ge|fe|te|e|t)-?[0-9]*|(?:pos|atm|serial|[a-z]*ethernet)[0-9]*", re.IGNORECASE
)
_NOT_NAMES = frozenset(
    {"to", "access", "link", "customer", "cust", "nren", "core", "backbone", "peering", "peer", "transit", "stm",
     "upstream", "connection", "uplink", "the", "for", "of", "via", "circuit", "pop", "router", "interface"}
)  # fmt: skip


@dataclass(frozen=True)
class CorePair:
    """Two interfaces on one subnet, and what else says, or does not say, that it is a link of the backbone."""

    a: tuple[str, InterfaceText]
    z: tuple[str, InterfaceText]
    subnet: str
    why: str


@dataclass(frozen=True)
class EdgeProposal:
    """An interface that is no core link: an access link, a peering, or neither, with the reason and what is not known.

    `kind` is ``access``, ``peering`` or ``other``; `case` the access case it is in, or of another the nearest, empty when
    there is none; `organisation` a name out of the description, empty when it has none.
    """

    router: str
    interface: InterfaceText
    kind: str
    case: str
    organisation: str
    why: str

    @property
    def nren(self) -> str:
        """The NREN's name: out of the description, else one that says that it is unknown."""
        place = self.interface.name.translate(str.maketrans("/.:", "---"))
        return self.organisation or f"unknown-{self.router}-{place}"


@dataclass(frozen=True)
class NetworkProposal:
    """A whole network, as far as its running-configs say it; `unknown` is what a person has to say.

    `prefixes` are those that access lists authorise, by NREN, and `subnets` those that are on one link.
    """

    routers: tuple[RouterText, ...]
    core: tuple[CorePair, ...]
    edges: tuple[EdgeProposal, ...]
    unknown: tuple[str, ...]
    prefixes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    subnets: frozenset[str] = frozenset()


def propose(routers: Sequence[RouterText], found: Mapping[str, Sequence[Found]]) -> NetworkProposal:
    """Pair interfaces by subnet and judge the others by their policies; `found` is what was recognised, by router."""
    unknown = [f"{router.name}: {text}" for router in routers for text in router.unsure]
    pairs = _pairs(routers, found, unknown)
    used = {(name, interface.name) for pair in pairs for name, interface in (pair.a, pair.z)}
    edges: list[EdgeProposal] = []
    for router in routers:
        places = {(place.interface, place.direction): place for place in found.get(router.name, ())}
        for interface in router.interfaces:
            if (router.name, interface.name) in used or interface.is_loopback or interface.shutdown:
                continue
            if _is_parent(router, interface):
                continue
            edges.append(
                _edge(
                    router.name,
                    interface,
                    places.get((interface.name, "input")),
                    places.get((interface.name, "output")),
                )
            )
            if edges[-1].kind == "other":
                unknown.append(f"{router.name} {interface.name}: {edges[-1].why}")
            elif not edges[-1].organisation:
                unknown.append(f"{router.name} {interface.name}: whose it is is not in its description")
    edges = _spelled_once(edges)
    prefixes, shared = of_one_alone(_authorised(edges, found))
    subnets = on_one_link(
        [*(pair.subnet for pair in pairs), *(each for edge in edges for each in edge.interface.subnets)]
    )
    return NetworkProposal(tuple(routers), tuple(pairs), tuple(edges), (*unknown, *shared), prefixes, subnets)


def _spelled_once(edges: Sequence[EdgeProposal]) -> list[EdgeProposal]:
    """The same with every organisation spelled as where it comes first: GARR and Garr are one."""
    spelled: dict[str, str] = {}
    return [
        replace(edge, organisation=spelled.setdefault(edge.organisation.casefold(), edge.organisation))
        for edge in edges
    ]


def _authorised(edges: Sequence[EdgeProposal], found: Mapping[str, Sequence[Found]]) -> dict[str, set[str]]:
    """The sources that access lists authorise, by NREN."""
    sources: dict[str, set[str]] = {}
    for edge in edges:
        if edge.kind != "access":
            continue
        own = sources.setdefault(edge.nren, set())
        for place in found.get(edge.router, ()):
            if place.interface == edge.interface.name:
                own |= {grant.source for grant in place.grants if grant.sls is not None}
    return sources


def _pairs(
    routers: Sequence[RouterText], found: Mapping[str, Sequence[Found]], unknown: list[str]
) -> list[CorePair]:
    held = {
        (name, place.interface, place.direction): place.policy
        for name, places in found.items()
        for place in places
    }
    on: dict[str, list[tuple[str, InterfaceText]]] = {}
    for router in routers:
        for interface in router.interfaces:
            if not interface.is_loopback and not interface.shutdown:
                for subnet in sorted(interface.subnets):
                    on.setdefault(subnet, []).append((router.name, interface))
    pairs: dict[tuple[str, str, str, str], CorePair] = {}
    for subnet, ends in sorted(on.items()):
        names = {name for name, _ in ends}
        if len(ends) > 2 and len(names) > 1:
            said = ", ".join(f"{name} {interface.name}" for name, interface in ends)
            unknown.append(f"{subnet} is on {said}: a link has two ends")
            continue
        for a, z in combinations(ends, 2):
            if a[0] == z[0]:
                unknown.append(f"{subnet} is on two interfaces of {a[0]}: {a[1].name} and {z[1].name}")
                continue
            edge = [f"{end[0]} {end[1].name}" for end in (a, z) if (end[0], end[1].name, "input") in held]
            if edge:
                unknown.append(
                    f"{subnet} is on {a[0]} and {z[0]}, and {' and '.join(edge)} has an input policy"
                )
                continue
            if a[1].line_rate_bps is None and z[1].line_rate_bps is None:
                unknown.append(
                    f"{subnet} is on {a[0]} {a[1].name} and {z[0]} {z[1].name}, whose rate is not in the text"
                )
                continue
            key = (a[0], a[1].name, z[0], z[1].name)
            pairs.setdefault(key, CorePair(a, z, subnet, _evidence(a, z, subnet, held, unknown)))
    return list(pairs.values())


def _evidence(
    a: tuple[str, InterfaceText],
    z: tuple[str, InterfaceText],
    subnet: str,
    held: Mapping[tuple[str, str, str], str],
    unknown: list[str],
) -> str:
    """Why two interfaces are taken for one link; what only one end says goes to `unknown`."""
    place = f"{a[0]} {a[1].name} and {z[0]} {z[1].name}"
    said = [f"both ends are on {subnet}"]
    igp = a[1].igp + z[1].igp
    queues = sum((name, interface.name, "output") in held for name, interface in (a, z))
    for count, what in ((igp, "takes part in the IGP"), (queues, "has an output policy")):
        if count == 2:
            said.append(f"each {what}")
        elif count == 1:
            unknown.append(f"{place} are on {subnet}, and only one {what}")
    if not igp and not queues:
        unknown.append(f"{place} are on {subnet}; neither IGP nor policy says that it is a backbone link")
    return ", ".join(said)


def _edge(router: str, interface: InterfaceText, held: Found | None, out: Found | None) -> EdgeProposal:
    name = organisation(interface.description)
    if held is not None and held.verdict is Verdict.RECOGNISED and held.case != CORE:
        peering = bool(_PEER_WORDS.search(interface.description)) and held.case == NON_PARTICIPANT
        why = f"{held.policy} is {held.case}" + (
            ", and the description speaks of a peering" if peering else ""
        )
        if interface.line_rate_bps is None:
            why = f"{why}, and its rate is not in the text"
            return EdgeProposal(router, interface, "other", held.case, name, why)
        return EdgeProposal(router, interface, "peering" if peering else "access", held.case, name, why)
    if out is not None and out.verdict is Verdict.RECOGNISED and out.case == CORE:
        why = f"{out.policy} is the core policy, and no router read here is at the other end"
        return EdgeProposal(router, interface, "other", "", name, why)
    if held is not None:
        nearest = "" if held.case == CORE else held.case
        why = f"{held.policy} is not recognised (nearest {held.case or 'nothing'})"
        return EdgeProposal(router, interface, "other", nearest, name, why)
    if interface.igp:
        why = "it takes part in the IGP, and no router read here is at the other end"
    elif interface.addresses:
        why = "it has addresses and no input policy: an open edge"
    else:
        why = "it has neither address nor policy"
    return EdgeProposal(router, interface, "other", "", name, why)


def organisation(description: str) -> str:
    """The first word of a description that is written as a name is; empty when there is none."""
    for word in re.findall(r"[A-Za-z][A-Za-z0-9-]*", description):
        written = any(letter.isupper() for letter in word) and len(word) > 1
        if written and word.casefold() not in _NOT_NAMES and not _SPEED.fullmatch(word):
            return str(word)
    return ""


def _is_parent(router: RouterText, interface: InterfaceText) -> bool:
    """Whether only its subinterfaces carry traffic."""
    return not interface.addresses and any(
        other.name.startswith(f"{interface.name}.") for other in router.interfaces
    )
