"""What is printed for a platform is what a router of it takes, prints back its own way, and still means the same."""

from __future__ import annotations

from decimal import Decimal

import pytest

from provisioning.pipeline.diff import Line
from provisioning.pipeline.mqc import (
    AccessList,
    Action,
    Bandwidth,
    Bps,
    BurstBytes,
    BurstMs,
    ChildPolicy,
    ClassMap,
    FairQueue,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    Priority,
    QueueLimit,
    RandomDetect,
    SetField,
    Shape,
    WredThreshold,
)
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import simulate
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import KINDS, Oracle, profile_of

RENDERER = Renderer(ios_environment())
PRE_HQF = ("7200-12.2T", "7200-12.3T")
HQF = ("7200-hqf", "ios-xe")

# Table 8 of the ENST scheme, in packets, with its denominators and weight (D4.4.2v2 section 5).
ENST = RandomDetect(
    "dscp",
    frozenset({WredThreshold(10, 11, 18, 1000), WredThreshold(12, 6, 12, 10), WredThreshold(14, 3, 8, 5)}),
    weight=7,
)
CTI = RandomDetect("dscp", frozenset({WredThreshold(0, 30, 50), WredThreshold(8, 55, 75)}))
POLICERS = (
    Police(Percent(Decimal(5))),
    Police(Percent(Decimal(1)), exceed=("transmit",)),
    Police(Percent(Decimal(5)), BurstMs(20)),
    Police(Bps(1_000_000), BurstBytes(15000)),
    Police(Bps(1_000_000), BurstBytes(15000), BurstBytes(30000)),
    Police(Bps(1_000_000), BurstBytes(15000), exceed=("set-dscp-transmit 14",)),
    Police(
        Bps(160_000), BurstBytes(4000), conform=("set-dscp-transmit 10",), exceed=("set-dscp-transmit 12",)
    ),
    Police(Bps(160_000), BurstBytes(4000), BurstBytes(8000), Bps(320_000), exceed=("set-dscp-transmit 12",)),
    Police(Percent(Decimal(5)), BurstMs(20), BurstMs(40), Percent(Decimal(10))),
)
MODERN_POLICERS = (
    Police(Bps(1_000_000), BurstBytes(15000), conform=("set-dscp-transmit 46", "set-qos-transmit 5")),
    Police(Percent(Decimal(5)), keyword="rate"),
    Police(Percent(Decimal(5)), BurstMs(20), BurstMs(40), Percent(Decimal(10)), keyword="rate"),
    Police(Bps(1_000_000), BurstBytes(15000), BurstBytes(30000), Bps(2_000_000), keyword="rate"),
)
QUEUES: tuple[tuple[tuple[str, ...], frozenset[Action]], ...] = (
    (("12000", *HQF), frozenset({Priority()})),
    ((*PRE_HQF, *HQF), frozenset({Priority("percent", Decimal(20))})),
    (HQF, frozenset({Priority("level", 1)})),
    (HQF, frozenset({Priority("percent", Decimal(20), level=1)})),
    (tuple(KINDS), frozenset({Bandwidth("percent", Decimal(20)), ENST})),
    (tuple(KINDS), frozenset({Bandwidth("percent", Decimal(20)), CTI, QueueLimit(75)})),
    (tuple(KINDS), frozenset({Bandwidth("kbps", 2000)})),
    (tuple(KINDS), frozenset({Bandwidth("remaining percent", Decimal(80))})),
    (HQF, frozenset({Bandwidth("remaining ratio", 8)})),
    (HQF, frozenset({Bandwidth("percent", Decimal(20)), QueueLimit(30, "ms"), FairQueue()})),
    (tuple(KINDS), frozenset({Shape("average", Bps(1_000_000)), ChildPolicy("INNER")})),
    (HQF, frozenset({Shape("average", Percent(Decimal(50)), BurstMs(30))})),
    (tuple(KINDS), frozenset({Shape("average", Bps(160_000)), SetField("dscp", 46)})),
)


def _cases() -> list[tuple[str, frozenset[Action]]]:
    found = [(kind, frozenset({action})) for kind in KINDS for action in POLICERS]
    found += [(kind, frozenset({action})) for kind in KINDS if kind != "12000" for action in MODERN_POLICERS]
    return found + [(kind, actions) for kinds, actions in QUEUES for kind in kinds]


def _named(value: object) -> str:
    return value if isinstance(value, str) else "+".join(sorted(type(each).__name__ for each in value))  # type: ignore[attr-defined]


@pytest.mark.parametrize(("kind", "actions"), _cases(), ids=_named)
def test_a_router_takes_it_and_means_the_same(kind: str, actions: frozenset[Action]) -> None:
    inner = PolicyMap("INNER", (PolicyClass("ONE", frozenset({Police(Bps(64_000), BurstBytes(3000))})),))
    policy = PolicyMap(
        "P", (PolicyClass("ONE", actions), PolicyClass("TWO", frozenset({SetField("dscp", 8)})))
    )
    things = (
        ClassMap("ONE", "match-all", frozenset({Match("dscp", frozenset({46}))})),
        ClassMap("TWO"),
        inner,
        policy,
    )
    router = Oracle(kind)
    lines = [line.strip() for thing in things for line in RENDERER.lines(thing, profile_of(kind))]
    before = router.read()
    assert router.send(lines) == []
    assert router.read().policy_maps["P"] == policy
    # The interpreter that proves plans reads the same lines to the same end.
    sent = tuple(Line(line) for line in lines)
    assert simulate(before, sent, profile_of(kind))[-1].policy_maps["P"] == policy


@pytest.mark.parametrize("kind", KINDS)
def test_both_families_under_match_any(kind: str) -> None:
    """Dual stack: one list of each family, either is enough (ios-facts 2.7)."""
    lists = (
        AccessList.of("nren-auth-ef", 6, ("permit ipv6 2001:db8:a::/48 2001:db8:f::/48",)),
        AccessList.of("nren-auth-ef-v4", 4, ("permit ip 192.0.2.0 0.0.0.255 198.51.100.0 0.0.0.255",)),
    )
    wanted = ClassMap(
        "EF-FILTERED", "match-any", frozenset(Match("access-group", frozenset({each.name})) for each in lists)
    )
    router = Oracle(kind)
    things = (*lists, wanted)
    assert (
        router.send(line.strip() for thing in things for line in RENDERER.lines(thing, profile_of(kind)))
        == []
    )
    held = router.read()
    assert held.class_maps["EF-FILTERED"] == wanted
    assert tuple(held.access_lists[each.name] for each in lists) == lists


def test_before_policing_by_percent_bursts_go_by_their_place() -> None:
    policer = Police(Bps(1_000_000), BurstBytes(15000), BurstBytes(30000))
    assert RENDERER.action_lines(policer, profile("cisco-12400", "12.0(27)S")) == (
        "police 1000000 15000 30000 conform-action transmit exceed-action drop violate-action drop",
    )
