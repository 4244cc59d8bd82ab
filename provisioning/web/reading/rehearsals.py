"""A rehearsal as the pages show it: what went otherwise first, and one router's lines with their replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from provisioning.models import Change, RehearsalOutcome, RehearsedPush
from provisioning.selectors.rehearsals import Rehearsed, rehearsed

SHOWN = 12
"""Routers on the page of a change; all are on the page of the rehearsal."""

BADGES = {RehearsalOutcome.REFUSED: "line-refused"}
"""Outcomes that are called otherwise than the state of the same name."""


@dataclass(frozen=True, slots=True)
class RehearsalRow:
    """One push of a rehearsal in words."""

    push: int
    router: str
    phase: str
    badge: str
    said: str


@dataclass(frozen=True, slots=True)
class RehearsalShown:
    """The last rehearsal of a change for a page: `first` are the rows that are shown with the change, what went otherwise before
    what went well, `played` all, `share` how much is played, in thousandths.
    """

    found: Rehearsed
    played: tuple[RehearsalRow, ...]
    first: tuple[RehearsalRow, ...]
    share: int


def rehearsal_of(change: Change, fingerprint: str) -> RehearsalShown | None:
    """The last rehearsal of a change that has this fingerprint now; None: it was never rehearsed."""
    found = rehearsed(change, fingerprint)
    if found is None:
        return None
    rows = tuple(_row(each) for each in found.played)
    well = RehearsalOutcome.REHEARSED.value
    first = sorted(rows, key=lambda row: row.badge == well)[:SHOWN]
    return RehearsalShown(found, rows, tuple(first), 1000 * len(rows) // max(found.row.parts, 1))


def may_be_rehearsed(change: Change, found: RehearsalShown | None) -> bool:
    """Whether to offer it: there are lines, none of them is out, and nobody is at it."""
    if change.planned_at is None or change.finished_at is not None or change.released_at is not None:
        return False
    return found is None or not found.found.under_way


def sections_of(played: RehearsedPush) -> dict[str, Any]:
    """What is shown of one push: lines with replies, differences, what was not known of the running-config, the session."""
    return {
        "lines": [
            {
                "number": number,
                "text": text,
                "reply": reply,
                "ended": number == played.line and not _well(played),
            }
            for number, text, reply in played.lines
        ],
        "differs": played.differs,
        "unknown": played.unknown,
        "transcript": played.transcript,
        "badge": _badge(played.outcome),
    }


def _well(played: RehearsedPush) -> bool:
    return played.outcome == RehearsalOutcome.REHEARSED


def _badge(outcome: str) -> str:
    return BADGES.get(RehearsalOutcome(outcome), outcome)


def _row(each: RehearsedPush) -> RehearsalRow:
    return RehearsalRow(each.push_id, each.push.router.name, each.push.phase, _badge(each.outcome), each.said)
