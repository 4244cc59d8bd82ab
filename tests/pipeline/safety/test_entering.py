"""What an input policy lets in, where more than one condition, colour or field decides."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.intent import Role
from provisioning.pipeline.safety import InterfaceQos, Marker, interface_states
from provisioning.pipeline.safety.packets import Packet, fates

LISTS = """\
hostname r1
ipv6 access-list from
 permit ipv6 2001:db8:a::/48 any
ipv6 access-list to
 permit ipv6 any 2001:db8:f::/48
class-map match-all FROM-AND-TO
 match access-group name from
 match access-group name to
class-map match-all INNER
 match access-group name to
class-map match-all NESTED
 match access-group name from
 match class-map INNER
class-map match-all FROM-AF
 match access-group name from
 match dscp af11
class-map match-all FROM
 match access-group name from
class-map match-all EF
 match dscp ef
policy-map IN
"""
REST = " class class-default\n  set dscp default\ninterface POS1/0\n service-policy input IN\n"


def state(policy: str, premium: frozenset[int] = frozenset({46})) -> InterfaceQos:
    held = ios.parse(f"{LISTS}{policy}{REST}")
    return interface_states(
        held, {"POS1/0": Role.ACCESS}, premium=premium, allowed=frozenset({0, 8}) | premium
    )["POS1/0"]


@pytest.mark.parametrize("name", ["FROM-AND-TO", "NESTED", "FROM-AF"])
def test_a_class_that_asks_more_than_one_list_still_makes_ef(name: str) -> None:
    """Two lists at once, one of them in a class within it, or a mark that is neither premium nor allowed."""
    found = state(f" class {name}\n  set dscp ef\n")
    assert (found.marker, found.ef_rate) == (Marker.ACL, "unlimited")
    assert "permit ipv6 2001:db8:a::/48 any" in found.authorised
    assert set(found.authorised) == set(found.partial)


@pytest.mark.parametrize(
    ("mark", "authorised"), [("precedence 1", ()), ("dscp ef", ("permit ipv6 2001:db8:a::/48 any",))]
)
def test_a_list_authorises_only_whom_something_else_does_not(mark: str, authorised: tuple[str, ...]) -> None:
    """What arrives as EF is taken by the class before the list's: those on the list have EF of it like everybody."""
    police = "police cir percent 5 conform-action transmit exceed-action set-dscp-transmit 0"
    found = state(f" class EF\n  {police}\n class FROM\n  set {mark}\n")
    assert (found.marker, found.authorised) == (Marker.NREN, authorised)


@pytest.mark.parametrize(
    ("colours", "rate"),
    [
        ("cir percent 5 conform-action transmit exceed-action drop", "percent 5"),
        ("cir percent 5 conform-action transmit exceed-action transmit", "unlimited"),
        ("cir percent 5 bc 9000 be 9000 conform-action transmit exceed-action drop violate-action transmit", "unlimited"),
        ("cir percent 5 bc 9000 be 9000 conform-action transmit exceed-action transmit violate-action drop", "percent 5"),
        ("cir percent 5 pir percent 9 conform-action transmit exceed-action transmit violate-action drop", "percent 9"),
        (
            "cir percent 5 pir percent 9 conform-action transmit exceed-action set-dscp-transmit 0 violate-action drop",
            "percent 5",
        ),
        (
            "cir percent 5 pir percent 9 conform-action transmit exceed-action transmit violate-action set-dscp-transmit 0",
            "percent 9",
        ),
        ("cir percent 5 conform-action drop exceed-action transmit", "unlimited"),
        ("cir percent 5 conform-action drop exceed-action drop", "none"),
    ],
)  # fmt: skip
def test_what_a_policer_of_three_colours_limits(colours: str, rate: str) -> None:
    assert state(f" class EF\n  police {colours}\n").ef_rate == rate


@pytest.mark.parametrize(
    ("mark", "premium", "rate"),
    [
        ("set precedence 5", 40, "unlimited"),
        ("set precedence 5", 46, "none"),
        ("set dscp cs5", 40, "unlimited"),
    ],
)
def test_a_precedence_is_a_mark_too(mark: str, premium: int, rate: str) -> None:
    assert state(f" class FROM\n  {mark}\n", frozenset({premium})).ef_rate == rate


@pytest.mark.parametrize(
    ("mark", "left"), [("set precedence 5", (40, 40)), ("set ip precedence 5", (40, 46))]
)
def test_an_ip_precedence_is_one_of_ipv4_only(mark: str, left: tuple[int, int]) -> None:
    held = ios.parse(f"{LISTS} class EF\n  {mark}\n{REST}")
    found = [fates(held, held.policy_maps["IN"], Packet(family, 46)) for family in (4, 6)]
    assert [{fate.dscp for fate in each} for each in found] == [{dscp} for dscp in left]


def test_a_list_of_a_policy_is_met_with_one_of_the_policy_inside_it() -> None:
    inside = "policy-map INSIDE\n class INNER\n  set dscp ef\n class class-default\n  set dscp default\npolicy-map IN\n"
    held = ios.parse(
        f"{LISTS.replace('policy-map IN', inside[:-1])} class FROM\n  service-policy INSIDE\n{REST}"
    )
    found = interface_states(held, {"POS1/0": Role.ACCESS})["POS1/0"]
    assert (found.marker, found.ef_rate) == (Marker.ACL, "unlimited")


@pytest.mark.parametrize(
    ("entries", "partial"),
    [
        ("permit ipv6 any any\n deny ipv6 any any", ()),
        ("deny ipv6 any any\n permit ipv6 any any", ("permit ipv6 any any",)),
        (
            "permit ipv6 2001:db8:c::/48 any\n deny ipv6 2001:db8:d::/48 any\n permit ipv6 2001:db8::/32 any",
            ("permit ipv6 2001:db8::/32 any",),
        ),
        ("deny ipv6 2001:db8:d::/48 any\n permit ipv6 2001:db8:c::/48 any", ()),
    ],
    ids=["denied behind it", "denied before it", "the wide one", "something else is denied"],
)
def test_what_an_entry_lets_in_only_in_part(entries: str, partial: tuple[str, ...]) -> None:
    whole = LISTS.replace("permit ipv6 2001:db8:a::/48 any", entries)
    held = ios.parse(f"{whole} class FROM\n  set dscp ef\n{REST}")
    assert interface_states(held, {"POS1/0": Role.ACCESS})["POS1/0"].partial == partial


ROUTING = """\
hostname r1
ipv6 access-list peer
 permit ipv6 host 2001:db8:1::2 host 2001:db8:1::1
class-map match-all ROUTING
 match access-group name peer
 match dscp cs6
policy-map IN
 class ROUTING
  police 64000 conform-action transmit exceed-action set-dscp-transmit 0
"""


def test_who_keeps_a_mark_that_others_lose_is_named() -> None:
    held = ios.parse(f"{ROUTING}{REST}")
    found = interface_states(held, {"POS1/0": Role.ACCESS})["POS1/0"]
    assert found.exempted == ("permit ipv6 host 2001:db8:1::2 host 2001:db8:1::1",)
    assert (found.marker, found.authorised, found.remarks_rest) == (Marker.ROUTER, (), True)
