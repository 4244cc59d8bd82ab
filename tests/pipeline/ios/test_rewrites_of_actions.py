"""Rewrite rules of actions, one test each, named after the rule (ios-facts N11-N24, N30, 1.2-1.4; reference/rewrite-rules.md)."""

from __future__ import annotations

import itertools
from decimal import Decimal

from provisioning.pipeline.mqc import (
    Bps,
    BurstBytes,
    BurstMs,
    Percent,
    Police,
    SetField,
    default_burst_bytes,
    in_bps,
)
from tests.pipeline.ios.spellings import actions, different, policy, same

FIVE = Percent(Decimal(5))


def test_n11_set_dscp_default() -> None:
    same(policy("set dscp 0"), policy("set dscp default"), policy("set dscp default "))


def test_n12_set_ip_dscp_keeps_ip() -> None:
    same(policy("set ip dscp 0"), policy("set ip dscp default"))
    different(policy("set dscp 0"), policy("set ip dscp default"))


def test_n13_set_dscp_by_name() -> None:
    same(policy("set dscp 46"), policy("set dscp ef"))
    same(policy("set dscp 8"), policy("set dscp cs1"))
    same(policy("set dscp tunnel 46"), policy("set dscp tunnel ef"))
    same(policy("set ip dscp tunnel 8"), policy("set ip dscp tunnel cs1"))


def test_the_mark_of_a_tunnel_stands_beside_the_mark_of_the_packet() -> None:
    both = {SetField("dscp", 0), SetField("dscp tunnel", 46), SetField("cos", 3), SetField("cos inner", 4)}
    for lines in itertools.permutations(("set dscp 0", "set dscp tunnel ef", "set cos 3", "set cos inner 4")):
        assert actions(policy(*lines)) == both


def test_n14_a_percentage_gets_no_burst() -> None:
    typed = policy("police cir percent 5 conform-action transmit exceed-action drop")
    same(typed, policy("police cir percent 5", "  conform-action transmit ", "  exceed-action drop "))
    assert actions(typed) == {Police(FIVE)}
    different(typed, policy("police cir percent 5 bc 4 ms"), policy("police cir percent 5 be 4 ms"))


def test_n15_a_default_burst_printed_is_none() -> None:
    same(
        policy("police 10000000"),
        policy("police 10000000 312500 312500"),
        policy("police cir 10000000 bc 312500"),
    )
    same(policy("police 8000"), policy("police 8000 1500 1500 conform-action transmit exceed-action drop"))
    different(policy("police 6504000"), policy("police 6504000 16000 16000"))


def test_n16_default_actions_filled_in() -> None:
    typed = policy("police 8000 conform-action transmit exceed-action drop")
    same(typed, policy("police 8000"), policy("police 8000", " exceed-action drop "))
    same(typed, policy("police 8000 conform-action transmit exceed-action drop violate-action drop"))
    different(typed, policy("police 8000 exceed-action transmit"))
    two = "police cir 8000 bc 4000 be 9000"
    same(policy(two), policy(f"{two} conform-action transmit exceed-action drop violate-action drop"))
    different(policy(two), policy(f"{two} violate-action transmit"))


def test_n17_one_line_or_several() -> None:
    typed = policy("police cir 128000 bc 8000 conform-action transmit exceed-action set-dscp-transmit 8")
    same(
        typed,
        policy(
            "police cir 128000 bc 8000", " conform-action transmit ", " exceed-action set-dscp-transmit cs1"
        ),
        policy("police cir 128000 bc 8000 conform-action transmit  exceed-action set-dscp-transmit cs1 "),
    )


def test_n18_milliseconds_stay_milliseconds() -> None:
    typed = policy("police cir percent 20 bc 300 ms be 400 ms")
    same(typed, policy("police cir percent 20 bc 300 ms be 400 ms ", " violate-action drop "))
    assert actions(typed) == {Police(Percent(Decimal(20)), BurstMs(300), BurstMs(400))}
    different(typed, policy("police cir percent 20 bc 300 be 400"))


def test_n19_percent_and_rate_percent() -> None:
    same(policy("police cir percent 5"), policy("police percent 5"))
    same(
        policy("police percent 5 2 ms"),
        policy("police percent 5 2 ms 0 ms conform-action transmit exceed-action drop violate-action drop"),
    )
    different(policy("police cir percent 5"), policy("police rate percent 5"))


def test_n20_priority_and_its_burst() -> None:
    same(policy("priority"), policy("priority "))
    same(policy("priority percent 10"), policy("priority percent 10 "))
    same(policy("priority 512"), policy("priority 512 12800"))
    different(policy("priority 6504"), policy("priority 6504 16000"))
    different(
        policy("priority"), policy("priority level 1"), policy("priority percent 10"), policy("priority 10")
    )


def test_n21_bandwidth_with_a_trailing_blank() -> None:
    same(policy("bandwidth percent 10"), policy("bandwidth percent 10 "))
    same(policy("bandwidth remaining percent 60"), policy("bandwidth remaining percent 60 "))
    different(
        policy("bandwidth percent 10"), policy("bandwidth remaining percent 10"), policy("bandwidth 10")
    )


def test_n22_thresholds_however_they_are_spaced() -> None:
    same(policy("random-detect dscp-based"), policy(" random-detect dscp-based"))
    same(
        policy("random-detect", "random-detect precedence 3 776 1292 10"),
        policy("random-detect", "random-detect precedence 3   776   1292 "),
    )
    same(
        policy("random-detect dscp-based", "random-detect dscp 46 400 ms 500 ms 1"),
        policy("random-detect dscp-based", "random-detect dscp ef 400 ms 500 ms 1"),
    )
    different(
        policy("random-detect dscp-based", "random-detect dscp 24 400 ms 500 ms"),
        policy("random-detect dscp-based", "random-detect dscp 24 400 500"),
    )


def test_n23_dscp_based_is_inserted() -> None:
    same(
        policy("random-detect dscp 8 20 40 10"),
        policy("random-detect dscp-based", "random-detect dscp cs1   20    40    10"),
    )
    different(policy("random-detect dscp-based"), policy("random-detect"))


def test_n24_actions_in_any_order() -> None:
    lines = ["set dscp 46", "bandwidth percent 10", "police 64000"]
    for order in (lines, lines[::-1], [lines[1], lines[2], lines[0]]):
        same(policy(*lines), policy(*order))


def test_n30_shape_keeps_what_was_typed() -> None:
    same(policy("shape average 2000000"), policy("shape average 2000000   "))
    same(policy("shape average 2000000 8000 8000"), policy("shape average 2000000 8000 8000 "))
    different(policy("shape average 2000000"), policy("shape average 2000000 8000 8000"))
    different(policy("shape average 2000000"), policy("shape peak 2000000"))


def test_1_2_the_three_shapes() -> None:
    typed = policy("police cir percent 5 conform-action transmit exceed-action drop")
    several = policy("   police cir percent 5", "     conform-action transmit ", "     exceed-action drop ")
    one = policy("police cir percent 5 conform-action transmit  exceed-action drop ")
    same(typed, several, one, policy("police cir percent 5"))
    counted = policy("police cir percent 1 conform-action transmit exceed-action transmit")
    same(counted, policy("police cir percent 1", " exceed-action transmit "))
    different(typed, counted)
    marked = policy(
        "police cir percent 5", " conform-action set-dscp-transmit ef", " conform-action set-cos-transmit 5"
    )
    assert actions(marked) == {Police(FIVE, conform=("set-cos-transmit 5", "set-dscp-transmit 46"))}


def test_1_3_the_default_burst_is_a_32nd_of_the_rate() -> None:
    """What 7200s and Catalysts show: 10 Mbit/s 312500, 290000 9062, 1.5 Mbit/s 46875 bytes; a percentage shows none."""
    assert [default_burst_bytes(rate) for rate in (10_000_000, 290_000, 1_500_000, 8000)] == [
        312500,
        9062,
        46875,
        1500,
    ]
    assert Police(Bps(1_500_000), BurstBytes(46875)) == Police(Bps(1_500_000))
    assert Police(FIVE, BurstBytes(46875)) != Police(FIVE)


def test_1_4_a_percentage_is_never_a_rate() -> None:
    """5 % of a POS STM-1 comes to 7.75 Mbit/s today; with another `bandwidth` it does not."""
    assert in_bps(FIVE, 155_000_000) == 7_750_000
    assert in_bps(FIVE, 155_520_000) == 7_776_000
    assert in_bps(FIVE, None) is None
    different(policy("police cir percent 5"), policy("police cir 7750000"))
