"""The ranges of numbers: of the platform that is named, else the widest that any platform has."""

from __future__ import annotations

from typing import Final

from provisioning.pipeline.ios.grammar.tokens import Tokens
from provisioning.pipeline.platforms import KINDS, Profile

_WORDS: Final = {
    "police-rate": "a policer's rate in bit/s",
    "police-burst": "a policer's burst in bytes",
    "burst-ms": "a policer's burst in ms",
    "police-peak": "a policer's peak in bit/s",
    "police-peak-rate": "a policer's peak rate in bit/s",
    "shape-rate": "a shaper's rate in bit/s",
    "shape-burst": "a shaper's bucket in bits",
    "shape-excess": "a shaper's second bucket in bits",
    "shape-burst-ms": "a shaper's bucket in ms",
    "bandwidth-kbps": "a bandwidth in kbit/s",
    "bandwidth-ratio": "a ratio of what remains",
    "priority-kbps": "a priority in kbit/s",
    "priority-burst": "a priority's burst in bytes",
    "priority-level": "a priority level",
    "queue-limit": "a queue limit",
    "wred-threshold": "a WRED threshold",
    "wred-denominator": "a mark probability denominator",
    "wred-weight": "an exponential weighting constant",
    "mark-3-bits": "a field of three bits",
    "mark-qos-group": "a qos-group",
    "match-values": "values on one match line",
    "policy-levels": "levels of policies",
}


class Ranges:
    """What a platform takes; without one what the most generous does: there no more can be said honestly."""

    def __init__(self, profile: Profile | None) -> None:
        self._profile = profile
        self._known: dict[str, tuple[int, int]] = {}

    @property
    def whose(self) -> str:
        """Behind a range in a reason: " on cisco-7200 with 12.3(14)T", or nothing."""
        return "" if self._profile is None else f" on {self._profile}"

    def of(self, code: str) -> tuple[int, int]:
        """Least and most of a quantity by the code of its range, both included."""
        found = self._known.get(code)
        if found is None:
            own = None if self._profile is None else self._profile.kind.limits.get(code)
            rows = [own] if own else [each.limits[code] for each in KINDS if code in each.limits]
            found = self._known[code] = min(row.least for row in rows), max(row.most for row in rows)
        return found

    def take(self, tokens: Tokens, code: str) -> int:
        """The next word as a number of that row."""
        return tokens.number(*self.of(code), _WORDS[code], self.whose)
