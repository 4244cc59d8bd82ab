"""The range of a number that a platform takes, with how well it is known and from where. Each platform's folder has its own.

The rows of IOS-XE are ranges of Cisco's own model of the configuration, Cisco-IOS-XE-policy.yang, revision
2021-07-01 (IOS-XE 17.6.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.platforms.findings import Evidence, Severity, Tag

YANG: Final = "Cisco-IOS-XE-policy.yang 2021-07-01"
LONGEST_NAME: Final = 40
"""The longest name of a class-map, policy-map or access list, in characters, that every platform takes."""

LARGEST_BURST: Final = 512_000_000
"""The largest burst of a policer, in bytes, that any platform takes."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The range of one quantity, both ends included; ``unit`` for people."""

    least: int
    most: int
    unit: str
    severity: Severity
    evidence: Evidence

    def holds(self, value: int) -> bool:
        """Whether the value is within the range."""
        return self.least <= value <= self.most


def within(least: int, most: int, unit: str, tag: str, source: str) -> Limit:
    """The range of a platform; what was read in the source (``C``) is refused, else warned about."""
    severity = Severity.REFUSAL if tag == "C" else Severity.WARNING
    return Limit(least, most, unit, severity, Evidence(Tag(tag), source))
