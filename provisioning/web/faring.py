"""How a router fared before and after a push, as rows for its page: what became worse is marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provisioning.pipeline.health import Health, worsened


@dataclass(frozen=True)
class Fared:
    """One thing that was looked at, in the router's words; ``after`` is empty until it was looked at again."""

    what: str
    before: str
    after: str
    worse: bool


@dataclass(frozen=True)
class Faring:
    """Both looks: rows, interfaces that are well counted and not listed, and what was not looked at."""

    rows: tuple[Fared, ...]
    interfaces: int
    unseen: tuple[str, ...]
    looked_again: bool


def faring_of(kept: Mapping[str, Any] | None) -> Faring | None:
    """What a push kept of its two looks; None where there was none."""
    if not kept:
        return None
    before = Health.from_json(kept["before"])
    after = Health.from_json(kept["after"]) if kept.get("after") else None
    worse = {}
    if after is not None:
        worse = {each.what: each for each in worsened(before, after, cpu_limit=kept["cpu_limit"])}
    return Faring(
        rows=tuple(_rows(before, after, set(worse))),
        interfaces=sum(before.interfaces.values()),
        unseen=tuple(dict.fromkeys((*before.unseen, *(after.unseen if after else ())))),
        looked_again=after is not None,
    )


def _rows(before: Health, after: Health | None, worse: set[str]) -> list[Fared]:
    rows = []
    keys = set(before.neighbours) | (set(after.neighbours) if after else set())
    for protocol, name in sorted(keys):
        was = before.neighbours.get((protocol, name))
        now = after.neighbours.get((protocol, name)) if after else None
        what = f"{protocol} neighbour {name}"
        then = (
            now.state if now else "" if after is None else "gone" if protocol in after.looked else "not seen"
        )
        rows.append(Fared(what, was.state if was else "not there", then, what in worse))
    for name, up in sorted(before.interfaces.items()):
        if f"interface {name}" in worse:
            rows.append(Fared(f"interface {name}", "up" if up else "down", "down", worse=True))
    if before.cpu is not None:
        now_busy = "" if after is None else "not seen" if after.cpu is None else str(after.cpu)
        rows.append(Fared("the processor", str(before.cpu), now_busy, "the processor" in worse))
    return rows
