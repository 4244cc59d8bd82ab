"""The outcome of deriving a decision again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Kind = Literal["fault", "missing", "changed"]


@dataclass(frozen=True)
class Finding:
    """One thing that was found: a ``fault`` (something recorded does not hold), something ``missing`` that it takes to say so,
    or what has ``changed`` since, which is no fault. ``part`` names what it is about.
    """

    kind: Kind
    part: str
    text: str

    def __str__(self) -> str:
        return f"{self.part}: {self.text}"


@dataclass(frozen=True)
class Recheck:
    """What became of deriving one decision again; ``verdict`` is what followed, in a word, empty where nothing could be."""

    references: tuple[str, ...]
    deed: str
    at: datetime | None
    version: int
    verdict: str
    findings: tuple[Finding, ...]

    def of(self, kind: Kind) -> tuple[Finding, ...]:
        """The findings of one kind."""
        return tuple(each for each in self.findings if each.kind == kind)

    @property
    def status(self) -> int:
        """0: it follows, and the signature holds; 1: something does not hold; 3: it cannot be said, for something is missing."""
        if self.of("fault"):
            return 1
        return 3 if self.of("missing") else 0

    def to_json(self) -> dict[str, Any]:
        """Plain values; the instant in ISO 8601."""
        return {
            "requests": list(self.references),
            "deed": self.deed,
            "at": None if self.at is None else self.at.isoformat(),
            "topology": self.version,
            "verdict": self.verdict,
            "status": {0: "holds", 1: "does-not-hold", 3: "cannot-be-said"}[self.status],
            "findings": [{"kind": each.kind, "part": each.part, "text": each.text} for each in self.findings],
        }
