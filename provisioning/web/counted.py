"""The counters of a push as rows for the page: one for each class, with what was policed and what was dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Counted:
    """One class at one place. Counts are None where the router did not print them.

    ``excess`` says what is done with what exceeds the rate; ``rate`` is the policer's as the router reckoned it, bit/s.
    """

    place: str
    policy: str
    name: str
    depth: int
    packets: int | None
    bytes: int | None
    rate: int | None
    conformed: int | None
    exceeded: int | None
    excess: str
    drops: int | None


def rows_of(counters: Iterable[Mapping[str, Any]] | None) -> list[Counted]:
    """The classes of every policy at work, in the order in which the router printed them."""
    found: list[Counted] = []
    for bound in counters or ():
        place = " ".join(filter(None, (bound.get("interface"), bound.get("pvc"), bound.get("direction"))))
        found += _classes(place, str(bound.get("policy", "")), bound.get("classes") or (), 0)
    return found


def _classes(place: str, policy: str, classes: Iterable[Mapping[str, Any]], depth: int) -> Iterator[Counted]:
    for each in classes:
        police, queue = each.get("police") or {}, each.get("queue") or {}
        conformed, exceeded = police.get("conformed") or {}, police.get("exceeded") or {}
        yield Counted(
            place=place,
            policy=policy,
            name=str(each.get("name", "")),
            depth=depth,
            packets=each.get("packets"),
            bytes=each.get("bytes"),
            rate=police.get("cir_bps"),
            conformed=conformed.get("packets"),
            exceeded=exceeded.get("packets"),
            excess=", ".join(exceeded.get("actions") or ()),
            drops=queue.get("total_drops"),
        )
        for child in each.get("children") or ():
            yield from _classes(place, str(child.get("policy", "")), child.get("classes") or (), depth + 1)
