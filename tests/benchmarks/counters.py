"""`show policy-map interface` of a large router, read into typed counters; those of a thousand routers, again and again."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

from provisioning.errors import ParseFailure
from provisioning.pipeline.counters import parse
from tests.benchmarks import genie, usage_polls
from tests.benchmarks.timing import Row, side_by_side

SHAPES = Path(__file__).parent.parent / "pipeline" / "counters" / "shapes"
LARGE = (10, 100, 1000)
ROUNDS = 3


def output(interfaces: int) -> str:
    """What a 7200 with HQF prints, with our own names and numbers."""
    blocks = []
    for number in range(interfaces):
        classes = "".join(
            f"""
    Class-map: CM-{member} (match-all)
      {number * 100 + member} packets, {number * 1000} bytes
      5 minute offered rate {number}000 bps, drop rate 0 bps
      Match:  dscp ef (46)
      police:
          cir 5 %
          cir 7750000 bps, bc 242187 bytes
        conformed {number} packets, {number * 64} bytes; actions:
          transmit
        exceeded 0 packets, 0 bytes; actions:
          drop
        conformed 0 bps, exceed 0 bps
"""
            for member in range(4)
        )
        blocks.append(
            f" GigabitEthernet{number // 48}/{number % 48}\n\n  Service-policy input: PM-{number}\n{classes}"
        )
    return "\n".join(blocks)


def run() -> list[Row]:
    """Ours and genie's on the same texts in the same run; then a thousand routers, unless ROUTERS is 0."""
    texts = [output(interfaces) for interfaces in LARGE]
    shapes = [_shown(folder) for folder in sorted(SHAPES.iterdir())]
    beside: list[dict[str, object]] = []
    try:
        # One round each where a text takes genie minutes.
        beside = genie.measure([(text, 1) for text in texts[:2]] + [(text, 1) for text in shapes])
    except genie.Unavailable as error:
        print(f"  genie cannot be measured here: {error}", flush=True)
    rows = []
    for interfaces, text, theirs in zip(LARGE, texts, [*beside[:2], {}, {}, {}], strict=False):
        assert len(parse(text)) == interfaces
        row = side_by_side(
            f"{interfaces} interfaces, {len(text.splitlines())} lines",
            partial(parse, text),
            {},
            rounds=ROUNDS,
            clock=time.process_time,
        )
        rows.append(_beside(row, theirs))
    rows += _of_shapes(shapes, beside[2:])
    return [*rows, *(usage_polls.run() if os.environ.get("ROUTERS") != "0" else ())]


def _of_shapes(shapes: list[str], beside: list[dict[str, object]]) -> list[Row]:
    """The sixty shapes: how many each reads, and the time for those that both do."""
    both = [text for text, theirs in zip(shapes, beside, strict=False) if "seconds" in theirs] or shapes
    row = side_by_side(
        f"the {len(both)} of {len(shapes)} shapes that both read",
        lambda: [parse(text) for text in both],
        {},
        rounds=ROUNDS,
        clock=time.process_time,
    )
    spent = [float(str(theirs["seconds"])) for theirs in beside if "seconds" in theirs]
    read = Row("shapes read, of " + str(len(shapes)), "shapes", sum(map(_is_read, shapes)))
    if beside:
        row.peers["genie"] = sum(spent)
        read.peers["genie"] = len(spent)
    return [row, read]


def _beside(row: Row, theirs: dict[str, object]) -> Row:
    if "seconds" in theirs:
        row.peers["genie"] = float(str(theirs["seconds"]))
    elif theirs:
        print(f"  genie refuses {row.name}: {theirs['error']}", flush=True)
    return row


def _shown(folder: Path) -> str:
    lines = (folder / "shown.txt").read_bytes().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("! "))


def _is_read(text: str) -> bool:
    try:
        return bool(parse(text, whole=True))
    except ParseFailure:
        return False
