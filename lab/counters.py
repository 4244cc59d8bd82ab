"""Counters of an attached policy, and traffic that moves them honestly: classification, token buckets, marking."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from lab.errors import SpecError
from lab.names import parent_of
from lab.store import (
    AccessList,
    Ace,
    ClassMap,
    Configuration,
    Match,
    Point,
    Police,
    PolicyClass,
    PolicyMap,
    Shape,
)
from lab.trains import Train

# Policers count layer 2: bytes added to the layer-3 length per packet.
OVERHEAD = {"POS": 4, "Serial": 4, "ATM": 8, "GigabitEthernet": 14, "FastEthernet": 14, "Ethernet": 14,
            "TenGigabitEthernet": 14}  # fmt: skip
MOST_PACKETS = 2_000_000


@dataclass
class Colour:
    """Packets and bytes of one policer colour."""

    packets: int = 0
    bytes: int = 0

    def add(self, size: int) -> None:
        """Count one packet."""
        self.packets += 1
        self.bytes += size


@dataclass
class ClassCounters:
    """Counters of one class on one attachment; rates are bit/s of the last traffic. ``by_match`` is what fell under each match
    line of a match-any class, by its place: the first that matches counts.
    """

    packets: int = 0
    bytes: int = 0
    rate: int = 0
    drop_rate: int = 0
    dropped: int = 0
    marked: int = 0
    conformed: Colour = field(default_factory=Colour)
    exceeded: Colour = field(default_factory=Colour)
    violated: Colour = field(default_factory=Colour)
    by_match: dict[int, Colour] = field(default_factory=dict)
    conform_rate: int = 0
    exceed_rate: int = 0
    violate_rate: int = 0
    tokens: float | None = None
    excess_tokens: float = 0.0
    seen: float = 0.0

    def rates(self, before: ClassCounters, seconds: float) -> None:
        """Rates of the time since ``before``, in bit/s, cut to thousands as IOS shows them."""

        def rate(now: int, then: int) -> int:
            return int((now - then) * 8 / seconds) // 1000 * 1000

        self.rate = rate(self.bytes, before.bytes)
        self.drop_rate = rate(self.dropped, before.dropped)
        self.conform_rate = rate(self.conformed.bytes, before.conformed.bytes)
        self.exceed_rate = rate(self.exceeded.bytes, before.exceeded.bytes)
        self.violate_rate = rate(self.violated.bytes, before.violated.bytes)


Table = dict[str, ClassCounters]


@dataclass(frozen=True)
class Flow:
    """Traffic of one kind: layer-3 ``bytes`` per packet, ``rate_bps`` at layer 3."""

    dscp: int
    bytes: int
    rate_bps: int
    source: IPv4Address | IPv6Address | None
    destination: IPv4Address | IPv6Address | None
    flow_label: int
    protocol: str

    @classmethod
    def from_dict(cls, index: int, data: Mapping[str, object]) -> Flow:
        """Read one entry of ``packets``; raises SpecError."""
        where = f"packets[{index}]"
        try:
            source, destination = data.get("src"), data.get("dst")
            flow = cls(
                dscp=int(str(data.get("dscp", 0))),
                bytes=int(str(data.get("bytes", 1000))),
                rate_bps=int(str(data["rate_bps"])),
                source=ip_address(str(source)) if source else None,
                destination=ip_address(str(destination)) if destination else None,
                flow_label=int(str(data.get("flow_label", 0))),
                protocol=str(data.get("protocol", "")),
            )
        except (KeyError, ValueError) as error:
            raise SpecError(where, f"bad or missing {error}") from error
        if not 0 <= flow.dscp <= 63 or not 20 <= flow.bytes <= 65535 or flow.rate_bps <= 0:
            raise SpecError(where, "dscp 0-63, bytes 20-65535 and rate_bps above 0")
        return flow


def default_burst(train: Train, rate: int) -> int:
    """Bytes of a burst nobody typed (ios-facts 1.3): 250 ms of the rate as seen, or 4 ms as documented."""
    return max(1500, rate // 32 if train.default_burst == "250ms" else rate // 2000)


def effective(train: Train, police: Police, base_kbit: int) -> tuple[int, int, int, int]:
    """(cir, bc, pir, be) in bit/s and bytes; pir 0 without a peak rate, be 0 without a second bucket."""
    cir = base_kbit * 1000 * police.rate // 100 if police.percent else police.rate
    pir = 0
    if police.pir is not None:
        pir = base_kbit * 1000 * police.pir // 100 if police.percent else police.pir

    def size(value: int | None, ms: bool, rate: int) -> int:
        if value is None:
            return default_burst(train, rate)
        return rate * value // 8000 if ms else value

    bc = size(police.bc, police.bc_ms, cir)
    return cir, bc, pir, size(police.be, police.be_ms, pir or cir) if police.two_buckets else 0


def classify(train: Train, config: Configuration, policy: PolicyMap, flow: Flow) -> str:
    """The first class of the policy that matches (order counts), else class-default."""
    for entry in policy.classes:
        item = config.class_maps.get(entry.name)
        if item is not None and matches(train, config, item, flow):
            return entry.name
    return "class-default"


def matches(train: Train, config: Configuration, item: ClassMap, flow: Flow) -> bool:
    """match-all or match-any over the lines; a class without lines matches nothing."""
    results = [_line(train, config, match, flow) != match.negated for match in item.matches]
    return bool(results) and (all(results) if item.mode == "match-all" else any(results))


def first_match(train: Train, config: Configuration, item: ClassMap, flow: Flow) -> int | None:
    """The place of the first line that matches; None where none does, as in a class of exceptions."""
    found = (
        place
        for place, match in enumerate(item.matches)
        if _line(train, config, match, flow) != match.negated
    )
    return next(found, None)


def _line(train: Train, config: Configuration, match: Match, flow: Flow) -> bool:
    kind = match.kind
    if kind == "any":
        return True
    is_v6 = not isinstance(flow.source, IPv4Address)
    if kind.startswith("ip ") and is_v6:
        return False  # ios-facts N4: `match ip dscp` is IPv4 only
    if kind.endswith("dscp"):
        return flow.dscp in match.values
    if kind.endswith("precedence"):
        return flow.dscp >> 3 in match.values
    if kind.startswith("access-group"):
        acl = config.access_lists.get(str(match.values[0]))
        if acl is None or not acl.entries:
            return train.missing_acl == "everything"  # ios-facts 2.7, U4
        return permits(acl, flow)
    if kind == "class-map":
        nested = config.class_maps.get(str(match.values[0]))
        return nested is not None and matches(train, config, nested, flow)
    return False


def permits(acl: AccessList, flow: Flow) -> bool:
    """First entry that matches decides; the end denies."""
    for _, ace in acl.ordered():
        if ace.remark is None and _entry(acl.family, ace, flow):
            return ace.action == "permit"
    return False


def _entry(family: str, ace: Ace, flow: Flow) -> bool:
    if (family == "ipv6") == isinstance(flow.source, IPv4Address):
        return False
    if ace.protocol not in ("ipv6", "ip", "", flow.protocol):
        return False
    if ace.dscp is not None and ace.dscp != flow.dscp:
        return False
    if ace.flow_label is not None and ace.flow_label != flow.flow_label:
        return False
    return _address(ace.source, flow.source) and _address(ace.destination or "any", flow.destination)


def _address(pattern: str, address: IPv4Address | IPv6Address | None) -> bool:
    if pattern == "any":
        return True
    if address is None:
        return False
    if pattern.startswith("host "):
        return ip_address(pattern[5:]) == address
    if isinstance(address, IPv6Address):
        return address in IPv6Network(pattern)
    network, _, wildcard = pattern.partition(" ")
    mask = ~int(IPv4Address(wildcard or 0)) & 0xFFFFFFFF
    return int(address) & mask == int(IPv4Address(network)) & mask


def child_base_kbit(train: Train, entry: PolicyClass, base_kbit: int) -> int:
    """The percent base of a child policy: the rate its parent class shapes or polices to (ios-facts 1.4)."""
    shape = entry.actions.get("shape")
    if isinstance(shape, Shape):
        return base_kbit * shape.rate // 100 if shape.percent else shape.rate // 1000
    police = entry.actions.get("police")
    if isinstance(police, Police):
        return effective(train, police, base_kbit)[0] // 1000
    return base_kbit


@dataclass
class Offer:
    """One run of traffic through an attachment: classes of a child count under ``PARENT/CHILD``."""

    train: Train
    config: Configuration
    table: Table

    def packet(self, policy: PolicyMap, prefix: str, flow: Flow, size: int, now: float, base: int) -> None:
        """Classify, count, police, mark, and hand what is left to the child policy."""
        name = classify(self.train, self.config, policy, flow)
        counters = self.table.setdefault(prefix + name, ClassCounters())
        counters.packets += 1
        counters.bytes += size
        self._match(name, counters, flow, size)
        entry = policy.find(name)
        if entry is None:
            return
        police = entry.actions.get("police")
        if isinstance(police, Police) and "drop" in self._police(police, counters, size, now, base):
            counters.dropped += size
            return
        if any(word.startswith("set ") for word in entry.actions):
            counters.marked += 1
        child = self.config.policy_maps.get(str(entry.actions.get("service-policy", "")))
        if child is not None:
            inner = child_base_kbit(self.train, entry, base)
            self.packet(child, f"{prefix}{name}/", flow, size, now, inner)

    def _match(self, name: str, counters: ClassCounters, flow: Flow, size: int) -> None:
        item = self.config.class_maps.get(name)
        if item is not None and item.mode == "match-any":
            place = first_match(self.train, self.config, item, flow)
            if place is not None:
                counters.by_match.setdefault(place, Colour()).add(size)

    def _police(
        self, police: Police, counters: ClassCounters, size: int, now: float, base: int
    ) -> tuple[str, ...]:
        """One packet against the token buckets (RFC 2697, RFC 2698); returns the actions of its colour."""
        cir, bc, pir, be = effective(self.train, police, base)
        if counters.tokens is None:
            counters.tokens, counters.excess_tokens, counters.seen = float(bc), float(be), now
        earned, counters.seen = (now - counters.seen) * cir / 8, now
        overflow = max(0.0, counters.tokens + earned - bc)
        counters.tokens = min(float(bc), counters.tokens + earned)
        if pir:
            gained = earned * pir / cir
            counters.excess_tokens = min(float(be), counters.excess_tokens + gained)
        else:
            counters.excess_tokens = min(float(be), counters.excess_tokens + overflow)
        if pir and counters.excess_tokens < size:
            counters.violated.add(size)
            return police.violate or ("drop",)
        if counters.tokens >= size:
            counters.tokens -= size
            counters.excess_tokens -= size if pir else 0
            counters.conformed.add(size)
            return police.conform or ("transmit",)
        if be and not pir and counters.excess_tokens < size:
            counters.violated.add(size)
            return police.violate or ("drop",)
        if be:
            counters.excess_tokens -= size
        counters.exceeded.add(size)
        return police.exceed or ("drop",)


def offer(
    train: Train,
    config: Configuration,
    point: Point,
    policy: PolicyMap,
    table: Table,
    flows: list[Flow],
    seconds: float,
) -> None:
    """Send the flows through the attachment for ``seconds``, packet by packet in order of time.

    Every bucket is full at the start. Raises SpecError for more than MOST_PACKETS packets.
    """
    expected = sum(flow.rate_bps * seconds / (8 * flow.bytes) for flow in flows)
    if expected > MOST_PACKETS:
        raise SpecError("packets", f"{int(expected)} packets are more than {MOST_PACKETS}; shorten the time")
    base = config.bandwidth_kbit(point[0], point[1]) or 0
    overhead = OVERHEAD.get(parent_of(point[0]).rstrip("0123456789/"), 0)
    for counters in table.values():
        counters.tokens = None
    before = deepcopy(table)
    run = Offer(train, config, table)
    queue = [(0.0, index, 0) for index in range(len(flows))]
    while queue:
        now, index, sent = heapq.heappop(queue)
        flow = flows[index]
        run.packet(policy, "", flow, flow.bytes + overhead, now, base)
        following = (sent + 1) * 8 * flow.bytes / flow.rate_bps
        if following < seconds:
            heapq.heappush(queue, (following, index, sent + 1))
    for name, counters in table.items():
        counters.rates(before.get(name, ClassCounters()), seconds)
