"""Rewrite rules of classes, one test each, named after the rule (ios-facts N1-N10, N25-N29; docs/reference/rewrite-rules.md)."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import Match, dscp
from tests.pipeline.ios.spellings import class_map, different, matches, policy, same

NAMED = {0: "default", 46: "ef"}
NAMED |= {8 * each: f"cs{each}" for each in range(1, 8)}
NAMED |= {8 * family + 2 * drop: f"af{family}{drop}" for family in range(1, 5) for drop in range(1, 4)}


def test_n1_trailing_blanks() -> None:
    typed = class_map("match dscp 46") + policy(
        "police cir percent 5 conform-action transmit exceed-action drop",
        "bandwidth percent 10",
        "set dscp 0",
    )
    same(typed, typed.replace("\n", " \n"), typed.replace("\n", "   \n"))


def test_n2_two_blanks_before_dscp() -> None:
    same(class_map("match dscp 46"), class_map("match  dscp ef "), class_map("match dscp ef "))


def test_n3_a_number_becomes_its_name() -> None:
    for number in range(64):
        name = NAMED.get(number, str(number))
        assert dscp(name) == number
        same(class_map(f"match dscp {number}"), class_map(f"match dscp {name} "))
        same(policy(f"set dscp {number}"), policy(f"set dscp {name}"))


def test_n3b_a_number_stays_a_number_on_old_trains() -> None:
    same(class_map("match ip dscp ef"), class_map("match ip dscp 46 "))
    assert [dscp(word) for word in ("46", "ef", "EF", "0", "default")] == [46, 46, 46, 0, 0]


def test_n4_ip_dscp_is_ipv4_only() -> None:
    same(class_map("match ip dscp 46"), class_map("match ip dscp ef "))
    different(class_map("match dscp 46"), class_map("match ip dscp ef"))
    different(class_map("match precedence 5"), class_map("match ip precedence 5"))


def test_n5_values_of_one_line_sorted_and_two_blanks_apart() -> None:
    same(
        class_map("match not dscp 46 28 21 43 40 38"),
        class_map("match not dscp 21  af32  af43  cs5  43  ef "),
    )
    same(class_map("match ip precedence 5 2 4 3"), class_map("match ip precedence 2  3  4  5 "))
    different(class_map("match dscp 8 46"), class_map("match dscp 8", "match dscp 46"))
    different(
        class_map("match dscp 8 46", mode="match-any "),
        class_map("match dscp 8", "match dscp 46", mode="match-any "),
    )


def test_n6_several_lines_in_any_order() -> None:
    same(
        class_map("match dscp 46", "match access-group name X"),
        class_map("match access-group name X", "match  dscp ef "),
    )
    different(class_map("match dscp 46", "match access-group name X"), class_map("match dscp 46"))


def test_n7_not_keeps_its_name() -> None:
    same(class_map("match not dscp 8"), class_map("match not dscp cs1 "), class_map("match not  dscp cs1 "))
    different(class_map("match not dscp 8"), class_map("match dscp cs1"))


def test_n8_match_all_is_spelled_out() -> None:
    same(class_map("match dscp 46", mode=""), class_map("match dscp ef ", mode="match-all "))
    different(class_map("match dscp 46", mode=""), class_map("match dscp ef ", mode="match-any "))


def test_n9_two_blanks_before_cos_and_vlan() -> None:
    same(class_map("match cos 3", "match vlan 100"), class_map("match cos  3 ", "match vlan  100"))
    assert matches(class_map("match vlan inner  20")) == {Match("vlan inner", frozenset({20}))}


def test_n10_an_access_list_by_its_exact_name() -> None:
    typed = class_map("match access-group name nren-auth-ef")
    same(typed, class_map("match access-group name nren-auth-ef "))
    different(typed, class_map("match access-group name NREN-AUTH-EF"))
    same(class_map("match access-group 101"), class_map("match access-group  101 "))


def test_n25_objects_in_any_order() -> None:
    one, other = class_map("match dscp 46"), policy("set dscp 0")
    same(one + other, other + "!\n" + one)


def test_n26_classes_in_their_order_and_class_default_last() -> None:
    first, second = " class A\n  set dscp 46\n", " class B\n  set dscp 8\n"
    rest = " class class-default\n  set dscp 0\n"
    same(f"policy-map P\n{first}{rest}{second}", f"policy-map P\n{first}{second}{rest}")
    different(f"policy-map P\n{first}{second}", f"policy-map P\n{second}{first}")
    same(f"policy-map P\n{first}", f"policy-map P\n{first} class class-default\n")


def test_n27_one_leading_blank() -> None:
    typed = class_map("match dscp 46") + policy("police 8000") + "interface POS1/0\n service-policy input P\n"
    shown = " class-map match-all A\n  match dscp ef \n!\n!\n policy-map P\n  class A\n   police 8000\n!\n"
    same(typed, f"{shown}interface POS1/0\n service-policy input P\n!\n")


def test_n28_a_description_two_blanks_in() -> None:
    typed = class_map("description what is heard", "match dscp 46")
    same(typed, "class-map match-all A\n  description what is heard\n match dscp ef \n")
    assert ios.parse(typed).class_maps["A"].description == "what is heard"
    different(typed, class_map("match dscp 46"))


@pytest.mark.parametrize("blanks", [1, 2, 3])
def test_n29_a_binding_where_it_stands(blanks: int) -> None:
    pad = " " * blanks
    same(
        "interface POS1/0\n service-policy input P\ninterface ATM1/0\n pvc 0/32\n  service-policy output P\n",
        f"interface POS1/0\n{pad}service-policy input P\n!\ninterface ATM1/0\n pvc 0/32 \n {pad}service-policy output P\n !\n",
    )
    same(policy("service-policy CHILD"), f"policy-map P\n class A\n{pad}service-policy CHILD\n")
    different(
        "interface ATM1/0\n pvc 0/32\n  service-policy output P\n",
        "interface ATM1/0\n service-policy output P\n",
    )
