"""Open edges: every enabled interface counts until something says it does not."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.safety import OpenEdge, Role, open_edges
from tests.pipeline.safety.test_interpreter import OBJECTS

BASE = """\
interface Loopback0
 ip address 192.0.2.9 255.255.255.255
interface POS1/0
 ip address 192.0.2.1 255.255.255.252
 service-policy input TRUSTED-IN
interface POS1/1
 ip address 192.0.2.13 255.255.255.252
 service-policy input NON-PARTICIPANT
interface POS2/0
 ip address 192.0.2.5 255.255.255.252
interface POS3/0
 ip address 192.0.2.17 255.255.255.252
 shutdown
interface ATM5/0
 no ip address
interface ATM5/0.1 point-to-point
 ip address 192.0.2.21 255.255.255.252
 pvc 0/32
  service-policy input NON-PARTICIPANT
"""
KNOWN = {
    "POS1/0": Role.ACCESS,
    "POS1/1": Role.PEERING,
    "POS2/0": Role.CORE,
    "ATM5/0.1 pvc 0/32": Role.ACCESS,
}


def edges(interfaces: str, **options) -> tuple[OpenEdge, ...]:
    return open_edges(ios.parse(f"hostname r1\n{OBJECTS}{interfaces}"), KNOWN, **options)


def test_a_covered_router_has_none():
    assert edges(BASE) == ()


@pytest.mark.parametrize(
    ("extra", "interface", "reason"),
    [
        ("interface POS7/0\n ip address 192.0.2.33 255.255.255.252\n", "POS7/0", "has no input policy"),
        ("interface POS7/0\n no ip address\n", "POS7/0", "not in the inventory"),
        ("interface Tunnel0\n ip address 192.0.2.33 255.255.255.252\n", "Tunnel0", "has no input policy"),
        (
            "interface POS7/0\n ip address 192.0.2.33 255.255.255.252\n service-policy input TRUSTED-IN\n",
            "POS7/0",
            "lets EF in",
        ),
        ("interface ATM5/0.2 point-to-point\n pvc 0/33\n", "ATM5/0.2 pvc 0/33", "has no input policy"),
    ],
)
def test_an_enabled_interface_nobody_knows_is_one(extra, interface, reason):
    (edge,) = edges(BASE + extra)
    assert edge.interface == interface
    assert reason in edge.reason


def test_one_that_remarks_everything_is_none_even_unknown():
    extra = (
        "interface POS7/0\n ip address 192.0.2.33 255.255.255.252\n service-policy input NON-PARTICIPANT\n"
    )
    assert edges(BASE + extra) == ()


def test_an_exemption_has_a_reason_and_counts():
    extra = "interface POS7/0\n ip address 192.0.2.33 255.255.255.252\n"
    assert edges(BASE + extra, exempt={"POS7/0": "management network"}) == ()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (" service-policy input TRUSTED-IN\n", "", "has no input policy"),
        ("input TRUSTED-IN", "input UNPOLICED", "without a policer"),
        ("input NON-PARTICIPANT\ninterface POS2/0", "input TRUSTED-IN\ninterface POS2/0", "is a peering"),
    ],
)
def test_a_known_edge_that_is_not_closed_is_one(old, new, reason):
    (edge,) = edges(BASE.replace(old, new, 1))
    assert reason in edge.reason


def test_another_policy_than_the_one_that_belongs_there_is_one():
    (edge,) = edges(BASE, expected={"POS1/0": "NON-PARTICIPANT"})
    assert edge == OpenEdge("POS1/0", "has TRUSTED-IN instead of NON-PARTICIPANT")
    assert edges(BASE, expected={"POS1/0": "TRUSTED-IN"}) == ()


def test_an_edge_survives_json():
    edge = OpenEdge("POS7/0", "has no input policy")
    assert OpenEdge.from_json(edge.to_json()) == edge


@pytest.mark.parametrize("within", ["match class-map HOSTS", "match class-map MIDDLE"])
def test_a_list_in_a_class_within_a_class_lets_in_too(within):
    extra = f"""\
ipv6 access-list hosts
 permit ipv6 2001:db8:b::/48 any
class-map match-any HOSTS
 match access-group name hosts
class-map match-all MIDDLE
 match class-map HOSTS
class-map match-any OUTER
 {within}
policy-map NESTED-IN
 class OUTER
  set dscp ef
 class class-default
  set dscp default
interface POS7/0
 ip address 192.0.2.33 255.255.255.252
 service-policy input NESTED-IN
"""
    (edge,) = edges(BASE + extra)
    assert edge.interface == "POS7/0"
    assert "without a policer" in edge.reason
