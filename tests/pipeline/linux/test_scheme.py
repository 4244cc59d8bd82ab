"""The policies of 6NET as `pipeline.intent` builds them, on a Linux router: every access case, and what it refuses by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.linux import LinuxState, Wanted, gaps, intended
from provisioning.pipeline.mqc import Binding
from tests.pipeline.worlds import World, worlds

PORTS = {
    "POS1/0": "eth0",
    "POS1/1": "eth1",
    "GigabitEthernet3/0": "eth2",
    "ATM5/0.1": "eth3",
    "POS2/0": "eth4",
    "POS2/1": "eth5",
}
BANDWIDTHS = dict.fromkeys(PORTS.values(), 155_000_000)
NOTHING = ("NON-PARTICIPANT",)


def on_linux(intent: RouterIntent) -> Wanted:
    """What a Linux router with ports for those of the world must hold."""
    bindings = frozenset(
        Binding(PORTS[each.interface], None, each.direction, each.policy) for each in intent.bindings
    )
    return intended(replace(intent, bindings=bindings), BANDWIDTHS)


@given(worlds())
def test_whatever_the_scheme_wants_is_closed_on_linux(world: World) -> None:
    assume(not world.lbe_first)  # refused by name below: a class that passes before one that is policed
    wanted = on_linux(world.intent("ios-xe"))
    assert gaps(wanted.state, frozenset({46})) == frozenset()
    bound = {PORTS[each.interface] for each in world.intent("ios-xe").bindings if each.direction == "input"}
    assert wanted.state.inward.keys() == bound


def test_what_the_kernel_lacks_is_said_with_its_evidence() -> None:
    world = World(cases=(("ALPHA", "trusted", True),))
    (red,) = [note for note in on_linux(world.intent("ios-xe")).notes if "random-detect" in note]
    assert "left out" in red and "certain: no RED" in red


def test_a_filtered_link_without_reservations_authorises_nobody() -> None:
    state = of(
        "ipv6 access-list nobody\n deny ipv6 any any\nclass-map match-all EF\n match access-group name nobody\n"
        "policy-map P\n class EF\n  set dscp 46\n  police cir 1000000 bc 15000 conform-action transmit exceed-action drop\n"
        " class class-default\n  set dscp 0\n"
    )
    assert [rule.dscp for rule in state.inward["eth0"]] == [0, 0]
    assert not state.filters


def of(text: str, direction: str = "input") -> LinuxState:
    read = ios.parse_intended(text, None).config
    intent = RouterIntent(
        "l1",
        tuple(read.access_lists.values()),
        tuple(read.class_maps.values()),
        tuple(read.policy_maps.values()),
        frozenset({Binding("eth0", None, direction, "P")}),
    )
    return intended(intent, BANDWIDTHS).state


POLICE = "police cir 1000000 bc 15000 conform-action transmit exceed-action drop"


@pytest.mark.parametrize(
    ("direction", "classes", "actions", "why"),
    [
        ("input", "match not dscp 46", POLICE, "match not"),
        ("input", "match protocol rtp", POLICE, "match protocol"),
        ("input", "match dscp 46", "set precedence 5", "set precedence 5"),
        (
            "input",
            "match dscp 46",
            "police cir 1000000 pir 2000000 conform-action transmit exceed-action drop",
            "one rate",
        ),
        (
            "input",
            "match dscp 46",
            "police cir 1000000 conform-action transmit exceed-action set-dscp-transmit 0",
            "transmits",
        ),
        (
            "input",
            "match dscp 46",
            "police cir 1000000 conform-action drop exceed-action drop",
            "transmits what conforms",
        ),
        ("input", "match dscp 46", "bandwidth percent 5", "Bandwidth is not done on input"),
        ("output", "match dscp 46", POLICE, "Police is not done on output"),
        ("output", "match dscp 46", "shape average 1000000", "Shape is not done on output"),
        ("output", "match dscp 46", "queue-limit 10 ms", "QueueLimit is not done on output"),
    ],
)
def test_what_linux_cannot_do_is_refused_by_name(
    direction: str, classes: str, actions: str, why: str
) -> None:
    text = f"class-map match-all C\n {classes}\npolicy-map P\n class C\n  {actions}\n"
    with pytest.raises(InvalidInput, match=why):
        of(text, direction)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("permit tcp any any eq 80", "permit tcp"),
        ("deny ipv6 2001:db8::/32 any", "deny ipv6"),
        ("permit ipv6 any any fragments", "fragments"),
    ],
)
def test_entries_that_cannot_be_told_apart_are_refused(entry: str, why: str) -> None:
    classes = "class-map match-all C\n match access-group name A\n"
    text = f"ipv6 access-list A\n {entry}\n{classes}policy-map P\n class C\n  {POLICE}\n"
    with pytest.raises(InvalidInput, match=why):
        of(text)


def test_a_class_that_passes_before_one_that_is_policed_is_refused() -> None:
    """First match decides on IOS; the policers of Linux stand before the marks and would take its packets."""
    text = (
        "ipv6 access-list A\n permit ipv6 2001:db8::/32 any\n"
        "class-map match-all LBE\n match dscp 8\nclass-map match-all EF\n match access-group name A\n"
        f"policy-map P\n class LBE\n  set dscp 8\n class EF\n  set dscp 46\n  {POLICE}\n"
    )
    with pytest.raises(InvalidInput, match="packets of class LBE before it"):
        of(text)


def test_both_conditions_of_a_class_are_met() -> None:
    state = of(
        "ipv6 access-list A\n permit ipv6 2001:db8::/32 any\nclass-map match-all C\n match access-group name A\n match dscp 46\n"
        f"policy-map P\n class C\n  {POLICE}\n"
    )
    assert [str(each.selector) for each in state.filters["eth0"]] == ["ipv6 from 2001:db8::/32 dscp 46"]
