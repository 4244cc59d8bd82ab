"""Actions of a class are canonical when made, and say which field is wrong when they cannot be (ios-facts N11-N24)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import (
    Action,
    Bandwidth,
    Bps,
    BurstBits,
    BurstBytes,
    BurstMs,
    ChildPolicy,
    OpaqueAction,
    Percent,
    Police,
    Priority,
    RandomDetect,
    SetField,
    Shape,
    WredThreshold,
)

FIVE = Percent(Decimal(5))
MEGA = Bps(1_000_000)
EIGHT = Bps(8_000_000)
LINE = WredThreshold(46, 30, 50)


def quarter(rate: int, bits: int) -> Shape:
    return Shape("average", Bps(rate), BurstBits(bits), BurstBits(bits))


EQUAL: dict[str, tuple[Callable[[], Action], Callable[[], Action]]] = {
    "a DSCP of a tunnel": (lambda: SetField("dscp tunnel", "ef"), lambda: SetField("dscp tunnel", 46)),
    "a precedence of a tunnel": (
        lambda: SetField("precedence tunnel", "critical"),
        lambda: SetField("precedence tunnel", 5),
    ),
    "IPv4 only": (lambda: SetField("ip dscp", "af11"), lambda: SetField("ip dscp", 10)),
    "precedence of IPv4": (
        lambda: SetField("ip precedence", "critical"),
        lambda: SetField("ip precedence", 5),
    ),
    "precedence": (lambda: SetField("precedence", "flash"), lambda: SetField("precedence", 3)),
    "digits of another field": (lambda: SetField("cos", "5"), lambda: SetField("cos", 5)),
    "blanks before a table": (
        lambda: SetField("dscp", " cos  table T "),
        lambda: SetField("dscp", "cos table T"),
    ),
    "default burst of a priority": (lambda: Priority("kbps", 64, 1600), lambda: Priority("kbps", 64)),
    "percent of a priority": (
        lambda: Priority("percent", 10),
        lambda: Priority("percent", Decimal("10.0")),
    ),
    "percent of a bandwidth": (
        lambda: Bandwidth("percent", 10),
        lambda: Bandwidth("percent", Decimal("10.0")),
    ),
    "remaining percent": (
        lambda: Bandwidth("remaining percent", 5),
        lambda: Bandwidth("remaining percent", Decimal("5.0")),
    ),
    "buckets of 25 ms": (lambda: quarter(1_000_000, 25_000), lambda: Shape("average", MEGA)),
    "buckets of 25 ms of an odd rate": (
        lambda: quarter(64_070, 1601),
        lambda: Shape("average", Bps(64_070)),
    ),
    "default weight": (lambda: RandomDetect(weight=9), lambda: RandomDetect()),
    "lines in a list": (
        lambda: RandomDetect("dscp", [LINE], other_lines=["random-detect ecn x"]),  # type: ignore[arg-type]
        lambda: RandomDetect("dscp", frozenset({LINE}), other_lines=frozenset({"random-detect ecn x"})),
    ),
    "blanks of an unknown line": (lambda: OpaqueAction(" drop  x "), lambda: OpaqueAction("drop x")),
    "names of DSCPs": (
        lambda: Police(FIVE, conform=("set-dscp-transmit ef",), exceed=("set-dscp-tunnel-transmit default",)),
        lambda: Police(FIVE, conform=("set-dscp-transmit 46",), exceed=("set-dscp-tunnel-transmit 0",)),
    ),
    "names of precedences": (
        lambda: Police(
            FIVE, conform=("set-prec-transmit critical",), exceed=("set-prec-tunnel-transmit flash",)
        ),
        lambda: Police(FIVE, conform=("set-prec-transmit 5",), exceed=("set-prec-tunnel-transmit 3",)),
    ),
    "experimental in full": (
        lambda: Police(FIVE, conform=("set-mpls-experimental-topmost-transmit  3",)),
        lambda: Police(FIVE, conform=("set-mpls-exp-topmost-transmit 3",)),
    ),
    "both default bursts of two rates": (
        lambda: Police(EIGHT, BurstBytes(250_000), BurstBytes(500_000), Bps(16_000_000)),
        lambda: Police(EIGHT, peak_rate=Bps(16_000_000)),
    ),
    "no second bucket in bytes": (
        lambda: Police(EIGHT, BurstBytes(9000), BurstBytes(0)),
        lambda: Police(EIGHT, BurstBytes(9000)),
    ),
    "a default be beside the default bc": (
        lambda: Police(EIGHT, excess_burst=BurstBytes(250_000)),
        lambda: Police(EIGHT),
    ),
    "a be like bc by its place, of two colours": (
        lambda: Police(EIGHT, BurstBytes(9000), BurstBytes(9000), exceed=("set-dscp-transmit 0",)),
        lambda: Police(EIGHT, BurstBytes(9000), exceed=("set-dscp-transmit 0",)),
    ),
    "a violation that does what an excess does": (
        lambda: Police(FIVE, exceed=("transmit",), violate=("transmit",)),
        lambda: Police(FIVE, exceed=("transmit",)),
    ),
}


@pytest.mark.parametrize(("one", "other"), EQUAL.values(), ids=EQUAL.keys())
def test_two_spellings_of_one_action(one: Callable[[], Action], other: Callable[[], Action]) -> None:
    assert one() == other()
    assert hash(one()) == hash(other())


DIFFERENT: dict[str, tuple[Callable[[], Action], Callable[[], Action]]] = {
    "from another field": (lambda: SetField("dscp", "precedence"), lambda: SetField("dscp", "cos")),
    "through a table": (lambda: SetField("dscp", "cos table T"), lambda: SetField("dscp", "cos")),
    "the header of the tunnel": (lambda: SetField("dscp tunnel", 46), lambda: SetField("dscp", 46)),
    "a burst of a priority": (lambda: Priority("kbps", 64, 3200), lambda: Priority("kbps", 64)),
    "the same number as bytes of a percentage": (
        lambda: Priority("percent", 64, 1600),
        lambda: Priority("percent", 64),
    ),
    "kinds of priority": (lambda: Priority("kbps", 1), lambda: Priority("level", 1)),
    "ratio and percent": (
        lambda: Bandwidth("remaining ratio", 5),
        lambda: Bandwidth("remaining percent", 5),
    ),
    "one bucket only": (
        lambda: Shape("average", MEGA, BurstBits(25_000)),
        lambda: Shape("average", MEGA),
    ),
    "buckets beside 25 ms": (lambda: quarter(1_000_000, 25_001), lambda: Shape("average", MEGA)),
    "unequal buckets": (
        lambda: Shape("average", MEGA, BurstBits(50_000), BurstBits(25_000)),
        lambda: Shape("average", MEGA),
    ),
    "25 ms of a percentage": (
        lambda: Shape("average", FIVE, BurstMs(25), BurstMs(25)),
        lambda: Shape("average", FIVE),
    ),
    "peak": (lambda: Shape("peak", MEGA), lambda: Shape("average", MEGA)),
    "weight": (lambda: RandomDetect(weight=10), lambda: RandomDetect()),
    "discard class": (lambda: RandomDetect("discard-class"), lambda: RandomDetect("dscp")),
    "1500 bytes of a percentage": (lambda: Police(FIVE, BurstBytes(1500)), lambda: Police(FIVE)),
    "a default be beside another bc": (
        lambda: Police(EIGHT, BurstBytes(9000), BurstBytes(250_000)),
        lambda: Police(EIGHT, BurstBytes(9000)),
    ),
    "a be without bc": (lambda: Police(EIGHT, None, BurstBytes(9000)), lambda: Police(EIGHT)),
    "a be like bc by its place, of three colours": (
        lambda: Police(
            EIGHT, BurstBytes(9000), BurstBytes(9000), None, ("transmit",), ("transmit",), ("drop",)
        ),
        lambda: Police(EIGHT, BurstBytes(9000), exceed=("transmit",), violate=("drop",)),
    ),
    "a be beside bc by its place, of two colours": (
        lambda: Police(EIGHT, BurstBytes(9000), BurstBytes(18_000), exceed=("transmit",)),
        lambda: Police(EIGHT, BurstBytes(9000), exceed=("transmit",)),
    ),
    "cir and rate": (lambda: Police(EIGHT), lambda: Police(EIGHT, keyword="rate")),
    "the CIR's burst for the peak": (
        lambda: Police(EIGHT, None, BurstBytes(250_000), Bps(16_000_000)),
        lambda: Police(EIGHT, peak_rate=Bps(16_000_000)),
    ),
    "the third colour of two rates": (
        lambda: Police(FIVE, peak_rate=Percent(Decimal(9)), violate=("transmit",)),
        lambda: Police(FIVE, peak_rate=Percent(Decimal(9))),
    ),
    "a value without a name for it": (
        lambda: Police(FIVE, conform=("set-qos-transmit 3",)),
        lambda: Police(FIVE, conform=("set-qos-transmit 4",)),
    ),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_two_actions(one: Callable[[], Action], other: Callable[[], Action]) -> None:
    assert one() != other()


def test_a_third_colour_comes_with_a_second_bucket_or_a_second_rate() -> None:
    assert Police(FIVE, BurstMs(4), BurstMs(8)).violate == ("drop",)
    assert Police(FIVE, peak_rate=Percent(Decimal(9))).violate == ("drop",)
    assert Police(FIVE, BurstMs(4)).violate is None
    assert Police(FIVE, exceed=("transmit",), violate=("set-dscp-transmit 0", "drop")).violate == (
        "drop",
        "set-dscp-transmit 0",
    )


def test_what_is_kept_as_it_was_given() -> None:
    assert SetField("atm-clp").value == ""
    assert SetField("fr-de").value == ""
    assert SetField("cos", "5").value == 5
    assert SetField("cos", "cos-inner").value == "cos-inner"
    assert SetField("qos-group", "dscp table T").value == "dscp table T"
    assert Priority().burst is None
    assert Bandwidth("kbps", 640).value == 640
    assert Shape("average", FIVE, BurstMs(10)).burst == BurstMs(10)
    assert OpaqueAction('log "two  blanks"').text == 'log "two  blanks"'
    profile = RandomDetect("dscp", frozenset({LINE}), other_lines=frozenset({"random-detect x"}))
    assert (profile.thresholds, profile.other_lines) == ({LINE}, {"random-detect x"})
    assert type(Priority("kbps", 64).value) is int
    assert Police(FIVE, conform=("set-qos-transmit  99",)).conform == ("set-qos-transmit 99",)


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "set": (lambda: SetField("dscp"), "set"),
    "a set with a line end": (lambda: SetField("cos", "5\n"), "set"),
    "dscp": (lambda: SetField("dscp tunnel", 64), "dscp"),
    "precedence": (lambda: SetField("precedence", 8), "precedence"),
    "kind of priority": (lambda: Priority("ratio", 5), "priority"),
    "a kind without value": (lambda: Priority("kbps"), "priority"),
    "a value without kind": (lambda: Priority(None, 5), "priority"),
    "share of a priority": (lambda: Priority("percent", 101), "percent"),
    "kind of bandwidth": (lambda: Bandwidth("ratio", 5), "bandwidth"),
    "share": (lambda: Bandwidth("remaining percent", 0), "percent"),
    "kind of shape": (lambda: Shape("median", MEGA), "shape"),
    "mode of WRED": (lambda: RandomDetect("cos"), "random-detect"),
    "child": (lambda: ChildPolicy("two words"), "service-policy"),
    "nothing": (lambda: OpaqueAction("  "), "action"),
    "a line end": (lambda: OpaqueAction("a\nb"), "action"),
    "rate": (lambda: Police(5), "police"),  # type: ignore[arg-type]
    "one text": (lambda: Police(FIVE, conform="transmit"), "conform-action"),  # type: ignore[arg-type]
    "an empty action": (lambda: Police(FIVE, conform=("",)), "conform-action"),
    "an empty violation": (lambda: Police(FIVE, violate=()), "violate-action"),
    "a line end in an action": (lambda: Police(FIVE, exceed=("drop\ndrop",)), "police"),
}


@pytest.mark.parametrize(("make", "field"), BAD.values(), ids=BAD.keys())
def test_an_impossible_action_names_its_field(make: Callable[[], object], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        make()
    assert caught.value.field == field
