"""Rehearsals as people ask for them: the last one of a change, whether it is of these lines, and what became of each router."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass

from django.db.models import QuerySet

from provisioning.errors import NotVisible
from provisioning.models import Change, Rehearsal, RehearsalOutcome, RehearsedPush, RouterPush
from provisioning.pipeline.units import how_many

_WORDS = {
    RehearsalOutcome.REHEARSED: "rehearsed",
    RehearsalOutcome.DIFFERS: "ended otherwise than planned",
    RehearsalOutcome.REFUSED: "refused a line",
    RehearsalOutcome.NOT_REHEARSED: "not rehearsed",
}
_SHORT = ("rehearsal_id", "outcome", "said", "line", "reply", "seconds", "push__phase", "push__router__name")


def parts_of(change: Change) -> list[RouterPush]:
    """The pushes that a rehearsal plays: those with lines, and those whose router was not read, which it can only name."""
    pushes = change.pushes.select_related("router", "before").defer("before__text").order_by("position", "pk")
    return [push for push in pushes if push.lines or not push.has_plan]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """The last rehearsal of a change. `played` are its results so far, without what is long; `current` says whether it was of the
    lines that are stored now.
    """

    row: Rehearsal
    played: tuple[RehearsedPush, ...]
    current: bool

    @property
    def under_way(self) -> bool:
        return self.row.finished_at is None

    @property
    def through(self) -> bool:
        """Whether every router took every line and ended as planned."""
        return (
            not (self.under_way or self.row.error)
            and len(self.played) == self.row.parts
            and all(each.outcome == RehearsalOutcome.REHEARSED for each in self.played)
        )

    @property
    def summary(self) -> str:
        """How it went, as one sentence."""
        if self.row.error:
            return f"It could not be played to its end: {self.row.error}"
        if self.under_way:
            return f"{len(self.played)} of {self.row.parts} played"
        counts = Counter(each.outcome for each in self.played)
        said = [f"{counts[key]} {words}" for key, words in _WORDS.items() if counts[key]]
        return f"{how_many(self.row.parts, 'plan')}: {', '.join(said)}"


def rehearsed(change: Change, fingerprint: str) -> Rehearsed | None:
    """The last rehearsal of a change that has this fingerprint now; None when there was none."""
    row = Rehearsal.objects.filter(change=change).select_related("asked_by").order_by("-pk").first()
    if row is None:
        return None
    played = results(row).only(*_SHORT)
    return Rehearsed(row, tuple(played), row.fingerprint == fingerprint)


def results(row: Rehearsal) -> QuerySet[RehearsedPush]:
    """What became of each push, in the order in which they are sent."""
    played = RehearsedPush.objects.filter(rehearsal=row).select_related("push__router")
    return played.order_by("push__position", "push")


def result_of(change: Change, push: int) -> RehearsedPush:
    """What became of one push in the last rehearsal of its change, with its transcript; raises NotVisible."""
    row = Rehearsal.objects.filter(change=change).order_by("-pk").first()
    found = None if row is None else results(row).filter(push=push).first()
    if found is None:
        raise NotVisible("There is no such rehearsal.")
    return found


def digest_of(row: Rehearsal) -> str:
    """sha256 (hex) of what became of each push, and of every word that was said, as it is stored."""
    columns = ("push_id", "outcome", "line", "lines", "transcript")
    said = [list(each) for each in results(row).values_list(*columns).iterator(chunk_size=50)]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()
