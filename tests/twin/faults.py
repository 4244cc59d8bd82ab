"""What goes wrong on purpose, by hand on a router, and the experiment that must see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.twin import experiments
from tests.twin.experiments import Measured
from tests.twin.path import Path


@dataclass(frozen=True)
class Planted:
    """``router`` counts from Athens: 0, or the one before it whose link is congested: 1."""

    name: str
    router: int
    script: str
    seen_by: Callable[[Path], list[Measured]]
    row: str


FAULTS: Final = (
    Planted("policy missing", 0, "nft flush chain inet expedite in/eth1", experiments.marking, "marking"),
    Planted("wrong DSCP", 0, "nft flush chain inet expedite in/eth1; "
            "nft add rule inet expedite in/eth1 ip6 dscp set af31", experiments.marking, "marking"),
    Planted("rate doubled", 0, "for each in /sys/class/net/xp-*; do tc qdisc change dev ${each##*/} root handle 1: "
            "tbf rate 1555200bit burst 24300b limit 1; done", experiments.policing, "policed"),
    Planted("filter missing", 0, "tc filter del dev eth1 ingress", experiments.policing, "policed"),
    Planted("wrong queue", 1, "nft flush chain inet expedite out/eth3", experiments.congestion, "foreground"),
)  # fmt: skip
