"""The ranges of a 7200, before and with HQF."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.classic import CLASSIC_LIMITS
from provisioning.pipeline.platforms.limits import YANG, Limit, within

_BOTH: Final[Mapping[str, Limit]] = {
    **CLASSIC_LIMITS,
    "policy-levels": within(
        1,
        3,
        "levels of policies",
        "L",
        "three-level hierarchies are the deepest that any command reference shows (K)",
    ),
}

BEFORE_HQF: Final[Mapping[str, Limit]] = {
    **_BOTH,
    "classes": within(1, 64, "classes in a policy-map", "C", "MWR2941, policy-map (ios-facts 2.1)"),
    "shape-rate": within(
        8_000,
        154_400_000,
        "bit/s of a shaper",
        "L",
        "help of `shape average` in 12.2 to 12.4: 8000-154400000 (K)",
    ),
}

WITH_HQF: Final[Mapping[str, Limit]] = {
    **_BOTH,
    "classes": within(1, 256, "classes in a policy-map", "C", "Applying QoS Features Using the MQC"),
    "shape-rate": within(
        8_000, 10_000_000_000, "bit/s of a shaper", "L", "command reference, shape (percent) (K)"
    ),
    "priority-level": within(1, 2, "priority level", "C", f"{YANG}, priority level"),
}
