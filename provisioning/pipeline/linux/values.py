"""What a Linux router holds of ours, as values: equal values are equal routers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from types import MappingProxyType
from typing import Final

from provisioning.errors import InvalidInput

TABLE: Final = "expedite"
MAJOR: Final = "e611"
"""The handle of our queues: that of the NRENs' packs is e610."""
DEFAULT_MINOR: Final = 0xFF
LINK_MINOR: Final = 1
FIRST_MINOR: Final = 0x10
DEVICES: Final = "xp-"
"""What names of our policers' devices begin with."""

FIRST_PLACE: Final = 10_000
MOST_FILTERS: Final = 600
"""u32 has 2047 tables a device, one for each place; while filters change, old and new stand."""
GENERATIONS: Final = 3
GONE: Final = "(gone)"
"""The device of a filter of ours whose policer somebody took away."""

FOREIGN: Final = "(not ours)"
"""The counter of a rule that somebody else put into a chain of ours."""

IpNetwork = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Selector:
    """Which packets: of one family (4, 6), and of these only those that have all that is named; prefixes are canonical.

    Raises InvalidInput.
    """

    family: int
    dscp: int | None = None
    source: str | None = None
    destination: str | None = None
    flow_label: int | None = None

    def __post_init__(self) -> None:
        for name in ("source", "destination"):
            text = getattr(self, name)
            if text is None:
                continue
            try:
                prefix = ip_network(text)
            except ValueError as error:
                raise InvalidInput(str(error), field=name) from error
            if prefix.version != self.family:
                raise InvalidInput(f"{text} is not of family {self.family}", field=name)
            object.__setattr__(self, name, str(prefix) if prefix.prefixlen else None)

    def __str__(self) -> str:
        """As a person says it: ``ipv6 from 2001:db8::/32 dscp 46``."""
        words = (
            ("from", self.source),
            ("to", self.destination),
            ("flow-label", self.flow_label),
            ("dscp", self.dscp),
        )
        return " ".join(
            [f"ipv{self.family}", *(f"{word} {value}" for word, value in words if value is not None)]
        )

    def covers(self, other: Selector) -> bool:
        """Whether every packet of `other` is one of these."""
        return (
            self.family == other.family
            and self.dscp in (None, other.dscp)
            and self.flow_label in (None, other.flow_label)
            and _within(other.source, self.source)
            and _within(other.destination, self.destination)
        )

    def meets(self, other: Selector) -> bool:
        """Whether some packet can be of both."""
        return (
            self.family == other.family
            and (None in (self.dscp, other.dscp) or self.dscp == other.dscp)
            and (None in (self.flow_label, other.flow_label) or self.flow_label == other.flow_label)
            and _overlap(self.source, other.source)
            and _overlap(self.destination, other.destination)
        )


def _within(inner: str | None, outer: str | None) -> bool:
    if outer is None:
        return True
    return inner is not None and ip_network(inner).subnet_of(ip_network(outer))  # type: ignore[arg-type]


def _overlap(one: str | None, other: str | None) -> bool:
    return one is None or other is None or ip_network(one).overlaps(ip_network(other))


@dataclass(frozen=True, slots=True, order=True)
class Policer:
    """A token bucket on a device of its own: what has no token is dropped. bit/s and bytes of frames as the kernel has them."""

    device: str
    rate_bps: int
    burst_bytes: int


@dataclass(frozen=True, slots=True)
class Filter:
    """Packets that enter and go through a policer. Where it stands among others decides nothing but their order."""

    selector: Selector
    device: str
    place: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """Packets that are counted, marked with ``dscp`` (None: left as they are) and sent to the class ``minor`` of a queue."""

    selector: Selector
    counter: str
    dscp: int | None = None
    minor: int | None = None


@dataclass(frozen=True, slots=True)
class QueueClass:
    """One class of a queue: ``rank`` 0 is served first; rates in bit/s, ``packets`` wait at most."""

    minor: int
    rank: int
    rate_bps: int
    ceil_bps: int
    packets: int


@dataclass(frozen=True, slots=True)
class Queue:
    """The queue of an interface: its link's rate in bit/s and its classes, by number."""

    link_bps: int
    classes: tuple[QueueClass, ...] = ()


@dataclass(frozen=True, slots=True)
class Stranger:
    """Something that is not ours: a ``filter`` on what enters an interface, a ``queue`` of it, a ``rule`` in
    a chain of ours, or another part of our ``table``."""

    kind: str
    interface: str
    text: str


@dataclass(frozen=True)
class LinuxState:
    """All of ours on one router. By device: policers; by interface: filters, rules inwards and outwards, and queues.

    ``strangers`` are what is not ours and stands where ours could be wanted; ``digest`` is the router's own word for what
    was read, by which it knows whether it still holds that.
    """

    policers: Mapping[str, Policer] = field(default_factory=dict)
    filters: Mapping[str, tuple[Filter, ...]] = field(default_factory=dict)
    inward: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)
    outward: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)
    queues: Mapping[str, Queue] = field(default_factory=dict)
    strangers: tuple[Stranger, ...] = field(default=(), compare=False)
    digest: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("policers", "filters", "inward", "outward", "queues"):
            held = {key: value for key, value in sorted(getattr(self, name).items()) if value != ()}
            object.__setattr__(self, name, MappingProxyType(held))

    @property
    def counters(self) -> tuple[str, ...]:
        """Names of all counters, sorted."""
        return tuple(sorted({rule.counter for rule in self.rules()} - {FOREIGN}))

    def rules(self) -> Iterator[Rule]:
        """Every rule, inwards and outwards."""
        for held in (*self.inward.values(), *self.outward.values()):
            yield from held
