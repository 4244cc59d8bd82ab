"""Parse and diff of a large running-config, beside hier_config 3.7 on the same text.

Every round begins cold: the renderer, and what two texts have in common (`ios.Known`), are made anew in it, and no
digest is known. Ours returns the rollback too; hier_config's remediation is one way.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from functools import partial

from hier_config import Platform, get_hconfig

from provisioning.pipeline.diff import diff_configs, digest_of
from provisioning.pipeline.ios import Known, parse
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.benchmarks.edge_router import Size, running_config
from tests.benchmarks.timing import Row, side_by_side

ENVIRONMENT = ios_environment()
PEER = "hier_config-3.7"
FACTORS = {1.0: 21, 4.2: 5}
"""24,000 and 100,000 lines, and how many rounds of each: a short round is more easily disturbed."""


def ours(running: str, intended: str) -> object:
    digest_of.cache_clear()
    known = Known()
    return diff_configs(parse(running, known=known), parse(intended, known=known), Renderer(ENVIRONMENT))


def theirs(running: str, intended: str) -> object:
    before = get_hconfig(Platform.CISCO_IOS, running)
    return before.config_to_get_to(get_hconfig(Platform.CISCO_IOS, intended))


def one_parse(text: str) -> object:
    return parse(text)


def their_parse(text: str) -> object:
    return get_hconfig(Platform.CISCO_IOS, text)


def peak_mib(work: Callable[[], object]) -> float:
    """The most memory that Python held for the work at one time, its result included, in MiB."""
    gc.collect()
    tracemalloc.start()
    try:
        kept = work()
        del kept
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def run() -> list[Row]:
    rows = []
    both: list[Row] = []
    for factor, rounds in FACTORS.items():
        size = Size().times(factor)
        running, intended = running_config(size), running_config(size, rate=6)
        count = len(running.splitlines())
        found = partial(ours, running, intended), partial(theirs, running, intended)
        name = f"parse + diff, {count} lines"
        both.append(side_by_side(name, found[0], {PEER: found[1]}, rounds=rounds, clock=time.process_time))
        rows.append(both[-1])
        rows.append(
            side_by_side(
                f"parse alone, {count} lines",
                partial(one_parse, running),
                {PEER: partial(their_parse, running)},
                rounds=rounds,
                clock=time.process_time,
            )
        )
        rows.append(Row(f"memory, {count} lines", "MiB", peak_mib(found[0]), {PEER: peak_mib(found[1])}))
    small, large = both
    smallest, largest = FACTORS
    growth = partial(_growth, lines=largest / smallest)
    peers = {PEER: growth(small.peers[PEER], large.peers[PEER])}
    rows.append(Row("time per line, 100,000 to 24,000 lines", "times", growth(small.ours, large.ours), peers))
    return rows


def _growth(small: float, large: float, *, lines: float) -> float:
    """1 where time grows as the lines do."""
    return large / small / lines
