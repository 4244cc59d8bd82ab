"""Lines at the edge of what the reader does at once: what stands before a text, at the margin, or further to the right."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import Reference


def test_what_stands_before_a_mark_is_read() -> None:
    before = "hostname r\ninterface POS1/0\n bandwidth 64\n"
    found = ios.parse(f"{before} shutdown\n description ^\n no ip address\nline vty 0 4\n").interfaces[
        "POS1/0"
    ]
    assert (found.shutdown, found.bandwidth_kbit, found.description) == (True, 64, "^")


def test_a_text_within_an_interface_is_no_line_of_it() -> None:
    found = ios.parse(
        "hostname r\ninterface POS1/0\n notice ^C\n shutdown\n ^C\n bandwidth 64\nline vty 0 4\n"
    )
    assert not found.interfaces["POS1/0"].shutdown
    assert found.interfaces["POS1/0"].bandwidth_kbit == 64


def test_a_word_that_comes_twice_stands_where_it_comes_first() -> None:
    found = ios.parse(
        "hostname r\ninterface ATM1/0\n pvc 1/32\n  ubr 5\n description a description\nline vty 0 4\n"
    )
    assert found.interfaces["ATM1/0"].description == "a description"


def test_a_wrong_value_at_the_margin_is_refused_with_its_line() -> None:
    with pytest.raises(ParseFailure) as caught:
        ios.parse_fragment("class-map match-all A\nmatch dscp 64\n")
    assert (caught.value.line, "0..63" in caught.value.reason) == (2, True)


def test_objects_further_to_the_right_are_objects() -> None:
    found = ios.parse("hostname r\n policy-map P\n  class A\n   set dscp 8\n class-map match-all A\n")
    assert [each.name for each in found.policy_maps["P"].classes] == ["A"]
    assert set(found.class_maps) == {"A"}


@pytest.mark.parametrize("lead", [" ", "  ", "   "])
def test_a_whole_text_further_to_the_right(lead: str) -> None:
    lines = ["hostname r", "policy-map P", " class A", "interface POS1/0", " shutdown", "hostname s"]
    found = ios.parse("\n".join(lead + line for line in lines))
    assert (set(found.policy_maps), found.interfaces["POS1/0"].shutdown) == ({"P"}, True)
    assert found.hostname == "s"


@pytest.mark.parametrize(
    "follows",
    ["hostname r\n", "interface POS1/0\n shutdown\nline vty 0 4\n", "interface POS1/0\n shutdown\n"],
)
def test_a_text_that_begins_inside_a_section(follows: str) -> None:
    assert ios.parse(f" set dscp 8\n{follows}")
    with pytest.raises(ParseFailure, match="beginning is missing") as caught:
        ios.parse(f"  set dscp 8\n{follows}")
    assert caught.value.line == 1


@pytest.mark.parametrize("line", ["configure terminal", "conf t", "exit"])
def test_what_is_typed_around_a_list_of_objects_is_no_object(line: str) -> None:
    assert set(ios.parse_fragment(f"{line}\nclass-map match-all A\n match dscp 8\n{line}\n").class_maps) == {
        "A"
    }


def test_a_binding_of_nothing_is_a_use() -> None:
    found = ios.parse("hostname r\nservice-policy input P\n")
    assert found.references == {Reference("policy-map", "P", "service-policy input P")}


def test_a_binding_to_a_policy_of_a_type_is_no_use_of_another() -> None:
    found = ios.parse(
        "hostname r\ninterface POS1/0\n service-policy input P type x\n shutdown\nline vty 0 4\n"
    )
    assert {each.name for each in found.references} == {"P"}


def test_a_binding_to_nothing_but_a_type_is_none() -> None:
    found = ios.parse("hostname r\ninterface POS1/0\n service-policy input type\n shutdown\nline vty 0 4\n")
    assert not found.bindings and found.interfaces["POS1/0"].shutdown


@pytest.mark.parametrize(
    ("header", "name", "sub"),
    [
        ("interface Loop", "Loop", False),
        ("interface p 1/0", "p1/0", False),
        ("interface p 1/0.5", "p1/0.5", True),
        ("interface Vlan.x", "Vlan.x", False),
    ],
)
def test_names_that_are_short_or_without_a_number(header: str, name: str, sub: bool) -> None:
    (state,) = ios.parse(f"hostname r\n{header}\n shutdown\n").interfaces.values()
    assert (state.name, state.is_subinterface, state.shutdown) == (name, sub, True)
