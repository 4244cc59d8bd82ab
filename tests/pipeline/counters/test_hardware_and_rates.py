"""Policers in hardware (7600, 6500), policers of packets, the peak in the manual's words, shaping before HQF."""

from __future__ import annotations

from provisioning.pipeline.counters import ClassCounters, Colour, parse

EARL = """\
 GigabitEthernet3/1

  service-policy input: EDGE-IN

    class-map: EF (match-all)
      Match: ip dscp 46
      police :
        7744000 bps 242000 limit 242001 extended limit
      Earl in slot 5 :
        4410 bytes
        5 minute offered rate 320 bps
        aggregate-forwarded 4000 bytes action: transmit
        exceeded 410 bytes action: drop
        aggregate-forward 300 bps exceed 20 bps
      Earl in slot 7 :
        100 bytes
        5 minute offered rate 8 bps
        aggregate-forwarded 90 bytes action: transmit
        exceeded 10 bytes action: drop
        aggregate-forward 7 bps exceed 1 bps

    class-map: class-default (match-any)
      Match: any
      set dscp 0:
      Earl in slot 5 :
        812 bytes
        5 minute offered rate 16 bps
        aggregate-forwarded 812 bytes
"""


def test_a_policer_in_hardware_counts_in_each_slot() -> None:
    (bound,) = parse(EARL)
    ef, rest = bound.classes
    assert (ef.packets, ef.bytes, ef.interval_s, ef.offered_bps) == (None, 4510, 300, 328)
    assert ef.police is not None
    assert (ef.police.cir_bps, ef.police.bc_bytes, ef.police.be_bytes) == (7744000, 242000, 242001)
    assert ef.police.conformed == Colour(None, 4090, ("transmit",), 307)
    assert ef.police.exceeded == Colour(None, 420, ("drop",), 21)
    assert ef.other_lines == ()
    assert (rest.bytes, rest.police) == (812, None)


def the_class(lines: str) -> ClassCounters:
    head = " POS9/9\n\n  Service-policy output: P\n\n    Class-map: A (match-any)\n      1 packets, 2 bytes\n"
    (bound,) = parse(
        f"{head}      30 seconds offered rate 640 bps, drop rate 8 bps\n      Match: any\n{lines}"
    )
    return bound.classes[0]


def test_a_policer_of_packets_is_not_shown_in_bits() -> None:
    police = the_class(
        """\
      police:
          rate 1000 pps, burst 244 packets
        conformed 480 packets, 48000 bytes; actions:
          transmit
        exceeded 20 packets, 2000 bytes; actions:
          drop
        conformed 7 pps, exceeded 3 pps
"""
    ).police
    assert police is not None
    assert (police.cir_bps, police.cir_pps, police.bc_packets) == (None, 1000, 244)
    assert (police.conformed_pps, police.exceeded_pps, police.violated_pps) == (7, 3, None)
    assert police.conformed == Colour(480, 48000, ("transmit",))
    assert police.exceeded == Colour(20, 2000, ("drop",))


def test_two_rates_in_the_words_of_a_switch() -> None:
    found = the_class(
        """\
      police:
        cir 500000 bps, conform-burst 10000, pir 1000000, peak-burst 100000
        conformed 59538 packets 14646348 bytes; action: transmit
        exceeded 59539 packets 14646349 bytes; action: set-prec-transmit 2
        conformed 499000 bps, exceed 500000 bps violate 249000 bps
"""
    )
    police = found.police
    assert police is not None
    assert (police.cir_bps, police.bc_bytes, police.pir_bps, police.be_bytes) == (
        500000,
        10000,
        1000000,
        100000,
    )
    assert police.conformed == Colour(59538, 14646348, ("transmit",), 499000)
    assert (found.interval_s, found.offered_bps, found.drop_bps) == (30, 640, 8)


def test_shaping_before_hqf_is_a_table() -> None:
    found = the_class(
        """\
      Traffic Shaping
           Target/Average   Byte   Sustain   Excess    Interval  Increment
             Rate           Limit  bits/int  bits/int  (ms)      (bytes)
          2000000/2000000   12500  50000     50000     25        6250

        Adapt  Queue     Packets   Bytes     Packets   Bytes     Shaping
        Active Depth                         Delayed   Delayed   Active
        -      3         77        7700      11        1100      yes
"""
    )
    queue = found.queue
    assert queue is not None
    assert (queue.shape_bps, queue.depth) == (2000000, 3)
    assert (queue.output_packets, queue.output_bytes) == (77, 7700)
    assert (queue.delayed_packets, queue.delayed_bytes) == (11, 1100)
    assert found.other_lines == ()


def test_the_bytes_dropped_and_a_switch_that_counts_one_number() -> None:
    queue = the_class(
        "      (pkts matched/bytes matched) 6/600\n      (total drops/bytes drops) 1/100\n"
    ).queue
    assert queue is not None
    assert (queue.total_drops, queue.dropped_bytes) == (1, 100)
    queue = the_class("      (total drops) 9\n      (bytes output) 3392\n      (pkts output) 53\n").queue
    assert queue is not None
    assert (queue.total_drops, queue.output_packets, queue.output_bytes) == (9, 53, 3392)
