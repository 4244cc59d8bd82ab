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
    BurstBytes,
    BurstMs,
    ClassMap,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    RunningConfig,
    SetField,
    base_name,
    canonical_json,
    default_burst_bytes,
    digest,
    dscp,
    dscp_name,
    to_json,
    versioned_name,
)

FIVE = Percent(Decimal(5))


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("ef", 46),
        ("EF", 46),
        ("default", 0),
        ("cs1", 8),
        ("cs7", 56),
        ("af11", 10),
        ("af43", 38),
        ("45", 45),
        (" 7 ", 7),
    ],
)
def test_a_dscp_is_its_number(name: str, number: int) -> None:
    assert dscp(name) == number
    assert dscp(dscp_name(number)) == number


@pytest.mark.parametrize("value", ["", "af44", "64", "-1", "cs8", 64, -1, "٤٦"])
def test_what_is_no_dscp(value: int | str) -> None:
    with pytest.raises(InvalidInput):
        dscp(value)


@pytest.mark.parametrize(
    ("name", "base", "version"),
    [
        ("TRUSTED-IN", "TRUSTED-IN", 1),
        ("TRUSTED-IN-2", "TRUSTED-IN", 2),
        ("TRUSTED-IN-12", "TRUSTED-IN", 12),
        ("TRUSTED-IN-1", "TRUSTED-IN-1", 1),
        ("TRUSTED-IN-02", "TRUSTED-IN-02", 1),
        ("nren-auth-ef-2-3", "nren-auth-ef-2", 3),
    ],
)
def test_versions_of_a_name(name: str, base: str, version: int) -> None:
    assert base_name(name) == (base, version)
    assert versioned_name(base, version) == name


def test_there_is_no_version_zero() -> None:
    with pytest.raises(InvalidInput):
        versioned_name("A", 0)


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
    assert hash(one) == hash(other)
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
}


@pytest.mark.parametrize(("make", "field"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_is_refused_with_its_field(make: Callable[[], object], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        make()
    assert caught.value.field == field


def test_default_burst_is_a_32nd_of_the_rate() -> None:
    assert [default_burst_bytes(rate) for rate in (8000, 48_000, 290_000, 1_500_000)] == [
        1500,
        1500,
        9062,
        46875,
    ]


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


def test_digest_of_a_collection_ignores_its_order_and_tells_kinds_apart() -> None:
    assert digest([ClassMap("A"), ClassMap("B")]) == digest([ClassMap("B"), ClassMap("A")])
    assert digest(ClassMap("A")) == digest([ClassMap("A")])
    assert digest(ClassMap("A")) != digest(PolicyMap("A"))
    assert digest([]) != digest([ClassMap("A")])


def test_the_digest_is_for_ever() -> None:
    """Stored with every row of Ownership: changing it makes every router's objects look edited by hand."""
    policy = PolicyMap("P", (PolicyClass("A", frozenset({Police(FIVE), SetField("dscp", 46)})),))
    assert digest(policy) == "f3a66f18acfdffb658b599f5560abbfee40043a96a420586c6459576a9b424a9"


def test_bindings_are_found() -> None:
    config = RunningConfig(bindings=frozenset({Binding("ATM1/0.1", "0/32", "input", "P")}))
    assert config.bound("ATM1/0.1", "input", "0/32") == "P"
    assert config.bound("ATM1/0.1", "input") is None
