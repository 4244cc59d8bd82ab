"""How a benchmark is timed: in turn with its peers, medians of several rounds, ratios and not absolutes."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One line of the table. ``ratio`` says how many times better than the best peer ours is (less is better)."""

    name: str
    unit: str
    ours: float
    peers: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        return min(self.peers.values()) / self.ours if self.peers and self.ours else None

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "unit": self.unit,
            "ours": self.ours,
            "peers": self.peers,
            "ratio": self.ratio,
        }


def side_by_side(
    name: str,
    ours: Callable[[], object],
    peers: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> Row:
    """Medians in seconds over ``rounds``; each round runs everybody once, so that a slow moment hits all alike.

    Garbage is collected before each: nobody pays for what another left (a tree whose parts know their parents lies
    about until then, and collecting one of 24,000 lines took longer than our parse).
    ``clock`` is ``time.process_time`` for what only computes: then other programs on the machine do not count.
    """
    everybody = {"": ours, **peers}
    seconds: dict[str, list[float]] = {who: [] for who in everybody}
    for who, work in everybody.items():  # warm-up: imports, caches, connections
        work()
        seconds[who].clear()
    for _round in range(rounds):
        for who, work in everybody.items():
            gc.collect()
            began = clock()
            work()
            seconds[who].append(clock() - began)
    medians = {who: statistics.median(values) for who, values in seconds.items()}
    return Row(name, "s", medians.pop(""), medians)
