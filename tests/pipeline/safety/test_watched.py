"""Who is watched between a plan's first line and its last: whoever is let in at both ends, by whatever entries."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import Line
from provisioning.pipeline.intent import Role
from provisioning.pipeline.safety import check, tell_lines

ROUTER = """\
hostname r1
ipv6 access-list one
 permit ipv6 2001:db8:11::/48 any
ipv6 access-list other
 permit ipv6 2001:db8:12::/48 any
ipv6 access-list peer
 permit ipv6 host 2001:db8:1::2 host 2001:db8:1::1
 permit ipv6 host 2001:db8:9::2 host 2001:db8:9::1
class-map match-all ONE
 match access-group name one
class-map match-all OTHER
 match access-group name other
class-map match-all ROUTING
 match access-group name peer
 match dscp cs6
policy-map IN
 class ROUTING
  police 64000 conform-action transmit exceed-action set-dscp-transmit 0
 class ONE
  set dscp 46
  police cir percent 5 conform-action transmit exceed-action drop
 class OTHER
  set dscp 46
  police cir percent 5 conform-action transmit exceed-action drop
 class class-default
  set dscp 0
interface POS1/0
 service-policy input IN
"""
NARROW, WIDE, TO_F = (
    "permit ipv6 2001:db8:a:1::/64 any",
    "permit ipv6 2001:db8:a::/48 any",
    "permit ipv6 any 2001:db8:f::/48",
)


def said(lines: list[str], held: str = ROUTER) -> set[str]:
    proof = check(ios.parse(held), lines, {"POS1/0": Role.ACCESS})
    return {text for state in proof for text in state.violations}


@pytest.mark.parametrize(
    ("before", "after", "watched"),
    [
        (NARROW, WIDE, NARROW),
        (WIDE, NARROW, NARROW),
        (WIDE, TO_F, "permit ipv6 2001:db8:a::/48 2001:db8:f::/48"),
        (TO_F, WIDE, "permit ipv6 2001:db8:a::/48 2001:db8:f::/48"),
    ],
    ids=["narrow then wide", "wide then narrow", "overlapping", "overlapping, the other way"],
)
def test_who_goes_over_to_another_entry_is_watched_in_between(before: str, after: str, watched: str) -> None:
    held = ROUTER.replace("permit ipv6 2001:db8:11::/48 any", f"permit ipv6 2001:db8:11::/48 any\n {before}")
    away, here = (
        ["ipv6 access-list one", "no sequence 20"],
        ["ipv6 access-list other", f"sequence 20 {after}"],
    )
    assert said([*away, *here], held) == {f"POS1/0: cut off: {watched}"}
    assert said([*here, *away], held) == set()


def test_an_entry_behind_a_deny_of_its_own_is_not_taken_for_whole() -> None:
    """What it lets in is not known entry by entry, so only the same entry counts as the same."""
    held = ROUTER.replace("permit ipv6 2001:db8:11::/48 any", f"deny ipv6 2001:db8:a:1::/64 any\n {WIDE}")
    lines = [
        "ipv6 access-list one",
        f"no {WIDE}",
        "ipv6 access-list other",
        f"sequence 20 {NARROW}",
    ]
    assert said(lines, held) == set()


PEER = "permit ipv6 host 2001:db8:1::2 host 2001:db8:1::1"
HEAD = "ipv6 access-list peer"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["no sequence 10", f"sequence 10 {PEER}"], {f"POS1/0: loses its marking: {PEER}"}),
        (
            ["sequence 30 permit ipv6 any any", "no sequence 10", f"sequence 10 {PEER}", "no sequence 30"],
            {"POS1/0: keeps its marking although never exempted: permit ipv6 any any"},
        ),
        (["sequence 30 permit ipv6 host 2001:db8:1::2 any", "no sequence 10"], set()),
    ],
    ids=["away", "others too", "by a wider entry afterwards"],
)
def test_routing_packets_of_the_neighbour_are_watched(lines: list[str], found: set[str]) -> None:
    assert said([HEAD, *lines]) == found


def test_routing_packets_of_another_neighbour_take_the_place_of_these() -> None:
    other = "permit ipv6 host 2001:db8:3::2 host 2001:db8:3::1"
    assert said([HEAD, f"sequence 30 {other}", "no sequence 10"]) == set()


def test_where_everything_keeps_its_mark_at_one_end_an_exemption_is_none() -> None:
    open_before = ROUTER.replace(
        "interface POS1/0\n service-policy input IN\n",
        "interface POS1/0\n ip address 192.0.2.1 255.255.255.0\n",
    )
    lines = [
        "interface POS1/0",
        "service-policy input IN",
        HEAD,
        "sequence 30 permit ipv6 any any",
        "no sequence 30",
    ]
    assert said(lines, open_before) == set()  # fmt: skip


def test_a_line_says_who_keeps_a_mark() -> None:
    lines = [
        Line(text) for text in (HEAD, "sequence 30 permit ipv6 host 2001:db8:1::3 any", "no sequence 10")
    ]
    found = tell_lines(ios.parse(ROUTER), lines, {"POS1/0": Role.ACCESS})
    assert [each.text for line in found.lines for each in line.together] == [
        "keeps its marking now: ipv6 host 2001:db8:1::3 any",
        f"keeps its marking no longer: {PEER.removeprefix('permit ')}",
    ]
