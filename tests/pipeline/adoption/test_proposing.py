"""Links and edges out of running-configs: paired by subnet, judged by policy, never guessed from a word alone."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.adoption import NetworkProposal, RouterText, propose, read_text
from provisioning.pipeline.adoption.proposing import organisation


def router(name: str, *interfaces: str, before: str = "") -> RouterText:
    text = (
        f"{before}version 12.4\nhostname {name}\n!\n"
        + "".join(f"interface {each}\n!\n" for each in interfaces)
        + "end\n"
    )
    return read_text(text, ios.parse(text))


def proposed(*routers: RouterText) -> NetworkProposal:
    return propose(routers, {})


def test_two_ends_on_one_subnet_with_an_igp_are_a_core_link():
    found = proposed(
        router("a1", "POS1/0\n ip address 192.0.2.1 255.255.255.252\n ip router isis"),
        router("b1", "POS4/0\n ip address 192.0.2.2 255.255.255.252\n ip router isis\n isis metric 20"),
    )
    (pair,) = found.core
    assert (pair.a[0], pair.a[1].name, pair.z[0], pair.z[1].name) == ("a1", "POS1/0", "b1", "POS4/0")
    assert pair.why == "both ends are on 192.0.2.0/30, each takes part in the IGP"


@pytest.mark.parametrize("prefix", ["2001:db8:1::{}/64", "2001:db8:1::{}/127"])
def test_an_ipv6_subnet_pairs_too_and_a_dual_stack_link_is_one(prefix: str):
    ends = [
        router(
            name,
            f"POS1/0\n ip address 192.0.2.{at} 255.255.255.254\n ipv6 address {prefix.format(at)}\n ipv6 router isis",
        )
        for at, name in ((0, "a1"), (1, "b1"))
    ]
    assert len(proposed(*ends).core) == 1


def test_an_igp_at_one_end_only_is_said():
    found = proposed(
        router("a1", "POS1/0\n ip address 192.0.2.1 255.255.255.252\n ip ospf 1 area 0"),
        router("b1", "POS4/0\n ip address 192.0.2.2 255.255.255.252"),
    )
    assert len(found.core) == 1
    assert any("only one takes part in the IGP" in text for text in found.unknown)
    alone = proposed(router("a1", "POS1/0\n ip address 192.0.2.1 255.255.255.252\n ip ospf 1 area 0"))
    assert not alone.core
    assert any("no router read here is at the other end" in text for text in alone.unknown)


def test_a_subnet_on_three_routers_or_twice_on_one_is_no_link():
    lan = "GigabitEthernet0/1\n ip address 192.0.2.{} 255.255.255.0"
    found = proposed(*(router(name, lan.format(at)) for at, name in enumerate(("a1", "b1", "c1"), start=1)))
    assert not found.core
    assert any("a link has two ends" in text for text in found.unknown)


def test_loopbacks_parents_and_what_is_shut_down_are_no_edges():
    found = proposed(
        router(
            "a1",
            "Loopback0\n ip address 192.0.2.1 255.255.255.255",
            "ATM2/0\n no ip address",
            "ATM2/0.1 point-to-point\n ip address 192.0.2.5 255.255.255.252",
            "POS3/0\n shutdown",
        )
    )
    assert [edge.interface.name for edge in found.edges] == ["ATM2/0.1"]


def test_capacity_is_what_the_kind_or_a_line_says_and_else_not_known():
    (shown,) = [
        router(
            "a1",
            "GigabitEthernet0/1\n bandwidth 100000",
            "POS1/0",
            "ATM2/0.1 point-to-point\n pvc 0/32\n  vbr-nrt 34368 34368",
            "Tunnel7",
            "Serial1/0\n bandwidth 1984",
        )
    ]
    rates = {each.name: (each.line_rate_bps, each.bw_bps, each.assumed) for each in shown.interfaces}
    assert rates == {
        "GigabitEthernet0/1": (1_000_000_000, 100_000_000, ""),
        "POS1/0": (155_520_000, 155_000_000, "an STM-1 is assumed"),
        "ATM2/0.1": (34_368_000, 34_368_000, ""),
        "Tunnel7": (None, None, ""),
        "Serial1/0": (2_048_000, 1_984_000, "an E1 is assumed"),
    }


@pytest.mark.parametrize(
    ("before", "platform", "release"),
    [
        ("!Chassis type: 7206VXR - a 7200 router\n!Image: Software: C7200-P-M, 12.3(14)T7, x\n", "cisco-7200vxr", "12.3(14)T7"),
        ("! Chassis type: ASR1006\n", "cisco-iosxe", "17.9.1"),
        ("boot system flash disk0:c7200-p-mz.122-15.T2.bin\n", "cisco-7200vxr", "12.2(15)T2"),
        ("!Chassis type: 12416/PRP - a GSR router\n!Image: Software: GSR-K4P-M, 12.0(32)SY9, x\n", "cisco-12400", "12.0(32)SY9"),
        ("boot system slot0:gsr-k4p-mz.120-28.S\n", "cisco-12400", "12.0(28)S"),
        ("", "cisco-7200vxr", "12.4"),
    ],
)  # fmt: skip
def test_platform_and_release_are_read_where_they_are_written(before: str, platform: str, release: str):
    found = router("a1", before=before)
    assert (found.platform, found.release) == (platform, release)
    assert bool(found.unsure) == (before == "" or "ASR" in before or "gsr" in before or "GSR" in before)


def test_engines_are_read_from_the_comments_of_a_12000():
    found = router(
        "a1",
        before="!Chassis type: GSR12410\n!Slot 1: POS OC-48, L3 Engine: 3 - ISE\n!Slot 4: GE, L3 Engine: 4+ \n",
    )
    assert found.engines == ((1, "3"), (4, "4+"))


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("Access JANET STM-1", "JANET"),
        ("to the university of somewhere", ""),
        ("STM-1 to GRNET via POS2/0", "GRNET"),
        ("10GE customer link", ""),
        ("", ""),
    ],
)
def test_a_name_out_of_a_description_is_one_that_is_written_as_a_name(description: str, name: str):
    assert organisation(description) == name
