"""Pushes that ended badly and that nobody has seen to, as alarms."""

from __future__ import annotations

from django.urls import reverse

from provisioning.models import Change, RouterPush
from provisioning.pipeline.ends import DEEDS
from provisioning.pipeline.states import PushState
from provisioning.pipeline.units import how_many
from provisioning.selectors.ends import end_of_push, standing
from provisioning.web.reading.alarm import Alarm, named

MOST_BROKEN = 10


def broken_pushes() -> list[Alarm]:
    """Pushes that ended badly, until a later change was verified on their router or a person said that they are dealt with."""
    rows = list(standing()[: MOST_BROKEN + 1])
    more = standing().count() - MOST_BROKEN if len(rows) > MOST_BROKEN else 0
    rows = rows[:MOST_BROKEN]
    found = [_stopped(push) for push in rows if push.has_plan]
    # Not read for a plan: nothing was begun there, and the reasons stand with the routers that are not known.
    unread: dict[Change, list[str]] = {}
    for push in rows:
        if not push.has_plan:
            unread.setdefault(push.change, []).append(push.router.name)
    found += [
        Alarm(
            "warn",
            f"{change.reference} cannot go on: {named(names)} could not be read for it.",
            (),
            reverse("web:change-progress", args=[change.pk]),
            "See the change",
        )
        for change, names in unread.items()
    ]
    if more:
        title = (
            f"{how_many(more, 'router')} more: what was pushed there ended badly, and nobody has seen to it."
        )
        found.append(Alarm("warn", title, (), f"{reverse('web:changes')}?stage=stopped", "See the changes"))
    return found


_HOW = {PushState.ROLLED_BACK: "was taken back", PushState.STALE: "went stale"}


def _stopped(push: RouterPush) -> Alarm:
    """How it ended, the reason, and the next step as the table of ends has it."""
    state = PushState(push.state)
    end = end_of_push(push)
    what = f"{_HOW.get(state, 'stopped')} on {push.router.name}"
    how = what if state in _HOW else f"{what} ({push.get_state_display().lower()})"
    said = [push.error] if push.error else []
    if end is not None:
        said.append(f"Next: {end.do}")
    return Alarm(
        "warn" if state in _HOW else "bad",
        f"{push.change.reference} {how}.",
        tuple(said),
        reverse("web:change-progress", args=[push.change_id]),
        DEEDS[end.verb].title if end is not None and end.verb is not None else "See what happened",
    )
