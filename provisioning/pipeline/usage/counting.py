"""Counters as they are kept: one count for each class of each bound policy, however deep the class stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from provisioning.pipeline.counters import (
    ChildPolicyCounters,
    ClassCounters,
    Colour,
    InterfacePolicyCounters,
)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something is counted: policy and classes by their names on the router, so that another version of one is another
    place. ``classes`` is the class and those around it, the outermost first; ``pvc`` is empty where there is none.
    """

    interface: str
    pvc: str
    direction: str
    policy: str
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """What was counted in all since the counters began, in packets and bytes as the router counts them, with the layer 2 header.

    None where the router does not print it. ``dropped`` is what its queue dropped; violated is counted as exceeded.
    ``by_match`` are the packets of each match line, where the router counts them apart.
    """

    packets: int | None = None
    bytes: int | None = None
    conformed_packets: int | None = None
    conformed_bytes: int | None = None
    exceeded_packets: int | None = None
    exceeded_bytes: int | None = None
    dropped_packets: int | None = None
    by_match: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """What is known of it; `from_json` reads it back."""
        said = {name: getattr(self, name) for name in NUMBERS}
        kept: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
        return kept | ({"by_match": dict(self.by_match)} if self.by_match else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Count:
        return cls(**data)


NUMBERS = tuple(each.name for each in fields(Count) if each.name != "by_match")


def counts_of(counters: Iterable[InterfacePolicyCounters]) -> dict[Place, Count]:
    """Every class of every policy; where a router prints a place twice (one for each line card), the sum."""
    found: dict[Place, Count] = {}
    for bound in counters:
        for classes, entry in _classes(bound.classes, ()):
            place = Place(bound.interface, bound.pvc or "", bound.direction, bound.policy, classes)
            count = _count(entry)
            found[place] = add(found[place], count) if place in found else count
    return found


def add(one: Count, other: Count) -> Count:
    """The sum; what only one of them says is as that one says it."""
    both = {name: _sum(getattr(one, name), getattr(other, name)) for name in NUMBERS}
    matches = {
        name: one.by_match.get(name, 0) + other.by_match.get(name, 0)
        for name in (*one.by_match, *other.by_match)
    }
    return Count(**both, by_match=matches)


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other


def _classes(
    entries: Iterable[ClassCounters], around: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], ClassCounters]]:
    for entry in entries:
        here = (*around, entry.name)
        yield here, entry
        for child in entry.children:
            yield from _inside(child, here)


def _inside(
    child: ChildPolicyCounters, around: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], ClassCounters]]:
    yield from _classes(child.classes, around)


def _count(entry: ClassCounters) -> Count:
    police, queue = entry.police, entry.queue
    conformed = police.conformed if police else Colour()
    above = [police.exceeded, police.violated or Colour()] if police else []
    return Count(
        packets=entry.packets,
        bytes=entry.bytes,
        conformed_packets=conformed.packets,
        conformed_bytes=conformed.bytes,
        exceeded_packets=_all(each.packets for each in above),
        exceeded_bytes=_all(each.bytes for each in above),
        dropped_packets=None if queue is None else queue.total_drops,
        by_match={each.match: each.packets for each in entry.matched if each.packets is not None},
    )


def _all(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
