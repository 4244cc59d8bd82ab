"""`show policy-map interface` of a large router, read into typed counters; those of a thousand routers, again and again."""

from __future__ import annotations

from functools import partial

from provisioning.pipeline.counters import parse
from tests.benchmarks import usage_polls
from tests.benchmarks.timing import Row, side_by_side


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
    rows = []
    for interfaces in (100, 1000):
        text = output(interfaces)
        assert len(parse(text)) == interfaces
        name = f"{interfaces} interfaces, {len(text.splitlines())} lines"
        rows.append(side_by_side(name, partial(parse, text), {}))
    return [*rows, *usage_polls.run()]
