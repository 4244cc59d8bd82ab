"""The first release that has a command, per line of descent, and how well that is known (ios-facts 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.platforms.findings import Evidence, Tag
from provisioning.pipeline.platforms.release import Release


@dataclass(frozen=True, slots=True)
class Gate:
    """A command with its first release per family. Where no release of a family is named, nobody knows: the command
    is rendered there and warned about, never refused.
    """

    feature: str
    first: Mapping[str, str]
    evidence: Evidence

    def passed(self, release: Release) -> bool | None:
        """True when the release has it, False when it is known not to, None when nobody knows."""
        if release.reached(**self.first):
            return True
        return False if release.family in self.first else None


GATES: Final[Mapping[str, Gate]] = {
    gate.feature: gate
    for gate in (
        Gate("police cir percent", {"T": "12.2(13)T", "S": "12.0(28)S", "XE": "3.1.0"},
             Evidence(Tag.CERTAIN, "ftpctpol 12.2(13)T; the ISE guide for 12.0(27)S knows rates only (ios-facts 2.1)")),
        Gate("match dscp", {"T": "12.2(13)T", "S": "12.0(28)S", "XE": "3.1.0"},
             Evidence(Tag.LIKELY, "12.3 command reference lists both forms (ios-facts 2.1)")),
        Gate("priority percent", {"T": "12.2(2)T", "S": "12.0(28)S", "XE": "3.1.0"},
             Evidence(Tag.CERTAIN, "LLQ with Priority Percentage Support (ios-facts 2.1)")),
        Gate("several actions of a policer", {"T": "12.2(8)T", "XE": "3.1.0"},
             Evidence(Tag.CERTAIN, "ftpolenh 12.2(8)T (ios-facts 2.1)")),
        Gate("two rates of a policer", {"T": "12.2(4)T", "S": "12.0(26)S", "XE": "3.1.0"},
             Evidence(Tag.LIKELY, "Two-Rate Policer feature guide (K)")),
        Gate("bandwidth remaining ratio", {"T": "12.4(20)T", "S": "12.2(28)S", "XE": "3.1.0"},
             Evidence(Tag.LIKELY, "Distribution of Remaining Bandwidth Using Ratio, 12.2(28)SB; with HQF elsewhere (K)")),
        Gate("priority level", {"T": "12.4(20)T", "S": "12.2(28)S", "XE": "3.1.0"},
             Evidence(Tag.LIKELY, "Multi-Level Priority Queues, 12.2(28)SB; with HQF elsewhere (K)")),
        Gate("HQF", {"T": "12.4(20)T", "S": "15.0(1)S", "XE": "3.1.0"},
             Evidence(Tag.CERTAIN, "First HQF impressions, ipspace 2009; Cisco's HQF questions and answers (ios-facts 2.1)")),
    )
}  # fmt: skip
