"""Whose turn it is among the pushes of a change: what a person said holds it, the waves, at most one router of a path at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from provisioning.models import Change, RouterPush
from provisioning.pipeline.states import SENDING, UNSURE, PushState
from provisioning.pipeline.waves import Member, open_wave
from provisioning.selectors.paths import Paths
from provisioning.selectors.steering import members, waves_of, why_held

AT_MOST = 50
"""So many pushes of one change a tick makes jobs of; the next tick, a moment later, makes more."""

CLEARED_FOR = timedelta(minutes=15)
"""So long what a change's routers were read to hold before a phase clears its pushes: somebody may have typed since."""

Row = tuple[int, int, str, str, int]
"""A push as key, router, phase, state, lines."""


SAID = (
    "paused_at", "paused_by", "pause_reason", "window_start", "window_end", "canary", "wave_size", "at_once",
    "cleared_phase", "cleared_at",
)  # fmt: skip
"""What of a change says whose turn it is."""


def rows_of(change: Change, phase: str | None = None) -> list[Row]:
    """The pushes of a change, or of one phase of it, in the order of the plan, as `ready` takes them."""
    found = change.pushes.order_by("position", "pk")
    if phase is not None:
        found = found.filter(phase=phase)
    return list(found.values_list("pk", "router_id", "phase", "state", "lines"))


def cleared(change: Change, phase: str, moment: datetime) -> bool:
    """Whether all routers of a phase were read again and found as approved, and not too long ago."""
    read_at = change.cleared_at
    return change.cleared_phase == phase and read_at is not None and moment - read_at <= CLEARED_FOR


def ready(
    change: Change, rows: Sequence[Row], phase: str, with_job: Collection[int], moment: datetime
) -> list[int]:
    """The pushes of a phase that may be begun now, in order; `with_job` are those that a job is about to begin.

    What has no line to send waits for nobody.
    """
    waiting = [pk for pk, _, of, state, lines in rows if of == phase and state == PushState.APPROVED]
    mine = members(rows, phase)
    at_work = {each.key for each in mine}
    idle = [pk for pk in waiting if pk not in at_work]
    how = waves_of(change, mine)
    wave = [each for each in open_wave(mine, how) if each.state is PushState.APPROVED]
    wave = [each for each in wave if each.key not in with_job]
    busy = [each for each in mine if each.key in with_job or each.state in SENDING]
    room = min(AT_MOST, len(wave) if how.at_once is None else how.at_once - len(busy))
    unsure = {each.router for each in mine if each.key in with_job or each.state in UNSURE}
    return [*idle, *(each.key for each in _apart(wave, unsure, room, moment))]


def _apart(wave: Sequence[Member], unsure: set[int], room: int, moment: datetime) -> list[Member]:
    """The first `room` of a wave of which no two, nor one and what is `unsure`, are on the path of one reservation."""
    chosen: list[Member] = []
    left = list(wave)
    taken = set(unsure)
    beside_others = bool(left) and room > 0 and len(left) + len(taken) > 1
    paths = Paths({*unsure, *(each.router for each in wave)}, moment) if beside_others else None
    while left and len(chosen) < room:
        if taken and paths is not None:
            beside = paths.beside(taken, {each.router for each in left})
            left = [each for each in left if each.router not in beside]
            if not left:
                break
        chosen.append(left.pop(0))
        taken = {chosen[-1].router}
    return chosen


def why_not(push: RouterPush, change: Change, moment: datetime) -> str:
    """Why this push is not to begin now, as a sentence; empty: it may. `change` is its change as it is now (`SAID` of it)."""
    if why := why_held(change, moment):
        return why
    if not push.lines:
        return ""
    mine = members(rows_of(change, push.phase), push.phase)
    how = waves_of(change, mine)
    if push.pk not in {each.key for each in open_wave(mine, how)}:
        return f"{push.router.name} is in a later wave of {change.reference}."
    others = [each for each in mine if each.key != push.pk]
    if how.at_once is not None and sum(each.state in SENDING for each in others) >= how.at_once:
        return f"{change.reference} is sent to {how.at_once} at once, and {push.router.name} is the next."
    unsure = {each.router for each in others if each.state in UNSURE}
    if unsure and Paths({*unsure, push.router_id}, moment).beside(unsure, {push.router_id}):
        return f"Another router of a path that {push.router.name} is on is being sent to, or not known."
    return ""
