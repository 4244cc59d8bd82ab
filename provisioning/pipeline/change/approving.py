"""Whose word a plan still needs: every part by somebody who did not submit it (ADR 16)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Parts:
    """What a plan carries and who stands behind it; people are keys of users.

    `requests` maps the name of each request to who submitted it. `planner` is who asked for the plan, None for the clock.
    `base_lines`: it carries lines that no request asked for. `two`: two people of the NOC stand behind every change.
    """

    requests: Mapping[str, int] = field(default_factory=dict)
    planner: int | None = None
    base_lines: bool = False
    two: bool = False


def missing(parts: Parts, approvers: Collection[int]) -> tuple[str, ...]:
    """Return, a sentence each, what keeps these approvals from being enough; empty when they are.

    Where two people of the NOC are needed, whoever asked for the plan is one of them.
    """
    people = set(approvers) - {parts.planner}
    found = [
        f"{name} needs the approval of somebody who did not submit it"
        for name, submitter in sorted(parts.requests.items())
        if not people - {submitter}
    ]
    if not people and not found:
        found.append("it needs the approval of a member of the NOC")
    if people and len(people) < _people_needed(parts):
        why = (
            "it carries lines that no request asked for"
            if parts.base_lines
            else "two people stand behind every change"
        )
        found.append(f"a second member of the NOC has to approve it: {why}")
    return tuple(found)


def objection(parts: Parts, person: int, approvers: Collection[int]) -> str:
    """Return why this person's approval would add nothing; empty when it would."""
    if person == parts.planner:
        return "you planned it"
    if person in approvers:
        return "you have approved it already"
    lacking = missing(parts, approvers)
    if lacking and missing(parts, [*approvers, person]) == lacking:
        return f"you submitted {', '.join(sorted(parts.requests))}"
    return ""


def _people_needed(parts: Parts) -> int:
    return 2 if (parts.two or parts.base_lines) and parts.planner is None else 1
