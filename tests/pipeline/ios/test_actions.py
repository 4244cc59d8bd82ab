"""Forms of actions and policers beyond those of the fixtures; what is not known stays whole (ios-facts N14-N24)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import (
    Action,
    Bandwidth,
    Bps,
    BurstBits,
    BurstBytes,
    BurstMs,
    OpaqueAction,
    Percent,
    Police,
    Priority,
    QueueLimit,
    RandomDetect,
    SetField,
    Shape,
    WredThreshold,
)


def only(lines: str) -> Action:
    config = ios.parse("policy-map P\n class A\n" + "".join(f"  {line}\n" for line in lines.split(" / ")))
    (entry,) = config.policy_maps["P"].classes
    (action,) = entry.actions
    return action


FIVE = Percent(Decimal(5))
FORMS: dict[str, Action] = {
    "police 8000": Police(Bps(8000)),
    "police cir 8000": Police(Bps(8000)),
    "police 8000 bps": Police(Bps(8000)),
    "police 6504000 16000 16000 conform-action transmit  exceed-action drop  violate-action drop ": Police(
        Bps(6504000), BurstBytes(16000), BurstBytes(16000)
    ),
    "police 8000 1500 1500 conform-action transmit exceed-action drop": Police(Bps(8000)),
    "police percent 5 2 ms 0 ms conform-action transmit exceed-action drop": Police(FIVE, BurstMs(2)),
    "police cir percent 5 bc 4 ms": Police(FIVE, BurstMs(4)),
    "police cir percent 20 bc 300 ms pir percent 40 be 400 ms / conform-action transmit / violate-action drop": Police(
        Percent(Decimal(20)), BurstMs(300), BurstMs(400), Percent(Decimal(40))
    ),
    "police cir 100000 pir  70000 conform-action transmit  exceed-action drop": Police(
        Bps(100000), peak_rate=Bps(70000)
    ),
    "police rate percent 5 burst 4 ms": Police(FIVE, BurstMs(4), keyword="rate"),
    "police rate 64000000 burst 9000 peak-rate 128000000 peak-burst 8000": Police(
        Bps(64000000), BurstBytes(9000), BurstBytes(8000), Bps(128000000), keyword="rate"
    ),
    "police cir percent 5 / conform-action set-dscp-transmit ef / exceed-action set-dscp-transmit default": Police(
        FIVE, conform=("set-dscp-transmit 46",), exceed=("set-dscp-transmit 0",)
    ),
    "police aggregate SHARED": OpaqueAction("police aggregate SHARED"),
    "police cir percent 5 / conform-color A exceed-color B": OpaqueAction(
        "police cir percent 5 conform-color A exceed-color B"
    ),
    "police rate 1000 pps": OpaqueAction("police rate 1000 pps"),
    "police cir percent 101": OpaqueAction("police cir percent 101"),
    "priority level 2 percent 10": Priority("percent", Decimal(10), None, 2),
    "priority 6504  16000": Priority("kbps", 6504, 16000),
    "priority  something": OpaqueAction("priority something"),
    "set dscp 64": OpaqueAction("set dscp 64"),
    "set dscp cos table T": SetField("dscp", "cos table T"),
    "set ip tos 4": OpaqueAction("set ip tos 4"),
    "set precedence critical": SetField("precedence", 5),
    "shape average 2000000 8000 8000": Shape("average", Bps(2000000), BurstBits(8000), BurstBits(8000)),
    "shape average percent 20 100 ms": Shape("average", Percent(Decimal(20)), BurstMs(100)),
    "random-detect / random-detect dscp-based": RandomDetect("dscp"),
    "random-detect dscp-based aggregate": RandomDetect(
        "dscp", other_lines=frozenset({"dscp-based aggregate"})
    ),
    "random-detect exponential-weighting-constant 9": RandomDetect(),
    "random-detect precedence-based": RandomDetect("precedence"),
    "bandwidth 800 account dot1q aal5": OpaqueAction("bandwidth 800 account dot1q aal5"),
    "drop ": OpaqueAction("drop"),
    "netflow-sampler  one": OpaqueAction("netflow-sampler one"),
    "police 8000 / police 16000": Police(Bps(16000)),
    "police cir 10m": Police(Bps(10_000_000)),
    "police cir 32k bc 4000 byte": Police(Bps(32_000), BurstBytes(4000)),
    "police rate 500 pps burst 122 packets / conform-action transmit / exceed-action drop": OpaqueAction(
        "police rate 500 pps burst 122 packets conform-action transmit exceed-action drop"
    ),
    "police rate 200 cps": OpaqueAction("police rate 200 cps"),
    "police flow mask src-only 32000 1500 conform-action transmit exceed-action drop": OpaqueAction(
        "police flow mask src-only 32000 1500 conform-action transmit exceed-action drop"
    ),
    "police cir 2000000 / conform-action set-mpls-experimental-topmost-transmit 4": Police(
        Bps(2_000_000), conform=("set-mpls-exp-topmost-transmit 4",)
    ),
    "police cir 2000000 / exceed-action set-dscp-tunnel-transmit af11": Police(
        Bps(2_000_000), exceed=("set-dscp-tunnel-transmit 10",)
    ),
    "police cir 2000000 / exceed-action set-cos-transmit cos table DOWN": Police(
        Bps(2_000_000), exceed=("set-cos-transmit cos table DOWN",)
    ),
    "priority 512 12800": Priority("kbps", 512),
    "priority 512 16000": Priority("kbps", 512, 16000),
    "priority percent 20 8000": Priority("percent", Decimal(20), 8000),
    "priority level 1": Priority("level", 1),
    "bandwidth remaining ratio 12": Bandwidth("remaining ratio", 12),
    "bandwidth remaining percent 12 account qinq aal5": OpaqueAction(
        "bandwidth remaining percent 12 account qinq aal5"
    ),
    "shape peak 512000": Shape("peak", Bps(512000)),
    "shape adaptive 64000": OpaqueAction("shape adaptive 64000"),
    "shape max-buffers 600": OpaqueAction("shape max-buffers 600"),
    "shape average 8000000 account user-defined 24": OpaqueAction(
        "shape average 8000000 account user-defined 24"
    ),
    "set dscp cos": SetField("dscp", "cos"),
    "set cos dscp table UP": SetField("cos", "dscp table UP"),
    "set dscp tunnel ef": SetField("dscp tunnel", 46),
    "set precedence tunnel critical": SetField("precedence tunnel", 5),
    "set mpls experimental topmost  4": SetField("mpls experimental topmost", 4),
    "set atm-clp": SetField("atm-clp"),
    "set fr-de": SetField("fr-de"),
    "set discard-class 2": SetField("discard-class", 2),
    "set cos-inner 4": OpaqueAction("set cos-inner 4"),
    "queue-limit 4000 us": QueueLimit(4000, "us"),
    "queue-limit 64000 bytes": QueueLimit(64000, "bytes"),
    "queue-limit cos 5 30 packets": OpaqueAction("queue-limit cos 5 30 packets"),
    "fair-queue pre-classify": OpaqueAction("fair-queue pre-classify"),
    "compress header ip rtp": OpaqueAction("compress header ip rtp"),
    "account drop": OpaqueAction("account drop"),
    "estimate bandwidth drop-one-in 500": OpaqueAction("estimate bandwidth drop-one-in 500"),
    "trust dscp": OpaqueAction("trust dscp"),
    "random-detect precedence-based / random-detect precedence rsvp 20 40 10": RandomDetect(
        "precedence", frozenset({WredThreshold("rsvp", 20, 40)})
    ),
    "random-detect discard-class-based / random-detect discard-class 1 20 40": RandomDetect(
        "discard-class", frozenset({WredThreshold(1, 20, 40)})
    ),
    "random-detect atm-clp-based": RandomDetect(other_lines=frozenset({"atm-clp-based"})),
    "random-detect dscp-based / random-detect dscp ef 100 us 200 us 3": RandomDetect(
        "dscp", frozenset({WredThreshold(46, 100, 200, 3, "us")})
    ),
    "random-detect dscp-based / random-detect dscp values 10 12 minimum-thresh 20 maximum-thresh 40 mark-prob 10": (
        RandomDetect(
            "dscp",
            other_lines=frozenset({"dscp values 10 12 minimum-thresh 20 maximum-thresh 40 mark-prob 10"}),
        )
    ),
    "set dscp 8 / set dscp ef": SetField("dscp", 46),
}


@pytest.mark.parametrize(("lines", "action"), FORMS.items(), ids=FORMS.keys())
def test_one_action(lines: str, action: Action) -> None:
    assert only(lines) == action
