"""Random intents of Linux routers, and what MQC says of a packet: an oracle that shares nothing with the product's Linux room."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from ipaddress import ip_address, ip_network

from hypothesis import strategies as st

from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import (
    AccessEntry,
    AccessList,
    Bandwidth,
    Binding,
    Bps,
    BurstBytes,
    ClassMap,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    Priority,
    QueueLimit,
    RandomDetect,
    SetField,
)

INTERFACES = ("eth1", "eth2", "eth3.100")
BANDWIDTHS = dict.fromkeys(INTERFACES, 155_520_000)
PREFIXES = ("2001:db8:a::/48", "2001:db8:a:1::/64", "2001:db8:b::/47", "2001:db8:c::1/128", "any")
V4 = ("10.0.0.0 0.255.255.255", "10.1.0.0 0.0.255.255", "host 10.1.2.3", "any")
EF = ClassMap("EF", matches=frozenset({Match("dscp", frozenset({46}))}))
LBE = ClassMap("LBE", matches=frozenset({Match("dscp", frozenset({8, 10}))}))
BEST_EFFORT = PolicyClass("class-default", frozenset({SetField("dscp", 0)}))

rates = st.one_of(
    st.integers(64_000, 900_000_000).map(Bps), st.integers(1, 30).map(lambda each: Percent(Decimal(each)))
)
bursts = st.none() | st.integers(1_000, 900_000).map(BurstBytes)
policers = st.builds(Police, rates, bursts)
labels = st.none() | st.integers(0, 2**20 - 1)


@st.composite
def entries(draw: st.DrawFn, family: int) -> str:
    place = st.sampled_from(PREFIXES if family == 6 else V4)
    text = f"permit {'ipv6' if family == 6 else 'ip'} {draw(place)} {draw(place)}"
    label = draw(labels) if family == 6 else None
    return text if label is None else f"{text} flow-label {label}"


@st.composite
def lists(draw: st.DrawFn, name: str, family: int) -> AccessList:
    texts = draw(st.lists(entries(family), min_size=1, max_size=3, unique=True))
    return AccessList(name, family, tuple(AccessEntry(10 * (at + 1), text) for at, text in enumerate(texts)))


@dataclass(frozen=True)
class Bound:
    """An input policy and what it refers to."""

    policy: PolicyMap
    classes: tuple[ClassMap, ...] = ()
    lists: tuple[AccessList, ...] = ()


@st.composite
def input_policies(draw: st.DrawFn, number: int) -> Bound:
    """NON-PARTICIPANT, TRUSTED-IN or FILTERED-IN, each as the scheme has it but for its numbers."""
    what = draw(st.sampled_from(("non-participant", "trusted", "filtered", "filtered-two")))
    lbe = PolicyClass("LBE", frozenset({Police(Percent(Decimal(1)), exceed=("transmit",))}))
    if what == "non-participant":
        return Bound(PolicyMap(f"P{number}", (BEST_EFFORT,)))
    if what == "trusted":
        ef = PolicyClass("EF", frozenset({draw(policers)}))
        return Bound(PolicyMap(f"P{number}", (ef, lbe, BEST_EFFORT)), (EF, LBE))
    named = [f"EF-{number}", *([f"WIRE-{number}"] if what == "filtered-two" else [])]
    found, classes, marked = [], [], []
    for name in named:
        own = [
            draw(lists(f"{name}-6", 6)),
            *draw(st.just([]) | st.builds(lambda each: [each], lists(f"{name}-4", 4))),
        ]
        found += own
        matches = frozenset(Match("access-group", frozenset({each.name})) for each in own)
        classes.append(ClassMap(name, "match-any" if len(own) > 1 else "match-all", matches))
        marked.append(PolicyClass(name, frozenset({SetField("dscp", 46), draw(policers)})))
    return Bound(PolicyMap(f"P{number}", (*marked, lbe, BEST_EFFORT)), (*classes, LBE), tuple(found))


@st.composite
def output_policies(draw: st.DrawFn, number: int) -> PolicyMap:
    strict = draw(st.sampled_from((Priority(), Priority("percent", Decimal(20)), Priority("kbps", 5_000))))
    rest: list[object] = draw(st.sampled_from(([], [RandomDetect("dscp")], [QueueLimit(200)])))
    shares = draw(st.sampled_from(([], [Bandwidth("percent", Decimal(2))], [Bandwidth("kbps", 3_001)])))
    classes = [PolicyClass("EF", frozenset({strict}))]
    if shares:
        classes.append(PolicyClass("LBE", frozenset({shares[0]})))
    return PolicyMap(f"O{number}", (*classes, PolicyClass("class-default", frozenset(rest))))  # type: ignore[arg-type]


@st.composite
def intents(draw: st.DrawFn) -> RouterIntent:
    """What a router of three interfaces must hold; each bound inwards, outwards, both or not at all."""
    bound: list[Bound] = []
    bindings: list[Binding] = []
    outwards: list[PolicyMap] = []
    for number, interface in enumerate(INTERFACES):
        if draw(st.booleans()):
            bound.append(draw(input_policies(number)))
            bindings.append(Binding(interface, None, "input", f"P{number}"))
        if draw(st.booleans()):
            outwards.append(draw(output_policies(number)))
            bindings.append(Binding(interface, None, "output", f"O{number}"))
    classes = {each.name: each for held in bound for each in held.classes} | {"EF": EF, "LBE": LBE}
    return RouterIntent(
        router="l1",
        access_lists=tuple(each for held in bound for each in held.lists),
        class_maps=tuple(classes.values()),
        policy_maps=(*(held.policy for held in bound), *outwards),
        bindings=frozenset(bindings),
    )


@dataclass(frozen=True)
class Packet:
    """What enters."""

    family: int
    source: str
    destination: str
    dscp: int
    flow_label: int


_HOSTS = {
    6: ("2001:db8:a::1", "2001:db8:a:1::1", "2001:db8:b::9", "2001:db8:c::1", "2001:db8:ffff::1"),
    4: ("10.0.0.1", "10.1.9.9", "10.1.2.3", "192.0.2.1"),
}


@st.composite
def packets(draw: st.DrawFn, intent: RouterIntent) -> Packet:
    """A packet, its label often one that some list asks for."""
    asked = [
        int(entry.text.split()[-1])
        for held in intent.access_lists
        for entry in held.entries
        if "flow-label" in entry.text
    ]
    family = draw(st.sampled_from((6, 4)))
    host = st.sampled_from(_HOSTS[family])
    label = draw(st.sampled_from((0, 7, *asked))) if family == 6 else 0
    return Packet(family, draw(host), draw(host), draw(st.sampled_from((0, 8, 10, 18, 46, 48))), label)


def class_of(intent: RouterIntent, policy: PolicyMap, packet: Packet) -> PolicyClass:
    """The first class of a policy-map that takes a packet, read from the words of the configuration."""
    classes = {each.name: each for each in intent.class_maps}
    held = {each.name: each for each in intent.access_lists}
    for entry in policy.classes:
        if entry.name == "class-default":
            return entry
        found = classes[entry.name]
        told = [_line_takes(match, packet, held) for match in found.matches]
        if any(told) if found.mode == "match-any" else all(told):
            return entry
    return PolicyClass("class-default")


def _line_takes(match: Match, packet: Packet, held: dict[str, AccessList]) -> bool:
    if match.kind == "dscp":
        return packet.dscp in match.values
    return any(
        _entry_takes(entry.text.split(), packet)
        for value in match.values
        for entry in held[str(value)].entries
    )


def _entry_takes(words: list[str], packet: Packet) -> bool:
    if words[1] != ("ipv6" if packet.family == 6 else "ip"):
        return False
    rest = words[2:]
    for address in (packet.source, packet.destination):
        if rest[0] == "any":
            inside, rest = True, rest[1:]
        elif rest[0] == "host":
            inside, rest = ip_address(rest[1]) == ip_address(address), rest[2:]
        elif packet.family == 6:
            inside, rest = ip_address(address) in ip_network(rest[0]), rest[1:]
        else:
            wild, base = int(ip_address(rest[1])), int(ip_address(rest[0]))
            inside, rest = int(ip_address(address)) | wild == base | wild, rest[2:]
        if not inside:
            return False
    return not rest or packet.flow_label == int(rest[1])
