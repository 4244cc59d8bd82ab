"""How a platform answers to a rule: refused or doubted, how well that is known, and from where."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.pipeline.platforms.findings import Evidence, Severity, Tag


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one kind of platform answers, and where that is known from."""

    severity: Severity
    evidence: Evidence


def refused(source: str, tag: str = "C") -> Verdict:
    """It is not taken, for certain."""
    return Verdict(Severity.REFUSAL, Evidence(Tag(tag), source))


def doubted(source: str, tag: str = "L") -> Verdict:
    """It is probably not taken, or nobody knows."""
    return Verdict(Severity.WARNING, Evidence(Tag(tag), source))
