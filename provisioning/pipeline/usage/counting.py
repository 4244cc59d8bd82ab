"""Counters as they are kept: one count for each class of each bound policy, however deep the class stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from provisioning.pipeline.counters import (
    ClassCounters,
    Colour,
    InterfacePolicyCounters,
    PoliceCounters,
)

_MOST: Final = 2**63
"""More is no count: a database has no place for it."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something is counted: policy and classes by their names on the router, so that another version of one is another
    place. ``classes`` is the class and those around it, the outermost first; ``pvc`` is empty where there is none. ``copy``
    tells apart what a router prints once for each of its line cards.
    """

    interface: str
    pvc: str
    direction: str
    policy: str
    classes: tuple[str, ...]
    copy: int = 1


@dataclass(frozen=True, slots=True)
class Count:
    """What was counted in all since the counters began, in packets and bytes as the router counts them, with the layer 2 header.

    None where the router does not print it. What a policer lets through, with another mark or not, is passed; dropped is what
    its action drops. ``queue_drops`` is what the queue of the class dropped. ``by_match`` are the packets of each match line,
    where the router counts them apart.
    """

    packets: int | None = None
    bytes: int | None = None
    passed_packets: int | None = None
    passed_bytes: int | None = None
    dropped_packets: int | None = None
    dropped_bytes: int | None = None
    queue_drops: int | None = None
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
    """Every class of every policy, by its place."""
    found: dict[Place, Count] = {}
    for bound in counters:
        for classes, entry in _classes(bound.classes, ()):
            copy = 1
            while (
                place := Place(bound.interface, bound.pvc or "", bound.direction, bound.policy, classes, copy)
            ) in found:
                copy += 1
            found[place] = _count(entry)
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
            yield from _classes(child.classes, here)


def _count(entry: ClassCounters) -> Count:
    passed, dropped = _colours(entry.police) if entry.police else ([], [])
    return Count(
        packets=_number(entry.packets),
        bytes=_number(entry.bytes),
        passed_packets=_all(each.packets for each in passed),
        passed_bytes=_all(each.bytes for each in passed),
        dropped_packets=_all(each.packets for each in dropped),
        dropped_bytes=_all(each.bytes for each in dropped),
        queue_drops=None if entry.queue is None else _number(entry.queue.total_drops),
        by_match={
            each.match: each.packets
            for each in entry.matched
            if each.packets is not None and each.packets < _MOST
        },
    )


def _colours(police: PoliceCounters) -> tuple[list[Colour], list[Colour]]:
    """The colours that are let through, and those that are dropped. Where the router prints no action, what conforms passes and
    the rest is dropped, as IOS does where none is configured.
    """
    passed: list[Colour] = []
    dropped: list[Colour] = [] if _drops(police) else [Colour(packets=0, bytes=0)]
    for colour, passes in ((police.conformed, True), (police.exceeded, False), (police.violated, False)):
        if colour is not None:
            lets_through = "drop" not in colour.actions if colour.actions else passes
            (passed if lets_through else dropped).append(colour)
    return passed, dropped


def _drops(police: PoliceCounters) -> bool:
    above = [each for each in (police.exceeded, police.violated) if each is not None]
    return any("drop" in each.actions or not each.actions for each in above)


def _number(count: int | None) -> int | None:
    return count if count is None or count < _MOST else None


def _all(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if _number(count) is not None and count is not None]
    return sum(known) if known else None
