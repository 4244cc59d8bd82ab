"""What every IOS before IOS-XE takes alike, whichever router it drives. A platform's folder adds its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.limits import LARGEST_BURST, LONGEST_NAME, YANG, Limit, within
from provisioning.pipeline.platforms.verdicts import Verdict, doubted, refused

CLASSIC_VERDICTS: Final[Mapping[str, Verdict]] = {
    "priority-default": doubted("c10k QoS guide OL-7433 p. 8-5, ME 3600X command reference"),
    "priority-bandwidth": refused("c10k QoS guide OL-7433 p. 8-5"),
    "wred-priority": refused("c10k QoS guide OL-7433 p. 8-5"),
    "bandwidth-units": refused(f"Remaining Bandwidth Using Ratio, restrictions; {YANG}, bandwidth"),
    "whole-percent": refused(
        "message `I/f ... requested bandwidth ..., available only ...`; Cisco document 10466 (ios-facts 2.3)"
    ),
    "percent-fraction": doubted("1-100 in whole numbers (K)"),
    "ubr-queueing": refused("Cisco document 10466; no base for a percentage (ios-facts 1.4, 2.3)"),
    "police-percent": refused("12.2(13)T ftpctpol; 12.0(27)S knows rates only (ios-facts 2.1)"),
    "burst-unit": doubted("in milliseconds (ios-facts 1.3, N18)"),
    "burst-ms": doubted("bytes in every sample (ios-facts N17)"),
    "second-bucket": doubted("bc before be in every sample (ios-facts N18)"),
    "rates-mixed": doubted("as IOS-XE (K)"),
    "peak-below": doubted("RFC 2698: the peak is at least the committed rate"),
    "threshold-order": doubted("drops begin at the one and are all at the other (K)"),
    "policer-conflict": doubted("as IOS-XE (K)"),
}
"""How every IOS before IOS-XE answers."""

CLASSIC_LIMITS: Final[Mapping[str, Limit]] = {
    "name-length": within(
        1, LONGEST_NAME, "characters of a name", "C", "IOS 12.3 command reference (ios-facts 2.1)"
    ),
    "match-values": within(0, 8, "values on one match line", "L", "command reference, match dscp (K)"),
    "police-rate": within(
        8_000,
        2_000_000_000,
        "bit/s of a policer",
        "C",
        "MWR2941 15.1 and 12.2-era command references (ios-facts 1.4)",
    ),
    "police-burst": within(
        1_000,
        LARGEST_BURST,
        "bytes of a policer's burst",
        "L",
        "raised by the router with a notice (ios-facts 3.3)",
    ),
    "burst-ms": within(1, 2_000, "ms of a policer's burst", "L", "as IOS-XE (K)"),
    "wred-weight": within(1, 16, "exponential weighting constant", "L", "as IOS-XE (K)"),
    "shape-burst-ms": within(10, 2_000, "ms of a shaper's bucket", "L", "as IOS-XE (K)"),
    "bandwidth-kbps": within(1, 2_000_000, "kbit/s of a bandwidth", "L", "command reference (K)"),
    "bandwidth-ratio": within(
        1, 1_000, "ratio of remaining bandwidth", "L", "Remaining Bandwidth Using Ratio (K)"
    ),
    "priority-kbps": within(8, 2_000_000, "kbit/s of a priority", "L", "command reference, priority (K)"),
    "priority-burst": within(32, 2_000_000, "bytes of a priority's burst", "L", "command reference (K)"),
    "shape-burst": within(256, 154_400_000, "bits of a shaper's bucket", "L", "as IOS-XE (K)"),
    "shape-excess": within(0, 154_400_000, "bits of a shaper's second bucket", "L", "as IOS-XE (K)"),
    "police-peak": within(8_000, 2_000_000_000, "bit/s of a policer's peak", "L", "as the rate (K)"),
    "police-peak-rate": within(8_000, 2_000_000_000, "bit/s of a peak-rate", "L", "as the rate (K)"),
    "queue-limit": within(1, 4_096, "of a queue limit", "L", "command reference, queue-limit (K)"),
    "wred-threshold": within(1, 4_096, "of a WRED threshold", "L", "command reference (K)"),
    "wred-denominator": within(1, 65_535, "mark probability denominator", "L", "as IOS-XE (K)"),
    "mark-3-bits": within(0, 7, "in a field of three bits", "C", "RFC 3032, IEEE 802.1Q"),
    "mark-qos-group": within(0, 99, "of a qos-group", "L", "as IOS-XE (K)"),
}
"""The ranges that every IOS before IOS-XE has."""
