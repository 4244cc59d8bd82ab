"""Captures as people keep them: broken by a narrow terminal, with headers and queues of less common routers."""

from __future__ import annotations

from provisioning.pipeline.counters import parse

NARROW = """\
 GigabitEthernet0/0/0.7

  Service-policy output: EDGE-OUT

    Class-map: PREMIUM (match-any)
      30 packets, 400 bytes
      30 second offered rate 0000 bps, drop rate 0000 bps
      Match: ip dscp cs4 (32) af41 (34) af42 (36) af43 (38) cs5 (40) ef
(46)
      Priority: 20% (31000 kbps), burst bytes 775000, b/w exceed drops:
17

    Class-map: class-default (match-any)
      8 packets, 90 bytes
      30 second offered rate 0000 bps, drop rate 0000 bps
      Match: any
        dscp       Transmitted         Random drop      Tail
drop          Minimum        Maximum     Mark
                    pkts/bytes            pkts/bytes
pkts/bytes          thresh         thresh     prob

        cs3            1/20              3/40
5/60                 24            40  1/10
"""


def test_lines_broken_by_a_narrow_terminal_are_put_together() -> None:
    (bound,) = parse(NARROW)
    premium, rest = bound.classes
    assert premium.matches == ("ip dscp cs4 (32) af41 (34) af42 (36) af43 (38) cs5 (40) ef (46)",)
    assert premium.queue is not None
    assert premium.queue.priority_exceed_drops == 17
    assert rest.queue is not None
    (row,) = rest.queue.wred
    assert (row.value, row.transmitted, row.random_drop, row.tail_drop) == ("cs3", (1, 20), (3, 40), (5, 60))
    assert (row.minimum, row.maximum, row.denominator) == (24, 40, 10)
    assert premium.other_lines == rest.other_lines == ()


def bound_to(header: str) -> str:
    text = f"""\
 POS9/9

  Service-policy input: FIRST

    Class-map: class-default (match-any)
      1 packets, 2 bytes
      Match: any
{header}

  Service-policy output: SECOND

    Class-map: class-default (match-any)
      3 packets, 4 bytes
      Match: any
"""
    first, second = parse(text)
    assert first.interface == "POS9/9"
    assert first.classes[0].other_lines == ()
    return second.interface


def test_every_header_ends_the_interface_before() -> None:
    assert bound_to(" Service Group 3") == "Service Group 3"
    assert bound_to("serial3/1") == "serial3/1"
    assert bound_to("gigabitethernet0/1.20") == "gigabitethernet0/1.20"


def test_a_queue_of_a_line_card_that_queues_by_itself() -> None:
    (bound,) = parse(
        """\
 Serial3/0/0

  Service-policy output: CORE

    Class-map: EF (match-all)
      90 packets, 9000 bytes
      5 minute offered rate 0 bps, drop rate 0 bps
      Match: ip dscp ef
      queue size 2, queue limit 310
      packets output 83, packet drops 7
      tail/random drops 3, no buffer drops 4, other drops 0
"""
    )
    queue = bound.classes[0].queue
    assert queue is not None
    assert (queue.depth, queue.limit) == (2, 310)
    assert (queue.output_packets, queue.total_drops, queue.no_buffer_drops) == (83, 7, 4)


def test_a_queue_of_a_10000() -> None:
    (bound,) = parse(
        """\
ATM3/0/0.9: VC 5/32 -

  Service-policy output: GOLD

    Class-map: EF (match-all)
      70 packets, 7000 bytes
      5 minute offered rate 0 bps, drop rate 0 bps
      Match: ip precedence 5
      Output queue: 3/512; 60/6000 packets/bytes output, 10/1000 drops
      Police:
        8000 bps, 5000 limit, 6000 extended limit
        conformed 60 packets, 6000 bytes; action: transmit
        exceeded 6 packets, 600 bytes; action: drop
        violated 4 packets, 400 bytes; action: drop
      Absolute priority
"""
    )
    (ef,) = bound.classes
    assert (bound.interface, bound.pvc) == ("ATM3/0/0.9", "5/32")
    assert ef.queue is not None
    assert (ef.queue.depth, ef.queue.limit, ef.queue.total_drops) == (3, 512, 10)
    assert (ef.queue.output_packets, ef.queue.output_bytes) == (60, 6000)
    assert ef.police is not None
    assert ef.police.violated is not None
    assert (ef.police.exceeded.packets, ef.police.violated.packets) == (6, 4)
