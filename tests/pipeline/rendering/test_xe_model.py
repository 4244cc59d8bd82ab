"""What is rendered for IOS-XE goes through Cisco's own model of the configuration, or was refused before."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from provisioning.pipeline.change.refusals import findings
from provisioning.pipeline.mqc import (
    Action,
    Bandwidth,
    Binding,
    Bps,
    BurstBits,
    BurstBytes,
    BurstMs,
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
    RunningConfig,
    SetField,
    Shape,
    WredThreshold,
)
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import KINDS, Oracle, profile_of
from tests.pipeline.rendering.xe_model import problems
from tests.pipeline.worlds import worlds

RENDERER = Renderer(ios_environment())
PROFILE = profile_of("isr4000")
GOLDEN = Path(__file__).parents[2] / "golden" / "platforms"
SCHEMES = Path(__file__).parents[1] / "scheme" / "rendered"


@pytest.mark.parametrize("name", ["asr1000-xe", "isr4000-xe"])
@pytest.mark.parametrize("file", ["rendered.ios", "running.ios"])
def test_the_golden_cases_are_in_the_model(name: str, file: str) -> None:
    assert problems((GOLDEN / name / file).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("file", sorted(SCHEMES.glob("*-ios-xe.ios")), ids=lambda file: file.stem)
def test_every_scheme_is_in_the_model(file: Path) -> None:
    assert problems(file.read_text(encoding="utf-8")) == []


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(world=worlds())
def test_every_intent_of_6net_is_in_the_model(world) -> None:
    wanted = world.intent("ios-xe")
    assert problems(RENDERER.document(wanted.objects(), profile_of("ios-xe"))) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("police cir 7999", "7999 is not in 8000"),
        ("police cir percent 101", "101 is not in 1..100"),
        ("police cir percent 2.5", "2.5 is not in 1..100"),
        ("police cir 8000 bc 999", "999 is not in 1000"),
        ("police cir 8000 be 2000", "be is no colour"),
        ("police cir 8000 bc 2000 ms", "ms is no colour"),
        ("police cir 8000 conform-action drop exceed-action transmit", "can not be drop"),
        ("police cir 8000 exceed-action drop violate-action transmit", "should be transmit"),
        ("set dscp 64", "64 is not in 0..63"),
        ("set precedence 5", "set precedence is not in the model"),
        ("priority level 3", "3 is not in 1..2"),
        ("shape peak 8000", "average is wanted"),
        ("queue-limit 75", "queue-limit not allowed"),
        ("fair-queue 17", "power of two"),
        ("random-detect exponential-weighting-constant 17", "17 is not in 1..16"),
        ("service-policy NOWHERE", "no such policy-map"),
        ("frobnicate", "no such action"),
    ],
)
def test_the_model_has_an_opinion(text: str, why: str) -> None:
    found = problems(f"class-map match-all C\n match dscp ef\npolicy-map P\n class C\n  {text}\n")
    assert len(found) == 1
    assert why in found[0]


def edges(*values: int) -> st.SearchStrategy[int]:
    """The values, and what lies just beside them: where ranges are got wrong."""
    return st.sampled_from(sorted({max(0, value + step) for value in values for step in (-1, 0, 1)}))


rates = edges(8000, 1_000_000, 64_000_000_000, 100_000_000_000).filter(bool).map(Bps)
percents = st.sampled_from(["0.5", "1", "2.5", "5", "100"]).map(lambda text: Percent(Decimal(text)))
buckets = edges(1000, 15000, 512_000_000).map(BurstBytes) | edges(1, 20, 2000).map(BurstMs) | st.none()
colour = st.lists(
    st.sampled_from(
        [
            "transmit",
            "drop",
            "set-dscp-transmit 46",
            "set-prec-transmit 5",
            "set-qos-transmit 100",
            "set-cos-transmit 8",
        ]
    ),
    min_size=1,
    max_size=2,
).map(tuple)
policers = st.builds(
    Police,
    rates | percents,
    buckets,
    buckets,
    st.none() | rates | percents,
    colour,
    colour,
    st.none() | colour,
    st.sampled_from(["cir", "rate"]),
)
thresholds = st.builds(
    WredThreshold,
    st.sampled_from([0, 10, 46]),
    edges(1, 30, 512_000_000),
    edges(1, 50, 512_000_000),
    edges(1, 65535),
    st.sampled_from(["packets", "ms", "bytes"]),
)
others: st.SearchStrategy[Action] = st.one_of(
    st.builds(SetField, st.sampled_from(["dscp", "ip dscp"]), st.sampled_from([0, 8, 46, 63])),
    st.builds(
        SetField,
        st.sampled_from(["cos", "qos-group", "discard-class", "precedence"]),
        st.sampled_from([0, 7]),
    ),
    st.builds(SetField, st.sampled_from(["cos", "qos-group", "discard-class"]), edges(7, 99)),
    st.just(Priority()),
    st.builds(Priority, st.just("level"), edges(1, 2)),
    st.builds(Priority, st.just("kbps"), edges(1, 8, 100_000_000), st.none() | edges(32, 2_000_000)),
    st.builds(Bandwidth, st.just("kbps"), edges(1, 100_000_000)),
    st.builds(Bandwidth, st.just("remaining ratio"), edges(1, 65536)),
    st.builds(Bandwidth, st.just("percent"), st.sampled_from([Decimal(1), Decimal("2.5"), Decimal(100)])),
    st.builds(
        Shape, st.sampled_from(["average", "peak"]), rates, st.none() | edges(256, 154_400_000).map(BurstBits)
    ),
    st.builds(Shape, st.just("average"), percents, st.none() | edges(10, 2000).map(BurstMs)),
    st.builds(FairQueue, st.none() | edges(16, 4096)),
    st.builds(QueueLimit, edges(1, 64_000_000), st.sampled_from(["packets", "ms", "bytes", "us"])),
    st.builds(
        RandomDetect,
        st.just("dscp"),
        st.frozensets(thresholds, max_size=2).filter(
            lambda held: len({each.value for each in held}) == len(held)
        ),
        st.none() | edges(1, 16),
        st.booleans(),
    ),
)


def _kinds_differ(actions: frozenset[Action]) -> bool:
    return len({type(action) for action in actions}) == len(actions)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(actions=st.frozensets(policers | others, min_size=1, max_size=3).filter(_kinds_differ))
def test_what_is_neither_refused_nor_doubted_is_in_the_model(actions: frozenset[Action]) -> None:
    """The rules and ranges of the platform against the second reader: nothing slips through between them."""
    held = ClassMap("C", "match-all", frozenset({Match("dscp", frozenset({46}))}))
    policy = PolicyMap("P", (PolicyClass("C", actions),))
    bound = frozenset({Binding("POS2/0", None, "output", "P")})
    target = RunningConfig(class_maps={"C": held}, policy_maps={"P": policy}, bindings=bound)
    text = RENDERER.document((held, policy), PROFILE)
    said = [finding for _, finding in findings(RunningConfig(), target, PROFILE, {"POS2/0": 155_000_000})]
    if not said:
        assert problems(text) == [], text


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    actions=st.frozensets(policers | others, min_size=1, max_size=3).filter(_kinds_differ),
)
def test_what_is_neither_refused_nor_doubted_is_taken_by_a_router(
    kind: str, actions: frozenset[Action]
) -> None:
    """The same against a practice router of every kind: its own judgement of each line, and of the attachment."""
    profile = profile_of(kind)
    held = ClassMap("C", "match-all", frozenset({Match("dscp", frozenset({46}))}))
    policy = PolicyMap("P", (PolicyClass("C", actions),))
    bound = Binding("POS2/0", None, "output", "P")
    target = RunningConfig(class_maps={"C": held}, policy_maps={"P": policy}, bindings=frozenset({bound}))
    if list(findings(RunningConfig(), target, profile, {"POS2/0": 155_000_000}, {"POS2/0": "3"})):
        return
    router = Oracle(kind)
    lines = [line.strip() for thing in (held, policy, bound) for line in RENDERER.lines(thing, profile)]
    answered = [said for said in router.send(lines) if "burst size increased" not in said[1]]
    assert answered == [], kind
