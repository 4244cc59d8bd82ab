"""The ranges of a 12000."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.classic import CLASSIC_LIMITS
from provisioning.pipeline.platforms.limits import Limit, within

LIMITS: Final[Mapping[str, Limit]] = {
    **CLASSIC_LIMITS,
    "classes": within(1, 64, "classes in a policy-map", "C", "MWR2941, policy-map (ios-facts 2.1)"),
    "policy-levels": within(1, 2, "levels of policies", "L", "two-level policies of the ISE guide 12.0(27)S"),
    "shape-rate": within(
        8_000, 10_000_000_000, "bit/s of a shaper", "L", "command reference, shape (percent) (K)"
    ),
}
