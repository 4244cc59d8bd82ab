"""What is worked out for a Linux router, put on a real kernel and read back: nothing is believed but what is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import reduce

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from provisioning.errors import Conflict, ParseFailure
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.linux import LinuxState, apply, counted, difference, intended
from provisioning.pipeline.linux.difference import settled
from tests.linux.edge import edge
from tests.linux.router import LinuxRouter, built
from tests.pipeline.linux.intents import BANDWIDTHS, intents

pytestmark = pytest.mark.timeout(240)
real = settings(
    max_examples=60 if os.environ.get("DEEP") == "1" else 8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def wires() -> Iterator[LinuxRouter]:
    with built() as made:
        yield made


def state_of(intent: RouterIntent) -> LinuxState:
    return intended(intent, BANDWIDTHS).state


@real
@given(intents(), intents())
def test_what_is_put_on_is_what_is_read(wires: LinuxRouter, one: RouterIntent, other: RouterIntent) -> None:
    wires.clear()
    for intent in (one, other):
        wanted = state_of(intent)
        wires.take(difference(wires.held(), wanted))
        held = wires.held()
        assert settled(held, wanted) == wanted
        assert difference(held, wanted) == ()
    wires.take(difference(wires.held(), LinuxState()))
    assert wires.held() == LinuxState()


@real
@given(intents(), intents(), st.data())
def test_every_step_does_what_the_plan_says(
    wires: LinuxRouter, one: RouterIntent, other: RouterIntent, data: st.DataObject
) -> None:
    """Stopped after any step, the kernel holds what the pure half says it does; from there it goes on, and back."""
    wires.clear()
    wires.take(difference(LinuxState(), state_of(one)))
    before, wanted = wires.held(), state_of(other)
    steps = difference(before, wanted)
    some = steps[: data.draw(st.integers(0, len(steps)))]
    wires.take(some)
    said = reduce(apply, some, before)
    held = wires.held()
    assert settled(held, said) == said
    for goal in (wanted, before):
        wires.take(difference(wires.held(), goal))
        assert difference(wires.held(), goal) == ()


@real
@given(intents())
def test_counters_are_read_of_whatever_is_on(wires: LinuxRouter, intent: RouterIntent) -> None:
    wires.clear()
    wanted = state_of(intent)
    wires.take(difference(LinuxState(), wanted))
    found = {(each.interface, each.direction): each for each in counted(wires.shown())}
    assert found.keys() == {(each.interface, each.direction) for each in intent.bindings}
    for (interface, direction), each in found.items():
        policed = {one.name for one in each.classes if one.police is not None}
        devices = (
            {held.device for held in wanted.filters.get(interface, ())} if direction == "input" else set()
        )
        assert len(policed) == len(devices)
        assert all(one.packets == 0 for one in each.classes)


def test_a_firewall_that_is_loaded_again_takes_the_marks_and_they_are_missed(wires: LinuxRouter) -> None:
    wires.clear()
    wanted = state_of(edge())
    wires.take(difference(LinuxState(), wanted))
    wires.run("nft flush ruleset\n")
    steps = difference(wires.held(), wanted)
    assert len(steps) == 1
    wires.take(steps)
    assert difference(wires.held(), wanted) == ()


@pytest.mark.parametrize(
    ("hand", "says"),
    [
        ("nft add rule inet expedite in/eth1 ip6 hoplimit 1 drop", "none of ours"),
        ("nft add rule inet expedite in ip6 dscp 46 accept", "none of ours"),
        ("nft flush chain inet expedite in", "nothing leads to"),
        ("tc qdisc add dev eth1 root tbf rate 1mbit burst 5000b limit 5000b", ""),
        (
            "tc qdisc add dev eth3.100 clsact\ntc filter add dev eth3.100 ingress pref 5 protocol ipv6 u32 match u32 0 0 at 0 "
            "action mirred egress redirect dev lo",
            "",
        ),
        (
            "tc filter add dev eth1 ingress pref 5 protocol ipv6 u32 match u32 0 0 at 0 action mirred egress redirect dev lo",
            "a filter on what enters that is not ours",
        ),
        (
            "tc qdisc add dev eth2 root handle 7: tbf rate 1mbit burst 5000b limit 5000b",
            "a queue that is not ours",
        ),
    ],
)
def test_what_somebody_else_put_there_is_never_taken_for_ours(
    wires: LinuxRouter, hand: str, says: str
) -> None:
    wires.clear()
    wanted = state_of(edge())
    wires.take(difference(LinuxState(), wanted))
    if "eth2" in hand:
        wires.run("tc qdisc del dev eth2 root\n")
    done = wires.run(f"{hand}\n")
    assert done.returncode == 0, done.stderr
    if not says:  # where none of ours shall be it is nobody's business
        assert difference(wires.held(), wanted) == ()
        return
    with pytest.raises((Conflict, ParseFailure), match=says):
        difference(wires.held(), wanted)


@pytest.mark.parametrize(
    "hand",
    [
        "tc qdisc change dev $(ls /sys/class/net | grep ^xp-) root handle 1: tbf rate 99mbit burst 9000b limit 1",
        "tc qdisc replace dev $(ls /sys/class/net | grep ^xp-) parent 1: handle 2: pfifo limit 100",
        "ip link del $(ls /sys/class/net | grep ^xp-)",
        "tc filter del dev eth1 ingress",
        "nft flush chain inet expedite in/eth1",
        "tc class change dev eth2 parent e611: classid e611:1 htb rate 1mbit ceil 1mbit",
        "tc qdisc del dev eth2 root",
        "tc qdisc del dev eth1 clsact",
    ],
)
def test_what_a_hand_changed_is_found_and_put_back(wires: LinuxRouter, hand: str) -> None:
    wires.clear()
    wanted = state_of(edge())
    wires.take(difference(LinuxState(), wanted))
    done = wires.run(f"{hand}\n")
    assert done.returncode == 0, done.stderr
    steps = difference(wires.held(), wanted)
    assert steps
    wires.take(steps)
    assert difference(wires.held(), wanted) == ()


def test_a_transaction_that_fails_changes_nothing(wires: LinuxRouter) -> None:
    wires.clear()
    wanted = state_of(edge())
    wires.take(difference(LinuxState(), wanted))
    done = wires.run(
        "set -eu\nnft -f - <<'RULES'\nflush chain inet expedite in/eth1\ndelete chain inet expedite nobody\nRULES\n"
    )
    assert done.returncode != 0
    assert difference(wires.held(), wanted) == ()


@pytest.mark.parametrize(
    ("hand", "says"),
    [
        (
            "tc qdisc add dev eth2 root handle 7: tbf rate 1mbit burst 5000b limit 5000b",
            "a queue that is not ours",
        ),
        ("tc qdisc add dev eth2 root handle 7: pfifo limit 9", "a queue that is not ours"),
        ("tc qdisc add dev eth1 ingress", "an ingress qdisc"),
    ],
)
def test_what_somebody_else_put_on_a_bare_router_is_not_overwritten(
    wires: LinuxRouter, hand: str, says: str
) -> None:
    wires.clear()
    assert wires.run(f"{hand}\n").returncode == 0
    with pytest.raises(Conflict, match=says):
        difference(wires.held(), state_of(edge()))
    wires.run("tc qdisc del dev eth1 ingress\n")
