"""The ranges of IOS-XE: those of Cisco's own model of the configuration; names in the sources are its types and leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.limits import LARGEST_BURST, LONGEST_NAME, YANG, Limit, within

LIMITS: Final[Mapping[str, Limit]] = {
    "name-length": within(
        1,
        LONGEST_NAME,
        "characters of a name",
        "C",
        "QoS command reference (ios-facts 2.1); only later trains take more",
    ),
    "classes": within(1, 256, "classes in a policy-map", "C", "Applying QoS Features Using the MQC"),
    "policy-levels": within(
        1,
        3,
        "levels of policies",
        "L",
        "three-level hierarchies are the deepest that any command reference shows (K)",
    ),
    "match-lines": within(
        0, 16, "match lines in a class-map", "L", "Applying QoS Features Using the MQC, ASR 903"
    ),
    "match-values": within(0, 8, "values on one match line", "L", "command reference, match dscp (K)"),
    "police-rate": within(8_000, 100_000_000_000, "bit/s of a policer", "C", f"{YANG}, police-bit-rate-type"),
    "police-burst": within(
        1_000, LARGEST_BURST, "bytes of a policer's burst", "C", f"{YANG}, police-burst-type"
    ),
    "burst-ms": within(1, 2_000, "ms of a policer's burst", "C", f"{YANG}, burst"),
    "shape-rate": within(8_000, 100_000_000_000, "bit/s of a shaper", "C", f"{YANG}, shape average bit-rate"),
    "wred-weight": within(
        1, 16, "exponential weighting constant", "C", f"{YANG}, exponential-weighting-constant"
    ),
    "shape-burst": within(
        256, 154_400_000, "bits of a shaper's bucket", "C", f"{YANG}, bits-per-interval-sustained"
    ),
    "shape-excess": within(
        0, 154_400_000, "bits of a shaper's second bucket", "C", f"{YANG}, bits-per-interval-excess"
    ),
    "shape-burst-ms": within(10, 2_000, "ms of a shaper's bucket", "C", f"{YANG}, burst-size-sustained"),
    "police-peak": within(
        8_000, 64_000_000_000, "bit/s of a policer's peak", "C", f"{YANG}, police-bps-type"
    ),
    "police-peak-rate": within(1, 512_000_000, "bit/s of a peak-rate", "C", f"{YANG}, peak-rate-value"),
    "bandwidth-kbps": within(1, 100_000_000, "kbit/s of a bandwidth", "C", f"{YANG}, bandwidth bits"),
    "bandwidth-ratio": within(1, 65_536, "ratio of remaining bandwidth", "C", f"{YANG}, remaining ratio"),
    "priority-kbps": within(1, 100_000_000, "kbit/s of a priority", "C", f"{YANG}, kilo-bits"),
    "priority-burst": within(32, 2_000_000, "bytes of a priority's burst", "C", f"{YANG}, burst"),
    "queue-limit": within(1, 64_000_000, "of a queue limit", "C", f"{YANG}, queue-limit-value"),
    "wred-threshold": within(1, 512_000_000, "of a WRED threshold", "C", f"{YANG}, min-threshold"),
    "wred-denominator": within(1, 65_535, "mark probability denominator", "C", f"{YANG}, denominator"),
    "mark-3-bits": within(0, 7, "in a field of three bits", "C", "RFC 3032, IEEE 802.1Q"),
    "mark-qos-group": within(0, 99, "of a qos-group", "C", f"{YANG}, qos-group-value"),
    "priority-level": within(1, 2, "priority level", "C", f"{YANG}, priority level"),
}
