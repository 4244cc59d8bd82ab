"""What is looked at: neighbours of the routing protocols, interfaces, the processor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

Protocol = Literal["BGP", "IS-IS", "OSPF", "OSPFv3"]


@dataclass(frozen=True, slots=True)
class Cpu:
    """How busy the processor was, in per cent: over the last five seconds, and over the last minute."""

    five_seconds: int
    one_minute: int

    def past(self, limit: int) -> bool:
        """Whether either is above the limit."""
        return max(self.five_seconds, self.one_minute) > limit

    def __str__(self) -> str:
        return f"{self.five_seconds} % over five seconds, {self.one_minute} % over a minute"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A neighbour in the router's own words (``Established``, ``Up``, ``FULL/DR``). ``closed`` where somebody shut it down."""

    state: str
    up: bool
    closed: bool = False


@dataclass(frozen=True)
class Health:
    """One look. ``neighbours`` by protocol and name, ``looked`` the protocols of which these are all, ``interfaces`` those that
    are not shut down: whether their line is up. ``unseen`` are sentences: what could not be looked at, and why.
    """

    neighbours: Mapping[tuple[Protocol, str], Neighbour] = field(default_factory=dict)
    looked: frozenset[Protocol] = frozenset()
    interfaces: Mapping[str, bool] = field(default_factory=dict)
    cpu: Cpu | None = None
    unseen: tuple[str, ...] = ()

    def with_interfaces(self, up: Mapping[str, bool]) -> Self:
        """The same with the interfaces that another command showed."""
        return replace(self, interfaces=dict(up))

    def to_json(self) -> dict[str, Any]:
        """As a push keeps it."""
        return {
            "neighbours": [
                [protocol, name, each.state, each.up, each.closed]
                for (protocol, name), each in sorted(self.neighbours.items())
            ],
            "looked": sorted(self.looked),
            "interfaces": dict(sorted(self.interfaces.items())),
            "cpu": None if self.cpu is None else [self.cpu.five_seconds, self.cpu.one_minute],
            "unseen": list(self.unseen),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What ``to_json`` made."""
        return cls(
            neighbours={
                (protocol, name): Neighbour(state, up, closed)
                for protocol, name, state, up, closed in data["neighbours"]
            },
            looked=frozenset(data["looked"]),
            interfaces=dict(data["interfaces"]),
            cpu=None if data["cpu"] is None else Cpu(*data["cpu"]),
            unseen=tuple(data["unseen"]),
        )
