"""Lines of class-maps and policy-maps at the edge of their forms: what each is, or where it is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import (
    Action,
    Bps,
    BurstBytes,
    BurstMs,
    Match,
    OpaqueAction,
    Percent,
    Police,
    RandomDetect,
    SetField,
    WredThreshold,
)
from tests.pipeline.ios.spellings import actions, class_map, matches, policy

MATCHES = {
    "not any": Match("any", negated=True),
    "not cos 3": Match("cos", frozenset({3}), negated=True),
    "not dscp 8": Match("dscp", frozenset({8}), negated=True),
    "not input-interface POS 1/0": Match("input-interface", frozenset({"POS1/0"}), negated=True),
    "not protocol rtp": Match("protocol", frozenset({"rtp"}), negated=True),
    "not access-group 101": Match("access-group", frozenset({101}), negated=True),
    "access-group": Match("opaque", frozenset({"access-group"})),
    "access-group 101 102": Match("opaque", frozenset({"access-group 101 102"})),
    "access-group name two words": Match("opaque", frozenset({"access-group name two words"})),
    "protocol": Match("opaque", frozenset({"protocol"})),
    "input-interface": Match("opaque", frozenset({"input-interface"})),
    "atm clp": Match("opaque", frozenset({"atm clp"})),
    "dscp": Match("opaque", frozenset({"dscp"})),
    "something new": Match("opaque", frozenset({"something new"})),
    "not something new": Match("opaque", frozenset({"something new"}), negated=True),
    "dscp 99": Match("opaque", frozenset({"dscp 99"})),
    "not dscp 99": Match("opaque", frozenset({"dscp 99"}), negated=True),
    'not protocol http url "a  b"': Match("protocol", frozenset({'http url "a  b"'}), negated=True),
}


@pytest.mark.parametrize(("line", "match"), MATCHES.items(), ids=MATCHES.keys())
def test_a_match_is_not_turned_round_or_lost(line: str, match: Match) -> None:
    assert matches(class_map(f"match {line}")) == {match}


def test_what_somebody_intends_may_be_new_but_not_wrong() -> None:
    """A form not known here is kept even where a wrong value of a known one is refused."""
    (found,) = ios.parse_fragment(class_map("match not something new")).class_maps.values()
    assert found.matches == {Match("opaque", frozenset({"something new"}), negated=True)}


def test_a_class_map_entered_twice_has_the_lines_of_both() -> None:
    text = class_map("match dscp 46", "odd line", "exit") + class_map("match cos 5", "odder line")
    (found,) = ios.parse(text).class_maps.values()
    assert found.matches == {Match("dscp", frozenset({46})), Match("cos", frozenset({5}))}
    assert found.other_lines == {"odd line", "odder line"}
    assert found.description == ""


POLICERS: dict[str, Action] = {
    "police cir percent 5 bc 4 msec": Police(Percent(Decimal(5)), BurstMs(4)),
    "police cir 64000000 bc 9000 bytes be 18000 byte": Police(
        Bps(64_000_000), BurstBytes(9000), BurstBytes(18_000)
    ),
    "police 8000 pps": OpaqueAction("police 8000 pps"),
    "police rate 100 cps burst 5 packets": OpaqueAction("police rate 100 cps burst 5 packets"),
    "police 8000 other 9000": OpaqueAction("police 8000 other 9000"),
    "police 8000 bc 3000 bc 4000": OpaqueAction("police 8000 bc 3000 bc 4000"),
    "police 8000 / exceed-color c": OpaqueAction("police 8000 exceed-color c"),
    "police 8000 / violate-color c": OpaqueAction("police 8000 violate-color c"),
    "police 8000 / exit": Police(Bps(8000)),
    "violate-color c": OpaqueAction("violate-color c"),
}


@pytest.mark.parametrize(("lines", "action"), POLICERS.items(), ids=POLICERS.keys())
def test_a_policer_is_understood_or_kept_whole(lines: str, action: Action) -> None:
    assert actions(policy(*lines.split(" / "))) == {action}


WRED: dict[str, RandomDetect] = {
    "dscp-based / random-detect ecn": RandomDetect("dscp", ecn=True),
    "discard-class-based / random-detect discard-class 3 24 40": RandomDetect(
        "discard-class", frozenset({WredThreshold(3, 24, 40)})
    ),
    "precedence critical 24 40 20": RandomDetect("precedence", frozenset({WredThreshold(5, 24, 40, 20)})),
    "precedence rsvp 24 40": RandomDetect("precedence", frozenset({WredThreshold("rsvp", 24, 40)})),
    "dscp ef 24 ms 40 ms 5": RandomDetect("dscp", frozenset({WredThreshold(46, 24, 40, 5, "ms")})),
    "dscp ef 24": RandomDetect("dscp", other_lines=frozenset({"dscp ef 24"})),
    "dscp ef 24 40 10 5": RandomDetect("dscp", other_lines=frozenset({"dscp ef 24 40 10 5"})),
    "dscp ef 24 packets 40 ms": RandomDetect("dscp", other_lines=frozenset({"dscp ef 24 packets 40 ms"})),
    "dscp ef 24 40 odd": RandomDetect("dscp", other_lines=frozenset({"dscp ef 24 40 odd"})),
    "discard-class low 24 40": RandomDetect(
        "discard-class", other_lines=frozenset({"discard-class low 24 40"})
    ),
    "flow  average-depth-factor 4": RandomDetect(other_lines=frozenset({"flow average-depth-factor 4"})),
}


@pytest.mark.parametrize(("lines", "action"), WRED.items(), ids=WRED.keys())
def test_a_profile_is_understood_or_its_line_kept(lines: str, action: Action) -> None:
    assert actions(policy(*f"random-detect {lines}".split(" / "))) == {action}


def test_leaving_before_any_class_says_nothing() -> None:
    assert not ios.parse("policy-map P\n exit\n").policy_maps["P"].other_lines


def test_a_class_and_a_policy_entered_twice_go_on() -> None:
    text = "policy-map P\n odd line\n class A\n  set dscp 46\n class B\n  set dscp 8\n class A\n  police 8000\n  exit\n exit\n"
    text += "policy-map P\n description both\n odder line\n class B\n  set cos 1\n"
    (found,) = ios.parse(text).policy_maps.values()
    assert [(entry.name, entry.actions) for entry in found.classes] == [
        ("A", {SetField("dscp", 46), Police(Bps(8000))}),
        ("B", {SetField("dscp", 8), SetField("cos", 1)}),
    ]
    assert found.description == "both"
    assert found.other_lines == {"odd line", "odder line"}
    assert ios.parse(policy("set dscp 0")).policy_maps["P"].description == ""


REFUSED = {
    "an action before a class": ("policy-map P\n priority\n", "before any class", 2),
    "a class without name": ("policy-map P\n class A\n class\n", "names no class", 3),
    "a class of two names": ("policy-map P\n class A B\n", "names no class", 2),
    "a fragment of two names": ("policy-map P\n class service-fragment A B\n", "names no class", 2),
    "an interface of no name": ("hostname r\ninterface 9\n", "names no interface", 2),
    "a colour behind another line": (
        policy("police 8000", "set dscp 0", "exceed-action drop"),
        "without police",
        5,
    ),
    "a colour without action in between": (
        policy("police 8000 conform-action exceed-action drop"),
        "conform-action without an action",
        3,
    ),
    "a colour without action on its own line": (
        policy("police 8000", "conform-action transmit", "exceed-action"),
        "exceed-action without an action",
        5,
    ),
    "a bad name of a class-map": ("hostname r\nclass-map match-all A\x01\n", "control character", 2),
    "a bad name of a policy-map": ("hostname r\npolicy-map P\x01\n class A\n", "control character", 2),
    "a bad name in a policy-map entered again": (
        "policy-map P\n class A\npolicy-map P\n class B\x01\n  set cos 5\n",
        "control character",
        3,
    ),
    "an end of a macro": ("hostname r\nmacro name M\n shutdown\n", "ends this macro", 2),
}


@pytest.mark.parametrize(("text", "reason", "line"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_where_it_stands(text: str, reason: str, line: int) -> None:
    with pytest.raises(ParseFailure, match=reason) as caught:
        ios.parse(text)
    assert caught.value.line == line
