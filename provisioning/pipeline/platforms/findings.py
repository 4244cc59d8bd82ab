"""What is said of a configuration before a router says it: refusals and warnings, each with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Tag(StrEnum):
    """How well something is known (ios-facts, head): read in the source named, likely, or only to be had from a device."""

    CERTAIN = "C"
    LIKELY = "L"
    UNKNOWN = "U"

    @property
    def word(self) -> str:
        """The tag as a word for people."""
        return self.name.lower()


class Severity(StrEnum):
    """A refusal cannot be approved. A warning can, by an operator who says why."""

    REFUSAL = "refusal"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where something is known from, and how well."""

    tag: Tag
    source: str

    def __str__(self) -> str:
        return f"{self.tag.word}: {self.source}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a router would not take, or probably not. ``code`` names the rule of ``rules.RULES``."""

    code: str
    severity: Severity
    text: str
    evidence: Evidence

    @property
    def certain(self) -> bool:
        """Whether the router would refuse it for certain."""
        return self.severity is Severity.REFUSAL

    def __str__(self) -> str:
        return f"{self.text} ({self.evidence})"

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity.value,
            "text": self.text,
            "tag": self.evidence.tag.value,
            "source": self.evidence.source,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Finding:
        return cls(
            data["code"],
            Severity(data["severity"]),
            data["text"],
            Evidence(Tag(data["tag"]), data["source"]),
        )
