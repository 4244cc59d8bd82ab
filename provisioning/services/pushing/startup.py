"""`write memory` at the end of a push: of all or of nothing, so never over other people's lines without a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from provisioning.errors import SaveRefused
from provisioning.models import RouterSync
from provisioning.pipeline.ends import KEPT_BACK, SAVE_REFUSED
from provisioning.pipeline.units import how_many
from provisioning.services import leases, unsaved
from provisioning.services.patience import timeouts
from provisioning.services.pushing.session import Session
from provisioning.services.reading import Reading
from provisioning.services.unsaved import Whose


@dataclass(frozen=True, slots=True)
class Ending:
    """Whether startup-config holds what was verified, in words; of what it lacks, whose lines, and since when (ISO).

    `before` are foreign lines that were there before our first line, `meanwhile` those typed by somebody during the push;
    `code` is that of its row in the table of ends.
    """

    saved: bool
    note: str
    code: str = ""
    ours: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    meanwhile: tuple[str, ...] = ()
    since: str = ""

    def to_json(self) -> dict[str, Any]:
        """As the push keeps it: ``save`` is the note, ``unsaved`` what startup-config lacks, left out where it lacks nothing."""
        if self.saved:
            return {"save": self.note}
        lines = {name: list(getattr(self, name)) for name in ("ours", "before", "meanwhile")}
        return {"save": self.note, "unsaved": {**lines, "since": self.since}}


def save(session: Session, reading: Reading) -> Ending:
    """Save, unless that would also save foreign lines that nobody agreed to save.

    `reading` is the last look at the router, right before: what somebody types between it and `write memory` is saved too.
    Raises LeaseLost, DeviceError.
    """
    push = session.push
    whose = unsaved.sort_out(push.router, reading, left_by=(push, session.plan))
    if not (whose.ours or whose.foreign):
        return Ending(True, "startup-config holds it, nothing to save")
    agreed = push.change.save_others_edits and set(whose.foreign) <= set(push.unsaved)
    if whose.foreign and not agreed:
        return _kept_back(session, whose)
    # It saves whatever is there: by now a successor's half-sent lines too. Who takes over waits until it is through.
    leases.confirm(session.lease, lasts=leases.of_save(timeouts(session.profile).save))
    try:
        session.save()
    except SaveRefused as error:
        return Ending(
            False,
            f"NOT saved: the router refused `write memory`: {error}; save {push.router.name} again",
            SAVE_REFUSED,
            ours=whose.ours,
            before=whose.foreign,
            since=reading.read_at.isoformat(),
        )
    if whose.foreign:
        return Ending(True, f"saved, with {how_many(len(whose.foreign), 'line')} of other people as approved")
    return Ending(True, "saved")


def _kept_back(session: Session, whose: Whose) -> Ending:
    """What is said where foreign lines are unsaved: how many, from when, and what becomes of ours."""
    push = session.push
    assert push.before is not None and push.started_at is not None
    there = set(push.before.unsaved)
    before = tuple(line for line in whose.foreign if line in there)
    meanwhile = tuple(line for line in whose.foreign if line not in there)
    row = RouterSync.objects.filter(router=push.router).values_list("unsaved", flat=True).first() or {}
    known = row.get("since", {})
    seen = [known.get(line, push.before.taken_at.isoformat()) for line in before]
    since = min([*seen, *([push.started_at.isoformat()] if meanwhile else [])])
    said = [f"{len(before)} there before our first line"] if before else []
    said += [f"{len(meanwhile)} typed meanwhile"] if meanwhile else []
    shown = ", not the ones shown at approval" if push.change.save_others_edits else ""
    are = "is" if len(whose.foreign) == 1 else "are"
    return Ending(
        False,
        f"NOT saved: {how_many(len(whose.foreign), 'line')} of other people {are} unsaved ({', '.join(said)}{shown}), since "
        f"{since[:16].replace('T', ' ')} UTC; so {how_many(len(whose.ours), 'line')} of ours stay unsaved too: "
        f"look at them and save {push.router.name} with a reason",
        KEPT_BACK,
        whose.ours,
        before,
        meanwhile,
        since,
    )
