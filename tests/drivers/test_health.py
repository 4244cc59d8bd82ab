"""A look at how a router fares: what practice routers show over SSH, what public outputs show, and what nobody understands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from provisioning.drivers import connect
from provisioning.drivers.health import OLD_SUMMARIES, SUMMARY, read_health
from provisioning.pipeline.health import Asked, Cpu, Neighbour, asked
from tests.drivers.practice import Practice
from tests.drivers.test_contract import USUAL

BUSY = "CPU utilization for five seconds: 12%/3%; one minute: 8%; five minutes: 7%\n"
REFUSED = "            ^\n% Invalid input detected at '^' marker.\n"
ROUTING = [
    "router bgp 65000", "neighbor 10.0.0.2 remote-as 65001", "neighbor 2001:db8:0:a:1:2:3:4 remote-as 65000",
    "interface POS2/0", "ipv6 router isis BACKBONE", "interface POS1/0", "ip ospf 1 area 0", "ipv6 ospf 1 area 0",
    "router ospf 1", "ipv6 router ospf 1",
]  # fmt: skip


class Told:
    """A router that says what it was told to say; everything else it does not know."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = {"show processes cpu": BUSY, **answers}
        self.writes: list[Sequence[str]] = []

    def ask(self, commands: Sequence[str]) -> tuple[str, ...]:
        self.writes.append(commands)
        return tuple(self.answers.get(command.partition(" | ")[0], REFUSED) for command in commands)


@pytest.mark.parametrize("name", ["gsr", "pre", "isr"])
@pytest.mark.parametrize("driver", ["netmiko", "asyncssh"])
def test_what_a_router_shows_over_ssh(practice: Practice, name: str, driver: str) -> None:
    practice.control.call("configure", router=name, lines=ROUTING)
    with connect(practice.target(name, driver), timeout=USUAL) as session:
        what = asked(session.running_config())
        before = read_health(session, what)
        practice.control.fault(name, {"kind": "neighbour-lost", "neighbour": "10.0.0.2"})
        practice.control.fault(name, {"kind": "neighbour-lost", "neighbour": "core"})
        practice.control.fault(name, {"kind": "busy", "percent": 97})
        after = read_health(session, what)
        sent = [line.text for line in session.transcript if line.direction == ">"]
    practice.control.call("clear", router=name)
    assert before.unseen == after.unseen == ()
    assert {
        f"{protocol} {who.split(' on ')[0]}": row.up for (protocol, who), row in before.neighbours.items()
    } == {
        "BGP 10.0.0.2": True,
        "BGP 2001:db8:0:a:1:2:3:4": True,
        "IS-IS core": True,
        "OSPF 192.0.2.102": True,
        "OSPFv3 192.0.2.102": True,
    }
    assert before.cpu == Cpu(3, 3) and after.cpu == Cpu(97, 97)
    assert after.neighbours[("BGP", "10.0.0.2")] == Neighbour("Active", False)
    assert not any(protocol == "IS-IS" for protocol, _who in after.neighbours)
    assert sum("neighbors" in line for line in sent) <= 2 * (3 if name != "gsr" else 4)


SHORT = """\
For address family: IPv4 Unicast
BGP router identifier 192.168.0.1, local AS number 65000

Neighbor        V           AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd
192.168.0.2     4        65001       0       0        1    0    0 never    Idle (Admin)
192.168.0.3     4        65010       0       0        1    0    0 never    Active
192.168.0.4     4      1.65010      10      20        1    0    0 1w3d     0

For address family: IPv6 Unicast
BGP router identifier 192.168.0.1, local AS number 65000

Neighbor        V           AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd
2001:1:1:1::2
                4         65010      5       4        2    0    0 00:00:50        1
"""
BGP = Asked(frozenset({"BGP"}))


def test_a_summary_alone_tells_every_neighbour() -> None:
    """Where the getter finds nothing, on releases whose neighbours end otherwise than it expects."""
    router = Told(
        {SUMMARY: SHORT, "show bgp ipv4 unicast neighbors": "", "show bgp ipv6 unicast neighbors": ""}
    )
    seen = read_health(router, BGP)
    assert {name: (row.state, row.up, row.closed) for (_bgp, name), row in seen.neighbours.items()} == {
        "192.168.0.2": ("Idle (Admin)", False, True),
        "192.168.0.3": ("Active", False, False),
        "192.168.0.4": ("Established", True, False),
        "2001:1:1:1::2": ("Established", True, False),
    }
    assert len(router.writes) == 1


def test_what_the_getter_of_napalm_says_counts() -> None:
    """A session whose family is not negotiated counts no prefixes in the summary and is Established all the same."""
    summary = SHORT.replace(
        "65010       0       0        1    0    0 never    Active", "65010 9 9 1 0 0 1w3d (NoNeg)"
    )
    detail = (
        "BGP neighbor is 192.168.0.3,  remote AS 65010, external link\n  BGP version 4, remote router ID 192.168.0.3\n"
        "  BGP state = Established, up for 1w3d\n For address family: IPv4 Unicast\n"
        "    Prefixes Current:               0          0\n  Local Policy Denied Prefixes:    --------    -------\n"
    )
    router = Told(
        {SUMMARY: summary, "show bgp ipv4 unicast neighbors": detail, "show bgp ipv6 unicast neighbors": ""}
    )
    assert read_health(router, BGP).neighbours[("BGP", "192.168.0.3")] == Neighbour("Established", True)


def test_an_older_router_is_asked_its_older_commands() -> None:
    old = SHORT.partition("For address family: IPv6")
    router = Told({OLD_SUMMARIES[0]: old[0], OLD_SUMMARIES[1]: old[2]})
    seen = read_health(router, BGP)
    assert len(router.writes) == 2
    assert seen.neighbours[("BGP", "2001:1:1:1::2")].up and seen.looked == {"BGP"}


def test_what_is_refused_or_not_understood_is_unseen_and_no_empty_answer() -> None:
    every = Asked(frozenset({"BGP", "IS-IS", "OSPF", "OSPFv3"}))
    seen = read_health(Told({"show processes cpu": "", "show ip ospf neighbor": "10.0.0.1 FULL\n"}), every)
    assert (seen.neighbours, seen.looked, seen.cpu) == ({}, frozenset(), None)
    told = "\n".join(seen.unseen)
    assert len(seen.unseen) == 5
    assert "IS-IS: `show clns neighbors`: % Invalid input" in told
    assert "a row that is not understood: '10.0.0.1 FULL'" in told
    assert "BGP: `show ip bgp summary`: % Invalid input" in told
    assert "the processor: `show processes cpu" in told


def test_an_adjacency_that_is_ipv6_alone_and_end_systems() -> None:
    shown = (
        "\nTag BACKBONE:\nSystem Id      Interface   SNPA                State  Holdtime  Type Protocol\n"
        "R7             Gi4         5e00.c0ff.060d      Up     26        L2   M-ISIS\n"
        "R8             PO2/1       *HDLC*              Init   26        L2   IS-IS\n"
        "0800.2B16.24EA Et0         aa00.0400.2d05      Up     272       ES   ES-IS\n"
    )
    seen = read_health(Told({"show clns neighbors": shown}), Asked(frozenset({"IS-IS"})))
    assert dict(seen.neighbours) == {
        ("IS-IS", "R7 on Gi4"): Neighbour("Up", True),
        ("IS-IS", "R8 on PO2/1"): Neighbour("Init", False),
    }
    assert seen.looked == {"IS-IS"}


def test_an_inactive_bgp_has_no_neighbours() -> None:
    inactive = "% BGP not active\n"
    router = Told({SUMMARY: inactive, "show bgp ipv4 unicast neighbors": inactive})
    assert read_health(router, BGP).looked == {"BGP"}
