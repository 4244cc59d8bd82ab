"""The drops of a class-default with fair-queue, before and with HQF: where the losses of best effort are counted."""

from __future__ import annotations

import pytest

from provisioning.pipeline import counters

SHOWN = """\
 POS2/0

  Service-policy output: my_policy

    Class-map: class-default (match-any)
      900 packets, 90000 bytes
      5 minute offered rate 0 bps, drop rate 0 bps
      Match: any
      Queueing
        Flow Based Fair Queueing
      {line}
"""


@pytest.mark.parametrize(
    "line",
    [
        "(queue depth/total drops/no-buffer drops) 3/41/2",
        "(queue depth/total drops/no-buffer drops/flowdrops) 3/41/2/7",
        "(total queued/total drops/no-buffer drops) 3/41/2",
    ],
)
def test_the_drops_of_a_fair_queue_are_counted(line: str) -> None:
    (policy,) = counters.parse(SHOWN.format(line=line))
    queue = policy.classes[0].queue
    assert queue is not None
    assert (queue.depth, queue.total_drops, queue.no_buffer_drops) == (3, 41, 2)


def test_what_was_queued_is_what_a_queue_in_bytes_let_out() -> None:
    """The manual's byte-based WRED and percent shaping count "queued" where others say "output"."""
    (bound,) = counters.parse(
        """\
 POS4/1

  Service-policy output: BYTES-OUT (1210)

    Class-map: GOLD (match-all) (1211/3)
      640 packets, 96000 bytes
      5 minute offered rate 2560 bps, drop rate 0 bps
      Match: ip precedence 4  (1212)
      Queueing
      queue limit 62500 bytes
      (queue depth/total drops/no-buffer drops) 5/17/2
      (pkts queued/bytes queued) 623/93450
      bandwidth 2000 (kbps)
"""
    )
    (gold,) = bound.classes
    assert gold.queue is not None
    assert (gold.queue.output_packets, gold.queue.output_bytes) == (623, 93450)
    assert (gold.queue.depth, gold.queue.total_drops, gold.queue.no_buffer_drops) == (5, 17, 2)
    assert gold.other_lines == ()
