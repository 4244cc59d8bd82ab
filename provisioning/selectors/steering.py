"""What people said about the course of a change: why nothing more of it is begun now, and in which waves it goes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from provisioning.models import Change, ChangeKind, RouterPush
from provisioning.pipeline.states import PushState
from provisioning.pipeline.units import how_many, instant_text
from provisioning.pipeline.waves import Member, Waves, waves


def may_begin(moment: datetime) -> Q:
    """Of changes: those of which a router may be begun at this moment; `why_held` says the same of one."""
    opened = Q(window_start__isnull=True) | Q(window_start__lte=moment)
    not_over = Q(window_end__isnull=True) | Q(window_end__gt=moment)
    return Q(paused_at__isnull=True) & opened & not_over


def why_held(change: Change, moment: datetime) -> str:
    """Why no further router of a change is begun, as a sentence; empty: nothing that a person said holds it."""
    if change.paused_at is not None:
        by = change.paused_by.get_username() if change.paused_by else "Expedite"
        return f"{change.reference} is paused by {by} since {instant_text(change.paused_at)}: {change.pause_reason}."
    if change.window_start is not None and moment < change.window_start:
        return f"{change.reference} waits for its window, {window_text(change)}."
    if window_over(change, moment):
        return (
            f"The window of {change.reference} is over, {window_text(change)}: give it another, or abort it."
        )
    return ""


def goes_by_itself(change: Change, moment: datetime) -> str:
    """When an approved change goes out without anybody's push, as a sentence; empty: it does not."""
    if change.released_at is None and change.kind not in (ChangeKind.RESERVATION, ChangeKind.REMOVAL):
        return ""
    if change.due_at is not None and change.due_at > moment:
        return f"It goes out by itself at {instant_text(change.due_at)}."
    return "It is due: it goes out now by itself."


def window_over(change: Change, moment: datetime) -> bool:
    """Whether the window of a change has ended."""
    return change.window_end is not None and change.window_end <= moment


def window_text(change: Change) -> str:
    """When a change may begin routers: from, until, or both; empty when at any time."""
    start, end = change.window_start, change.window_end
    said = [f"from {instant_text(start)}"] if start else []
    return " ".join([*said, f"until {instant_text(end)}"] if end else said)


def course_in_words(change: Change, pushes: Sequence[RouterPush]) -> list[str]:
    """When routers of a change may be begun, how many first and at once, a line each; nothing where no rule bounds it."""
    rows = [(push.pk, push.router_id, push.phase, push.state, push.lines) for push in pushes]
    phases = [members(rows, phase) for phase in {push.phase for push in pushes}]
    how = waves_of(change, max(phases, key=len, default=[]))
    found = [f"routers are begun {text}"] if (text := window_text(change)) else []
    if how.canary:
        found.append(f"{how_many(how.canary, 'router')} of each phase first, the others when verified")
    if how.size:
        found.append(f"then in waves of {how.size}, each when the one before is verified")
    if how.at_once:
        found.append(f"{how.at_once} at once at most")
    return found


def waves_in_words(change: Change, pushes: Sequence[RouterPush]) -> dict[int, str]:
    """In which wave of its phase each push goes, by its key; nothing where a phase is one wave."""
    rows = [(push.pk, push.router_id, push.phase, push.state, push.lines) for push in pushes]
    found: dict[int, str] = {}
    for phase in {push.phase for push in pushes}:
        mine = members(rows, phase)
        split = waves(mine, waves_of(change, mine))
        if len(split) > 1:
            found |= {
                each.key: f"wave {number} of {len(split)}"
                for number, wave in enumerate(split, 1)
                for each in wave
            }
    return found


def paused() -> QuerySet[Change]:
    """The changes that somebody paused, longest first."""
    rows = Change.objects.filter(paused_at__isnull=False, finished_at__isnull=True)
    return rows.select_related("paused_by").order_by("paused_at", "pk")


def stranded(moment: datetime) -> QuerySet[Change]:
    """The approved changes whose window is over and that have routers left to begin, oldest window first."""
    left = RouterPush.objects.filter(change=OuterRef("pk"), state=PushState.APPROVED)
    rows = Change.objects.filter(Exists(left), window_end__lte=moment, finished_at__isnull=True)
    return rows.filter(paused_at__isnull=True).order_by("window_end", "pk")


def members(rows: Sequence[tuple[int, int, str, str, int]], phase: str) -> list[Member]:
    """Of pushes as (key, router, phase, state, lines), in the order of the plan, those of a phase that have lines to send."""
    return [
        Member(key, router, PushState(state))
        for key, router, of, state, lines in rows
        if of == phase and lines
    ]


def waves_of(change: Change, phase_members: Sequence[Member]) -> Waves:
    """In which waves a phase of a change goes: as a person said, else a canary where there are many routers."""
    many = 0 < settings.CANARY_ABOVE < len(phase_members)
    canary = change.canary if change.canary is not None else int(many)
    return Waves(canary=canary, size=change.wave_size, at_once=change.at_once)
