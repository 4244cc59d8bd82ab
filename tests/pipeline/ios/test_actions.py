"""Forms of actions and policers beyond those of the fixtures; what is not known stays whole (ios-facts N14-N24)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import (
    Action,
    Bps,
    BurstBits,
    BurstBytes,
    BurstMs,
    OpaqueAction,
    Percent,
    Police,
    Priority,
    RandomDetect,
    SetField,
    Shape,
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
    "set dscp 8 / set dscp ef": SetField("dscp", 46),
}


@pytest.mark.parametrize(("lines", "action"), FORMS.items(), ids=FORMS.keys())
def test_one_action(lines: str, action: Action) -> None:
    assert only(lines) == action
