"""Strategies that generate MQC models: the objects a router could hold, in canonical form."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from provisioning.pipeline.mqc import (
    AccessList,
    Bandwidth,
    Bps,
    BurstBits,
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

NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_+-]{0,12}", fullmatch=True).filter(
    lambda name: name not in ("match-all", "match-any", "type", "class-default")
)
DSCPS = st.integers(0, 63)
PRECEDENCES = st.integers(0, 7)
PERCENTS = st.integers(1, 100).map(Decimal)


def values(numbers: st.SearchStrategy[int]) -> st.SearchStrategy[frozenset[int]]:
    return st.frozensets(numbers, min_size=1, max_size=5)


MATCHES = st.one_of(
    st.builds(Match, st.sampled_from(["dscp", "ip dscp"]), values(DSCPS), st.booleans()),
    st.builds(Match, st.sampled_from(["precedence", "ip precedence"]), values(PRECEDENCES), st.booleans()),
    st.builds(Match, st.sampled_from(["cos", "mpls experimental topmost"]), values(PRECEDENCES)),
    st.builds(Match, st.just("vlan"), values(st.integers(1, 4094))),
    st.builds(Match, st.just("access-group"), st.frozensets(NAMES, min_size=1, max_size=1)),
    st.builds(Match, st.just("access-group"), st.frozensets(st.integers(1, 199), min_size=1, max_size=1)),
    st.just(Match("any")),
    st.builds(
        Match,
        st.sampled_from(["qos-group", "discard-class", "cos inner"]),
        values(PRECEDENCES),
        st.booleans(),
    ),
    st.sampled_from(
        [
            Match("protocol", frozenset({"rtp audio"})),
            Match("protocol", frozenset({'http url "*.mpg|a b"'})),
            Match("protocol", frozenset({"attribute category voice-and-video"}), negated=True),
            Match("input-interface", frozenset({"POS1/0"})),
        ]
    ),
    st.builds(Match, st.just("opaque"), st.just(frozenset({"packet length min 100 max 300"}))),
)
TEXTS = st.from_regex(r"[A-Za-z][A-Za-z0-9 .,-]{0,30}[a-z]", fullmatch=True).map(
    lambda text: " ".join(text.split())
)
CLASS_MAPS = st.builds(
    ClassMap,
    NAMES,
    st.sampled_from(["match-all", "match-any"]),
    st.frozensets(MATCHES, max_size=4),
    st.one_of(st.just(""), TEXTS),
)

POLICE_ACTIONS = st.one_of(
    st.sampled_from([("transmit",), ("drop",), ("set-dscp-transmit 46",), ("set-prec-transmit 5",)]),
    st.just(("set-frde-transmit", "set-prec-transmit 2")),
)
BYTES = st.builds(BurstBytes, st.integers(1000, 10**7))
MS = st.builds(BurstMs, st.integers(1, 2000))


@st.composite
def policers(draw: st.DrawFn) -> Police:
    by_percent = draw(st.booleans())
    rate = Percent(draw(PERCENTS)) if by_percent else Bps(draw(st.integers(8000, 10**10)))
    peak = None
    if draw(st.booleans()):
        peak = Percent(draw(PERCENTS)) if by_percent else Bps(draw(st.integers(8000, 10**10)))
    bursts = MS if by_percent else BYTES
    return Police(
        rate,
        draw(st.one_of(st.none(), bursts)),
        draw(st.one_of(st.none(), bursts)),
        peak,
        draw(POLICE_ACTIONS),
        draw(POLICE_ACTIONS),
        draw(st.one_of(st.none(), POLICE_ACTIONS)),
        draw(st.sampled_from(["cir", "rate"])),
    )


@st.composite
def wreds(draw: st.DrawFn) -> RandomDetect:
    mode = draw(st.sampled_from(["dscp", "precedence"]))
    selected = draw(st.sets(DSCPS if mode == "dscp" else PRECEDENCES, max_size=4))
    thresholds = frozenset(
        WredThreshold(
            value,
            draw(st.integers(1, 50)),
            draw(st.integers(51, 100)),
            draw(st.sampled_from([10, 1, 20])),
            draw(st.sampled_from(["packets", "ms"])),
        )
        for value in selected
    )
    return RandomDetect(mode, thresholds, draw(st.sampled_from([None, 9, 10])), draw(st.booleans()))


SETS = st.one_of(
    st.builds(SetField, st.sampled_from(["dscp", "ip dscp"]), DSCPS),
    st.builds(SetField, st.sampled_from(["precedence", "ip precedence", "cos"]), PRECEDENCES),
    st.builds(SetField, st.just("mpls experimental imposition"), PRECEDENCES),
    st.builds(SetField, st.just("dscp tunnel"), DSCPS),
    st.builds(
        SetField, st.sampled_from(["dscp", "cos"]), st.sampled_from(["qos-group", "precedence table DOWN"])
    ),
)
PRIORITIES = st.one_of(
    st.just(Priority()),
    st.builds(Priority, st.just("percent"), PERCENTS),
    st.builds(
        Priority, st.just("kbps"), st.integers(8, 10**6), st.one_of(st.none(), st.integers(1000, 10**6))
    ),
    st.builds(Priority, st.just("level"), st.integers(1, 2)),
)
BANDWIDTHS = st.one_of(
    st.builds(Bandwidth, st.just("kbps"), st.integers(8, 10**6)),
    st.builds(Bandwidth, st.sampled_from(["percent", "remaining percent"]), PERCENTS),
    st.builds(Bandwidth, st.just("remaining ratio"), st.integers(1, 1000)),
)
BITS = st.one_of(st.none(), st.builds(BurstBits, st.integers(1000, 10**8)))
SHAPES = st.builds(
    Shape, st.sampled_from(["average", "peak"]), st.builds(Bps, st.integers(8000, 10**10)), BITS
)
FLAT_ACTIONS: dict[str, st.SearchStrategy[Any]] = {
    "police": policers(),
    "wred": wreds(),
    "priority": PRIORITIES,
    "bandwidth": BANDWIDTHS,
    "shape": SHAPES,
    "queue-limit": st.builds(QueueLimit, st.integers(1, 4096), st.sampled_from(["packets", "ms", "bytes"])),
    "fair-queue": st.builds(FairQueue, st.one_of(st.none(), st.integers(16, 4096))),
    "child": st.builds(ChildPolicy, NAMES),
}


@st.composite
def policy_classes(draw: st.DrawFn, name: str) -> PolicyClass:
    kinds = draw(st.lists(st.sampled_from(sorted(FLAT_ACTIONS)), unique=True, max_size=4))
    actions = [draw(FLAT_ACTIONS[kind]) for kind in kinds]
    marks = {mark.field: mark for mark in draw(st.lists(SETS, max_size=2))}
    return PolicyClass(name, frozenset([*actions, *marks.values()]))


@st.composite
def policy_maps(draw: st.DrawFn) -> PolicyMap:
    names = draw(st.lists(NAMES, unique=True, max_size=4))
    if draw(st.booleans()):
        names.append("class-default")
    classes = tuple(draw(policy_classes(name)) for name in names)
    return PolicyMap(draw(NAMES), classes, draw(st.one_of(st.just(""), TEXTS)))


V6 = st.one_of(
    st.just("any"),
    st.integers(0, 2**32 - 1).map(lambda n: f"2001:db8:{n >> 16:x}:{n & 0xFFFF:x}::/64"),
    st.integers(0, 2**16 - 2).map(lambda n: f"host 2001:db8::{n + 1:x}"),
)
V4 = st.one_of(
    st.just("any"),
    st.integers(0, 255).map(lambda n: f"198.51.{n}.0 0.0.0.255"),
    st.integers(0, 255).map(lambda n: f"host 192.0.2.{n}"),
)


@st.composite
def access_lists(draw: st.DrawFn) -> AccessList:
    family = draw(st.sampled_from([4, 6]))
    address, protocol = (V4, "ip") if family == 4 else (V6, "ipv6")

    def entry() -> str:
        if draw(st.integers(0, 9)) == 0:
            return f"remark {draw(TEXTS)}"
        proto = draw(st.sampled_from([protocol, "tcp", "udp"]))
        text = f"{draw(st.sampled_from(['permit', 'deny']))} {proto} {draw(address)} {draw(address)}"
        if proto != protocol and draw(st.booleans()):
            text += f" eq {draw(st.sampled_from([53, 80, 123, 5000]))}"
        if draw(st.booleans()):
            text += f" dscp {draw(DSCPS)}"
        if family == 6 and draw(st.booleans()):
            text += f" flow-label {draw(st.integers(0, 2**20 - 1))}"
        return text

    count = draw(st.integers(1, 6))
    return AccessList.of(draw(NAMES), family, tuple(entry() for _ in range(count)))
