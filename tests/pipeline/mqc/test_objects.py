"""Objects are canonical when made: equal meaning is equality, everything else is not (ios-facts section 1)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import (
    AccessEntry,
    AccessList,
    Binding,
    Bps,
    BurstBits,
    BurstBytes,
    BurstMs,
    ClassMap,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    Reference,
    RunningConfig,
    SetField,
    canonical_json,
    digest,
    dscp,
    precedence,
    to_json,
    versioned_name,
)

FIVE = Percent(Decimal(5))


EQUAL: dict[str, tuple[object, object]] = {
    "names and numbers": (Match("dscp", frozenset({"ef", 8})), Match("dscp", frozenset({46, "cs1"}))),
    "access list by number": (
        Match("access-group", frozenset({"101"})),
        Match("access-group", frozenset({101})),
    ),
    "set default": (SetField("dscp", "default"), SetField("dscp", 0)),
    "percent": (Percent(Decimal("5.0")), FIVE),
    "default burst": (Police(Bps(8_000_000), BurstBytes(250_000)), Police(Bps(8_000_000))),
    "least default burst": (Police(Bps(8000), BurstBytes(1500)), Police(Bps(8000))),
    "both default bursts": (
        Police(Bps(8000), BurstBytes(1500), BurstBytes(1500)),
        Police(Bps(8000)),
    ),
    "no second bucket": (Police(FIVE, None, BurstMs(0)), Police(FIVE)),
    "violate as exceed": (Police(FIVE, violate=("drop",)), Police(FIVE)),
    "violate of a second bucket": (
        Police(FIVE, BurstMs(4), BurstMs(4)),
        Police(FIVE, BurstMs(4), BurstMs(4), violate=("drop",)),
    ),
    "order of actions": (
        Police(FIVE, exceed=("set-prec-transmit 2", "set-frde-transmit")),
        Police(FIVE, exceed=("set-frde-transmit", "set-prec-transmit  2")),
    ),
    "class-default last": (
        PolicyMap("P", (PolicyClass("class-default", frozenset({SetField("dscp", 0)})), PolicyClass("A"))),
        PolicyMap("P", (PolicyClass("A"), PolicyClass("class-default", frozenset({SetField("dscp", 0)})))),
    ),
    "empty class-default": (PolicyMap("P", (PolicyClass("class-default"),)), PolicyMap("P")),
    "precedences": (Match("precedence", frozenset({"critical"})), Match("precedence", frozenset({5}))),
    "numbers of a field": (Match("cos", frozenset({"3"})), Match("cos", frozenset({3}))),
    "blanks of a word": (
        Match("protocol", frozenset({"http  host x"})),
        Match("protocol", frozenset({"http host x"})),
    ),
    "blanks of other lines": (
        ClassMap("A", other_lines=frozenset({" a  b"})),
        ClassMap("A", other_lines=frozenset({"a b"})),
    ),
    "blanks of a policy's other lines": (
        PolicyMap("P", other_lines=frozenset({" a  b"}), description="c  d"),
        PolicyMap("P", other_lines=frozenset({"a b"}), description="c d"),
    ),
    "sequence numbers of a whole configuration": (
        RunningConfig(access_lists={"A": AccessList("A", 6, (AccessEntry(5, "permit ipv6 any any"),))}),
        RunningConfig(access_lists={"A": AccessList.of("A", 6, ("permit ipv6 any any",))}),
    ),
    "sequence numbers": (
        AccessList("A", 6, (AccessEntry(5, "permit ipv6 any any"),)),
        AccessList.of("A", 6, ("permit ipv6 any any",)),
    ),
    "order of typing": (
        AccessList("A", 6, (AccessEntry(20, "deny ipv6 any any"), AccessEntry(10, "permit tcp any any"))),
        AccessList.of("A", 6, ("permit tcp any any", "deny ipv6 any any")),
    ),
}


@pytest.mark.parametrize(("one", "other"), EQUAL.values(), ids=EQUAL.keys())
def test_equal(one: object, other: object) -> None:
    assert one == other
    assert isinstance(one, RunningConfig) or hash(one) == hash(other)
    assert digest(one) == digest(other)


DIFFERENT: dict[str, tuple[object, object]] = {
    "ip dscp": (Match("dscp", frozenset({46})), Match("ip dscp", frozenset({46}))),
    "not": (Match("dscp", frozenset({46})), Match("dscp", frozenset({46}), negated=True)),
    "one line and two": (
        ClassMap("A", "match-any", frozenset({Match("dscp", frozenset({8, 46}))})),
        ClassMap(
            "A", "match-any", frozenset({Match("dscp", frozenset({8})), Match("dscp", frozenset({46}))})
        ),
    ),
    "set ip dscp": (SetField("dscp", 0), SetField("ip dscp", 0)),
    "percent and bit/s": (Police(FIVE), Police(Bps(5))),
    "a burst of a percentage": (Police(FIVE, BurstMs(4)), Police(FIVE)),
    "a burst beside the default": (Police(Bps(8_000_000), BurstBytes(250_001)), Police(Bps(8_000_000))),
    "bytes and milliseconds": (Police(FIVE, BurstBytes(4)), Police(FIVE, BurstMs(4))),
    "cir and rate": (Police(FIVE), Police(FIVE, keyword="rate")),
    "violate unlike exceed": (
        Police(FIVE, exceed=("transmit",), violate=("drop",)),
        Police(FIVE, exceed=("transmit",)),
    ),
    "exceed": (Police(FIVE), Police(FIVE, exceed=("transmit",))),
    "order of classes": (
        PolicyMap("P", (PolicyClass("A"), PolicyClass("B"))),
        PolicyMap("P", (PolicyClass("B"), PolicyClass("A"))),
    ),
    "an empty class": (PolicyMap("P", (PolicyClass("A"),)), PolicyMap("P")),
    "order of entries": (
        AccessList.of("A", 6, ("permit tcp any any", "deny ipv6 any any")),
        AccessList.of("A", 6, ("deny ipv6 any any", "permit tcp any any")),
    ),
    "case of a name": (ClassMap("EF"), ClassMap("ef")),
    "any": (Match("any"), Match("any", negated=True)),
    "none of them": (ClassMap("A", "match-none"), ClassMap("A", "match-any")),
    "words": (Match("protocol", frozenset({"rtp"})), Match("protocol", frozenset({"http"}))),
    "access list by name": (
        Match("access-group", frozenset({"nren-a"})),
        Match("access-group", frozenset({"nren-b"})),
    ),
    "blanks in quotes": (ClassMap("A", description='"a  b"'), ClassMap("A", description='"a b"')),
    "letters beyond ASCII": (ClassMap("A", description="\u03b1"), ClassMap("A", description="\u03b2")),
    "other lines": (ClassMap("A", other_lines=frozenset({"x"})), ClassMap("A")),
    "other lines of a policy": (PolicyMap("P", other_lines=frozenset({"x"})), PolicyMap("P")),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_different(one: object, other: object) -> None:
    assert one != other
    assert digest(one) != digest(other)


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "kind": (lambda: Match("colour", frozenset({1})), "match"),
    "no value": (lambda: Match("dscp"), "match"),
    "one value": (lambda: Match("dscp", "ef"), "match"),  # type: ignore[arg-type]
    "any with value": (lambda: Match("any", frozenset({1})), "match"),
    "mode": (lambda: ClassMap("A", "match-some"), "class-map"),
    "name": (lambda: ClassMap("A B"), "class-map"),
    "no name": (lambda: PolicyMap(""), "policy-map"),
    "line end in a description": (lambda: ClassMap("A", description="a\nno policy-map P"), "description"),
    "class twice": (lambda: PolicyMap("P", (PolicyClass("A"), PolicyClass("A"))), "policy-map"),
    "percent": (lambda: Percent(Decimal(101)), "percent"),
    "no rate": (lambda: Bps(0), "rate"),
    "no action": (lambda: Police(FIVE, exceed=()), "exceed-action"),
    "keyword": (lambda: Police(FIVE, keyword="cri"), "police"),
    "direction": (lambda: Binding("POS1/0", None, "inwards", "P"), "service-policy"),
    "field": (lambda: SetField("ttl", 1), "set"),
    "family": (lambda: AccessList("A", 5), "access-list"),
    "sequence twice": (
        lambda: AccessList("A", 4, (AccessEntry(1, "permit ip any any"), AccessEntry(1, "deny ip any any"))),
        "access-list",
    ),
    "sequence": (lambda: AccessEntry(0, "permit ip any any"), "access-list"),
    "entry": (lambda: AccessEntry(1, "permit"), "access-list"),
    "truth for a sequence": (lambda: AccessEntry(True, "permit ip any any"), "access-list"),
    "name of a list": (lambda: AccessList("A B", 4), "access-list"),
    "a standard list of IPv6": (lambda: AccessList("A", 6, standard=True), "access-list"),
    "a number of an IPv6 remark": (
        lambda: AccessList("A", 6, (AccessEntry(1, "remark a"), AccessEntry(1, "permit ipv6 any any"))),
        "access-list",
    ),
    "version": (lambda: versioned_name("A", 0), "version"),
    "carriage return": (lambda: ClassMap("A", description="a\rb"), "description"),
    "zero": (lambda: ClassMap("A", description="a\0b"), "description"),
    "line end in a policy's description": (lambda: PolicyMap("P", description="a\nb"), "description"),
    "line end in other lines": (lambda: ClassMap("A", other_lines=frozenset({"a\nb"})), "class-map"),
    "line end in a policy's lines": (lambda: PolicyMap("P", other_lines=frozenset({"a\nb"})), "policy-map"),
    "line end in a match": (lambda: Match("opaque", frozenset({"a\nb"})), "match"),
    "no DSCP": (lambda: Match("dscp", frozenset({"expedite"})), "dscp"),
    "DSCP": (lambda: dscp(64), "dscp"),
    "precedence": (lambda: precedence(8), "precedence"),
    "name of a class": (lambda: PolicyClass("two words"), "class"),
    "interface": (lambda: Binding("POS 1/0", None, "input", "P"), "interface"),
    "pvc": (lambda: Binding("ATM1/0", "0 32", "input", "P"), "pvc"),
    "policy": (lambda: Binding("ATM1/0", None, "input", ""), "service-policy"),
    "truth for a rate": (lambda: Bps(True), "rate"),
    "half a bit": (lambda: Bps(0.5), "rate"),  # type: ignore[arg-type]
    "burst in bytes": (lambda: BurstBytes(-1), "burst"),
    "burst in bits": (lambda: BurstBits(-1), "burst"),
    "burst in ms": (lambda: BurstMs(-1), "burst"),
    "nothing of a percentage": (lambda: Percent(Decimal(0)), "percent"),
    "a word for a percentage": (lambda: Percent("five"), "percent"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("make", "field"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_is_refused_with_its_field(make: Callable[[], object], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        make()
    assert caught.value.field == field


def test_accessors_of_a_class() -> None:
    entry = PolicyClass("A", frozenset({Police(FIVE), SetField("precedence", 5), SetField("dscp", 46)}))
    assert entry.police == Police(FIVE)
    assert [mark.field for mark in entry.set_fields] == ["dscp", "precedence"]
    assert entry.priority is None
    assert entry.child is None


def test_json_does_not_depend_on_the_order_of_making() -> None:
    one = RunningConfig(class_maps={"B": ClassMap("B"), "A": ClassMap("A")})
    other = RunningConfig(class_maps={"A": ClassMap("A"), "B": ClassMap("B")})
    assert canonical_json(one) == canonical_json(other)
    assert list(to_json(one)["class_maps"]) == ["A", "B"]
    assert to_json(one)["class_maps"]["B"]["name"] == "B"


def test_json_is_one_text() -> None:
    assert canonical_json(ClassMap("A", description="\u03b1", matches=frozenset({Match("any")}))) == (
        """{
  "description": "\u03b1",
  "matches": [
    {
      "kind": "any",
      "negated": false,
      "values": []
    }
  ],
  "mode": "match-all",
  "name": "A",
  "other_lines": []
}
"""
    )
    assert to_json(AccessEntry(7, "permit ip any any")) == {"sequence": 7, "text": "permit ip any any"}


def test_digest_of_a_collection_ignores_its_order_and_tells_kinds_apart() -> None:
    assert digest([ClassMap("A"), ClassMap("B")]) == digest([ClassMap("B"), ClassMap("A")])
    assert digest(ClassMap("A")) == digest([ClassMap("A")])
    assert digest(ClassMap("A")) != digest(PolicyMap("A"))
    assert digest([]) != digest([ClassMap("A")])


def test_the_digest_is_for_ever() -> None:
    """Stored with every row of Ownership: changing it makes every router's objects look edited by hand."""
    policy = PolicyMap("P", (PolicyClass("A", frozenset({Police(FIVE), SetField("dscp", 46)})),))
    assert digest(policy) == "f3a66f18acfdffb658b599f5560abbfee40043a96a420586c6459576a9b424a9"
    assert (
        digest([policy, ClassMap("A")]) == "84e8d7ebc8daefdc2318e6e05d81fd45a87469b931a162df351952c2177eaf42"
    )


def test_bindings_are_found() -> None:
    config = RunningConfig(bindings=frozenset({Binding("ATM1/0.1", "0/32", "input", "P")}))
    assert config.bound("ATM1/0.1", "input", "0/32") == "P"
    assert config.bound("ATM1/0.1", "input") is None
    assert config.bound("ATM1/0.1", "output", "0/32") is None


def test_what_is_given_as_a_list_is_kept_as_a_set() -> None:
    binding, use = Binding("POS1/0", None, "output", "P"), Reference("class-map", "A", "router x")
    config = RunningConfig(bindings=[binding], references=[use])  # type: ignore[arg-type]
    assert (config.bindings, config.references) == (frozenset({binding}), frozenset({use}))


def test_a_class_is_found_by_its_name() -> None:
    fragment = PolicyClass("service-fragment BE")
    policy = PolicyMap("P", (PolicyClass("A"), fragment))
    assert policy.find("service-fragment BE") is fragment
    assert policy.find("B") is None


def test_a_name_that_a_router_took_is_taken() -> None:
    """Unprintable is not unusable: a soft hyphen is one word to IOS."""
    assert ClassMap("A\xadB").name == "A\xadB"
