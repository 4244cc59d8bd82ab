"""When two objects mean the same, and what may be edited while packets meet it: each rule by itself."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

import pytest

from provisioning.pipeline.diff.compare import (
    editable_in_use,
    editable_unused,
    named,
    policer_rates_only,
    rate_order,
    same,
)
from provisioning.pipeline.mqc import (
    AccessList,
    Bps,
    BurstBytes,
    ClassMap,
    Match,
    OpaqueAction,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    SetField,
)

A, B = "permit ipv6 2001:db8:a::/48 any", "permit ipv6 2001:db8:b::/48 any"
HOSTS = AccessList.of("hosts", 6, (A, B))
EF = ClassMap("EF", "match-all", frozenset({Match("dscp", frozenset({46}))}))
FIVE, TWO_M = Police(Percent(Decimal(5))), Police(Bps(2_000_000))


def police(rate: str, **words: object) -> Police:
    return Police(Percent(Decimal(rate)), **words)  # type: ignore[arg-type]


def policy(*actions: object, name: str = "IN", description: str = "", **words: object) -> PolicyMap:
    entries = (PolicyClass("EF", frozenset(actions)), PolicyClass("LBE", frozenset({FIVE})))  # type: ignore[arg-type]
    return PolicyMap(name, entries, description, **words)  # type: ignore[arg-type]


def test_the_own_name_is_no_part_of_what_an_object_means():
    assert same(EF, named(EF, "EF-2"))
    assert same(HOSTS, AccessList.of("hosts-2", 6, (B, A)))
    assert not same(EF, dataclasses.replace(EF, mode="match-any"))
    assert not same(ClassMap("EF"), PolicyMap("EF"))
    assert not same(HOSTS, ClassMap("hosts"))
    assert not same(ClassMap("hosts"), HOSTS)
    assert named(EF, "EF") is EF
    assert named(EF, "EF-2").name == "EF-2"


def test_a_list_in_use_is_edited_where_the_way_back_is_as_safe():
    more = AccessList.of("other", 6, (A, B, "permit ipv6 2001:db8:c::/48 any"))
    edited = editable_in_use(HOSTS, more)
    assert edited is not None
    assert edited.name == "hosts"
    assert same(edited, more)
    assert editable_in_use(HOSTS, AccessList.of("hosts", 6, ())) is None
    assert editable_in_use(AccessList.of("hosts", 6, ()), HOSTS) is None
    # An IPv4 list that is closed behind cannot get its entry back before the deny: old trains print no numbers.
    closed = AccessList.of("hosts", 4, ("permit ip host 192.0.2.1 any", "deny ip any any"))
    opened = AccessList.of("hosts", 4, ("permit ip host 192.0.2.1 any",))
    assert editable_in_use(opened, closed) is None
    assert editable_in_use(HOSTS, EF) is None
    assert editable_in_use(EF, HOSTS) is None


def test_of_a_class_map_in_use_only_the_description_changes():
    described = dataclasses.replace(EF, name="EF-9", description="as agreed")
    edited = editable_in_use(EF, described)
    assert edited == dataclasses.replace(EF, description="as agreed")
    other = dataclasses.replace(EF, matches=frozenset({Match("dscp", frozenset({40}))}))
    assert editable_in_use(EF, other) is None
    assert editable_in_use(EF, dataclasses.replace(EF, mode="match-any")) is None
    assert editable_in_use(EF, policy(FIVE)) is None
    assert editable_in_use(policy(FIVE), EF) is None


def test_of_a_policy_in_use_only_rates_bursts_and_the_description_change():
    held = policy(FIVE, SetField("dscp", 46))
    lower = policy(police("1", burst=BurstBytes(9000)), SetField("dscp", 46), name="IN-2", description="less")
    assert editable_in_use(held, lower) == dataclasses.replace(lower, name="IN")
    assert policer_rates_only(held, held)
    unpoliced = PolicyClass("OTHER", frozenset({SetField("dscp", 0)}))
    wider, narrower = (
        PolicyMap("IN", (PolicyClass("EF", frozenset({rate})), unpoliced)) for rate in (FIVE, police("1"))
    )
    assert editable_in_use(wider, narrower) == narrower


@pytest.mark.parametrize(
    "other",
    [
        policy(FIVE),
        policy(SetField("dscp", 46)),
        policy(FIVE, SetField("dscp", 0)),
        policy(police("5", exceed=("transmit",)), SetField("dscp", 46)),
        policy(police("5", conform=("set-dscp-transmit 46",)), SetField("dscp", 46)),
        policy(police("5", peak_rate=Percent(Decimal(9))), SetField("dscp", 46)),
        policy(police("5", keyword="rate"), SetField("dscp", 46)),
        policy(FIVE, SetField("dscp", 46), other_lines=frozenset({"unknown"})),
        PolicyMap("IN", policy(FIVE, SetField("dscp", 46)).classes[::-1]),
        PolicyMap("IN", policy(FIVE, SetField("dscp", 46)).classes[:1]),
    ],
    ids=[
        "set goes",
        "police goes",
        "set",
        "exceed",
        "conform",
        "peak",
        "keyword",
        "other lines",
        "order",
        "class",
    ],
)
def test_anything_else_takes_a_new_policy_while_packets_meet_it(other):
    held = policy(FIVE, SetField("dscp", 46))
    assert editable_in_use(held, other) is None
    assert editable_in_use(other, held) is None


def test_violate_is_part_of_what_a_policer_does():
    two, three = (
        police("5", excess_burst=BurstBytes(9000), violate=(done,)) for done in ("drop", "transmit")
    )
    assert editable_in_use(policy(two), policy(three)) is None
    assert editable_in_use(policy(two), policy(dataclasses.replace(two, rate=Percent(Decimal(6)))))


def test_what_no_packet_meets_may_change_what_it_matches_but_not_its_mode():
    other = dataclasses.replace(EF, name="EF-2", matches=frozenset({Match("dscp", frozenset({40}))}))
    assert editable_unused(EF, other) == dataclasses.replace(other, name="EF")
    assert editable_unused(EF, dataclasses.replace(other, mode="match-any")) is None
    assert editable_unused(EF, dataclasses.replace(other, other_lines=frozenset({"match unknown"}))) is None
    assert editable_unused(EF, policy(FIVE)) is None
    assert editable_unused(policy(FIVE), EF) is None
    assert editable_unused(HOSTS, EF) is None
    assert editable_unused(HOSTS, AccessList.of("hosts", 6, (A,))) == AccessList.of("hosts", 6, (A,))


def test_a_policy_no_packet_meets_is_edited_where_both_ways_are_known():
    held, other = policy(FIVE), policy(SetField("dscp", 46), name="IN-2")
    assert editable_unused(held, other) == dataclasses.replace(other, name="IN")
    opaque = policy(FIVE, OpaqueAction("compression header ip"))
    assert editable_unused(held, opaque) is None
    assert editable_unused(opaque, held) is None


@pytest.mark.parametrize(
    ("old", "new", "bandwidth", "order"),
    [
        (FIVE, police("1"), None, -1),
        (FIVE, police("7"), None, 1),
        (FIVE, FIVE, None, 0),
        (TWO_M, Police(Bps(2_000_001)), None, 1),
        (TWO_M, Police(Bps(1_999_999)), None, -1),
        (FIVE, TWO_M, None, None),
        (TWO_M, FIVE, None, None),
        (FIVE, TWO_M, 40_000_000, 0),
        (FIVE, TWO_M, 40_000_001, -1),
        (TWO_M, FIVE, 40_000_001, 1),
        (TWO_M, FIVE, 39_999_999, -1),
    ],
)
def test_which_policer_lets_more_through(old, new, bandwidth, order):
    assert rate_order(old, new, bandwidth) == order
