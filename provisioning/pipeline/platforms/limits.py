"""Numbers a platform takes, as a table: each with how well it is known and from where.

The rows of IOS-XE are ranges of Cisco's own model of the configuration, Cisco-IOS-XE-policy.yang, revision
2021-07-01 (IOS-XE 17.6.1); names in the source column are its types and leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.platforms.findings import Evidence, Severity, Tag

YANG: Final = "Cisco-IOS-XE-policy.yang 2021-07-01"
GSR_KIND: Final = "12000"
PRE_HQF: Final = "7200 before HQF"
HQF: Final = "7200 with HQF"
XE: Final = "IOS-XE"
KINDS: Final = (GSR_KIND, PRE_HQF, HQF, XE)
LONGEST_NAME: Final = 40
"""The longest name of a class-map, policy-map or access list, in characters, that every platform takes."""

LARGEST_BURST: Final = 512_000_000
"""The largest burst of a policer, in bytes, that any platform takes."""

CLASSIC: Final = (GSR_KIND, PRE_HQF, HQF)


@dataclass(frozen=True, slots=True)
class Limit:
    """The range of one quantity on these kinds of platform, both ends included; ``unit`` for people."""

    code: str
    kinds: tuple[str, ...]
    least: int
    most: int
    unit: str
    severity: Severity
    evidence: Evidence

    def holds(self, value: int) -> bool:
        """Whether the value is within the range."""
        return self.least <= value <= self.most


def _row(code: str, kinds: tuple[str, ...], least: int, most: int, unit: str, tag: str, source: str) -> Limit:
    severity = Severity.REFUSAL if tag == "C" else Severity.WARNING
    return Limit(code, kinds, least, most, unit, severity, Evidence(Tag(tag), source))


_MWR: Final = "MWR2941 15.1 and 12.2-era command references (ios-facts 1.4)"

LIMITS: Final[tuple[Limit, ...]] = (
    _row("name-length", CLASSIC, 1, LONGEST_NAME, "characters of a name", "C", "IOS 12.3 command reference (ios-facts 2.1)"),
    _row("name-length", (XE,), 1, LONGEST_NAME, "characters of a name", "C",
         "QoS command reference (ios-facts 2.1); only later trains take more"),
    _row("classes", (GSR_KIND, PRE_HQF), 1, 64, "classes in a policy-map", "C", "MWR2941, policy-map (ios-facts 2.1)"),
    _row("classes", (HQF, XE), 1, 256, "classes in a policy-map", "C", "Applying QoS Features Using the MQC"),
    _row("policy-levels", (GSR_KIND,), 1, 2, "levels of policies", "L", "two-level policies of the ISE guide 12.0(27)S"),
    _row("policy-levels", (PRE_HQF, HQF, XE), 1, 3, "levels of policies", "L",
         "three-level hierarchies are the deepest that any command reference shows (K)"),
    _row("match-lines", (XE,), 0, 16, "match lines in a class-map", "L", "Applying QoS Features Using the MQC, ASR 903"),
    _row("match-values", KINDS, 0, 8, "values on one match line", "L", "command reference, match dscp (K)"),
    _row("police-rate", (GSR_KIND, PRE_HQF), 8000, 2_000_000_000, "bit/s of a policer", "C", _MWR),
    _row("police-rate", (HQF,), 8000, 2_000_000_000, "bit/s of a policer", "C", _MWR),
    _row("police-rate", (XE,), 8000, 100_000_000_000, "bit/s of a policer", "C", f"{YANG}, police-bit-rate-type"),
    _row("police-burst", (XE,), 1000, LARGEST_BURST, "bytes of a policer's burst", "C", f"{YANG}, police-burst-type"),
    _row("police-burst", CLASSIC, 1000, LARGEST_BURST, "bytes of a policer's burst", "L",
         "raised by the router with a notice (ios-facts 3.3)"),
    _row("burst-ms", (XE,), 1, 2000, "ms of a policer's burst", "C", f"{YANG}, burst"),
    _row("burst-ms", CLASSIC, 1, 2000, "ms of a policer's burst", "L", "as IOS-XE (K)"),
    _row("shape-rate", (XE,), 8000, 100_000_000_000, "bit/s of a shaper", "C", f"{YANG}, shape average bit-rate"),
    _row("shape-rate", (PRE_HQF,), 8000, 154_400_000, "bit/s of a shaper", "L",
         "help of `shape average` in 12.2 to 12.4: 8000-154400000 (K)"),
    _row("shape-rate", (GSR_KIND, HQF), 8000, 10_000_000_000, "bit/s of a shaper", "L", "command reference, shape (percent) (K)"),
    _row("wred-weight", (XE,), 1, 16, "exponential weighting constant", "C", f"{YANG}, exponential-weighting-constant"),
    _row("wred-weight", CLASSIC, 1, 16, "exponential weighting constant", "L", "as IOS-XE (K)"),
    _row("shape-burst", (XE,), 256, 154_400_000, "bits of a shaper's bucket", "C", f"{YANG}, bits-per-interval-sustained"),
    _row("shape-excess", (XE,), 0, 154_400_000, "bits of a shaper's second bucket", "C", f"{YANG}, bits-per-interval-excess"),
    _row("shape-burst-ms", (XE,), 10, 2000, "ms of a shaper's bucket", "C", f"{YANG}, burst-size-sustained"),
    _row("shape-burst-ms", CLASSIC, 10, 2000, "ms of a shaper's bucket", "L", "as IOS-XE (K)"),
    _row("police-peak", (XE,), 8000, 64_000_000_000, "bit/s of a policer's peak", "C", f"{YANG}, police-bps-type"),
    _row("police-peak-rate", (XE,), 1, 512_000_000, "bit/s of a peak-rate", "C", f"{YANG}, peak-rate-value"),
    _row("bandwidth-kbps", (XE,), 1, 100_000_000, "kbit/s of a bandwidth", "C", f"{YANG}, bandwidth bits"),
    _row("bandwidth-kbps", CLASSIC, 1, 2_000_000, "kbit/s of a bandwidth", "L", "command reference (K)"),
    _row("bandwidth-ratio", CLASSIC, 1, 1000, "ratio of remaining bandwidth", "L", "Remaining Bandwidth Using Ratio (K)"),
    _row("bandwidth-ratio", (XE,), 1, 65536, "ratio of remaining bandwidth", "C", f"{YANG}, remaining ratio"),
    _row("priority-kbps", (XE,), 1, 100_000_000, "kbit/s of a priority", "C", f"{YANG}, kilo-bits"),
    _row("priority-kbps", CLASSIC, 8, 2_000_000, "kbit/s of a priority", "L", "command reference, priority (K)"),
    _row("priority-burst", (XE,), 32, 2_000_000, "bytes of a priority's burst", "C", f"{YANG}, burst"),
    _row("priority-burst", CLASSIC, 32, 2_000_000, "bytes of a priority's burst", "L", "command reference (K)"),
    _row("shape-burst", CLASSIC, 256, 154_400_000, "bits of a shaper's bucket", "L", "as IOS-XE (K)"),
    _row("shape-excess", CLASSIC, 0, 154_400_000, "bits of a shaper's second bucket", "L", "as IOS-XE (K)"),
    _row("police-peak", CLASSIC, 8000, 2_000_000_000, "bit/s of a policer's peak", "L", "as the rate (K)"),
    _row("police-peak-rate", CLASSIC, 8000, 2_000_000_000, "bit/s of a peak-rate", "L", "as the rate (K)"),
    _row("queue-limit", CLASSIC, 1, 4096, "of a queue limit", "L", "command reference, queue-limit (K)"),
    _row("queue-limit", (XE,), 1, 64_000_000, "of a queue limit", "C", f"{YANG}, queue-limit-value"),
    _row("wred-threshold", (XE,), 1, 512_000_000, "of a WRED threshold", "C", f"{YANG}, min-threshold"),
    _row("wred-threshold", CLASSIC, 1, 4096, "of a WRED threshold", "L", "command reference (K)"),
    _row("wred-denominator", (XE,), 1, 65535, "mark probability denominator", "C", f"{YANG}, denominator"),
    _row("wred-denominator", CLASSIC, 1, 65535, "mark probability denominator", "L", "as IOS-XE (K)"),
    _row("mark-3-bits", KINDS, 0, 7, "in a field of three bits", "C", "RFC 3032, IEEE 802.1Q"),
    _row("mark-qos-group", (XE,), 0, 99, "of a qos-group", "C", f"{YANG}, qos-group-value"),
    _row("mark-qos-group", CLASSIC, 0, 99, "of a qos-group", "L", "as IOS-XE (K)"),
    _row("priority-level", (HQF, XE), 1, 2, "priority level", "C", f"{YANG}, priority level"),
)  # fmt: skip


def limit(code: str, kind: str) -> Limit | None:
    """The range of that quantity on that kind of platform, or None where none is known."""
    return next((row for row in LIMITS if row.code == code and kind in row.kinds), None)
