"""Who uses an object, said as the line of the section that does."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import Reference

LINES = {
    "class-map type inspect match-any C\n match class-map EF\n": {
        Reference("class-map", "EF", "class-map type inspect match-any C / match class-map EF")
    },
    "ntp access-group peer 10\n": {Reference("access-list", "10", "ntp access-group peer 10")},
    "ipv6 nat v6v4 source list NAT6 pool P\n": {
        Reference("access-list", "NAT6", "ipv6 nat v6v4 source list NAT6 pool P")
    },
    "route-map M permit 10\n match ip address 10 20\n": {
        Reference("access-list", name, "route-map M permit 10 / match ip address 10 20")
        for name in ("10", "20")
    },
}


@pytest.mark.parametrize(("text", "uses"), LINES.items())
def test_the_line_that_uses_it(text: str, uses: set[Reference]) -> None:
    assert ios.parse("hostname r\n" + text).references == uses


def test_a_community_may_use_a_list_of_each_family() -> None:
    found = ios.parse("hostname r\nsnmp-server community secret RO ipv6 SIX 10\n").references
    assert {use.name for use in found} == {"SIX", "10"}
    assert not any("secret" in use.by for use in found)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("interface POS4/0\n ip verify unicast source reachable-via rx 131\n", {"131"}),
        ("interface POS4/0\n ip verify unicast source reachable-via any allow-default BOGON\n", {"BOGON"}),
        ("interface POS4/0\n ip verify unicast reverse-path 132\n", {"132"}),
        ("interface POS4/0\n ipv6 verify unicast reverse-path SIX\n", {"SIX"}),
        ("interface POS4/0\n ip verify unicast source reachable-via rx allow-default\n", set()),
        ("interface POS4/0\n ip verify unicast source reachable-via any\n", set()),
        ("interface POS4/0\n ip verify unicast reverse-path\n", set()),
        ("interface POS4/0\n ip directed-broadcast 133\n", {"133"}),
        ("interface POS4/0\n ip directed-broadcast\n", set()),
        ("interface POS4/0\n ipv6 mld access-group LISTENERS\n", {"LISTENERS"}),
        ("mpls ldp advertise-labels for CORE-LOOPS\n", {"CORE-LOOPS"}),
        ("mpls ldp advertise-labels vrf RED for 11 to 12\n", {"11", "12"}),
        ("no mpls ldp advertise-labels\n", set()),
        ("tag-switching advertise-tags for 13\n", {"13"}),
        ("mpls ldp neighbor 192.0.2.7 labels accept 14\n", {"14"}),
        ("ip tcp intercept list 134\n", {"134"}),
        ("router rip\n offset-list 15 in 3 Serial1/0\n", {"15"}),
        ("router ospf 7\n distance 95 192.0.2.9 0.0.0.0 16\n", {"16"}),
        ("router ospf 7\n distance 95 192.0.2.9 0.0.0.0\n", set()),
        ("router bgp 64500\n distance bgp 20 200 200\n", set()),
        (
            "policy-map type service PORTAL\n 10 class type traffic WEB\n  redirect list 135 to group G\n",
            {"135"},
        ),
        ("tftp-server flash:image alias other 17\n", {"17"}),
        ("tftp-server flash:image alias other\n", set()),
    ],
)
def test_what_else_holds_a_list(text: str, names: set[str]) -> None:
    found = ios.parse("hostname r\n" + text).references
    assert {use.name for use in found} == names
    assert {use.kind for use in found} <= {"access-list"}
