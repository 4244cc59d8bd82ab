"""The gate before each phase of a change: every router looked at again, and no priority queue while an edge is open.

All routers are re-read before the first line is sent, and again before the core queues go on (D4.4.2v2 section 2.6:
marking and policing on every edge first). A router that is not as approved is left out, with what depends on it; where what the
routers are to hold was changed, or an edge is open, the change stops.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from inventory.models import Router
from provisioning.models import SYSTEM, Change, RouterPush
from provisioning.pipeline.change import Phase, PushState
from provisioning.pipeline.units import how_many
from provisioning.services import audit, intents
from provisioning.services.edges import edges_of
from provisioning.services.pushing import followed, recording
from provisioning.services.pushing.freshness import moved
from provisioning.services.reading import Reading, Unread
from provisioning.services.resolution import close_if_over
from provisioning.services.verifying import read_routers

WAITING = (PushState.APPROVED,)
ENDED_BADLY = frozenset({PushState.FAILED, PushState.ROLLED_BACK, PushState.STALE, PushState.CANCELLED})


def next_phase(change: Change) -> Phase | None:
    """Return the phase whose pushes may be sent now; None while an earlier one is under way, or when none is left."""
    return next_phase_of(change.pushes.values_list("phase", "state"))


def next_phase_of(pushes: Iterable[tuple[str, str]]) -> Phase | None:
    """As `next_phase`, of the phases and states of a change's pushes.

    A router that was left out (it could not be read, it had moved) keeps its phase from nobody else, but what comes
    after that phase waits for all of it.
    """
    found = [(Phase(phase), PushState(state)) for phase, state in pushes]
    waiting = [phase for phase, state in found if state in WAITING]
    if not waiting:
        return None
    phase = min(waiting, key=lambda each: each.position)
    earlier = [state for each, state in found if each.position < phase.position]
    if any(state is not PushState.VERIFIED for state in earlier):
        return None
    if any(state in {PushState.UNKNOWN, PushState.ROLLED_BACK} for _each, state in found):
        return None
    return phase


def check(change: Change) -> str:
    """Read the routers again and clear the next phase of a released change, or stop the change saying why."""
    phase = next_phase(change)
    if phase is None:
        return "no phase of this change can start"
    waiting = [
        push for push in change.pushes.select_related("router", "before") if push.state == PushState.APPROVED
    ]
    everywhere = phase is Phase.CORE_ON
    routers = {push.router_id: push.router for push in waiting}
    if everywhere:
        routers = {router.pk: router for router in Router.objects.filter(domain=waiting[0].router.domain)}
    readings = read_routers(routers.values())
    stopped = _intent_moved(change, waiting)
    left_out = "" if stopped else _moved(change, waiting, readings)
    if not stopped and everywhere:
        stopped = left_out or _open(waiting, readings)
    if left_out and not change.pushes.filter(state=PushState.APPROVED, phase=phase.value).exists():
        stopped = left_out
    if stopped or left_out:
        _count(waiting)
    if stopped:
        cancel_rest(change, stopped)
        return f"stopped before the first line of {phase.value}: {stopped}"
    if left_out:
        _cancel_later(change, phase, left_out)
    with transaction.atomic():
        Change.objects.filter(pk=change.pk).update(cleared_phase=phase.value)
        audit.record(
            actor=SYSTEM,
            action="change.cleared",
            obj=change,
            reason=f"{how_many(len(readings), 'router')} read again{_but(left_out)}",
            before={"cleared_phase": change.cleared_phase},
            after={"cleared_phase": phase.value},
        )
    return f"{phase.value} may start: {how_many(len(readings), 'router')} read again{_but(left_out)}"


def _count(waiting: list[RouterPush]) -> None:
    """A plan that is found out of date here ended before its first line as well."""
    stale = [push for push in waiting if push.state == PushState.STALE]
    for push in {push.router_id: push for push in stale}.values():
        if push.change.kind in intents.FOLLOWS_REQUESTS:
            followed.count_stale(push)


def _but(left_out: str) -> str:
    return f"; left out: {left_out}" if left_out else " and found as approved"


def _cancel_later(change: Change, phase: Phase, reason: str) -> None:
    """What depends on a router that is left out does not go on: the later phases, core queues among them."""
    for push in change.pushes.filter(state=PushState.APPROVED):
        if Phase(push.phase).position > phase.position:
            text = f"not started: {reason}"
            recording.move(push, PushState.CANCELLED, text, error=text)


def cancel_rest(change: Change, reason: str) -> None:
    """Cancel what was approved and not yet begun, and close the change when nothing of it is under way."""
    for push in change.pushes.filter(state=PushState.APPROVED):
        text = f"not started: {reason}"
        recording.move(push, PushState.CANCELLED, text, error=text)
    close_if_over(change)


def _moved(change: Change, waiting: list[RouterPush], readings: dict[str, Reading | Unread]) -> str:
    """Mark what moved STALE and what cannot be read FAILED; return what is left out and why, or nothing.

    One router that cannot be read keeps no other from its own lines.
    """
    wanted = intents.wanted_for(change, routers=sorted({push.router.name for push in waiting}))
    readings = wanted.judged(readings)
    reasons = []
    seen: set[int] = set()
    for push in sorted(waiting, key=lambda each: Phase(each.phase).position):
        if push.router_id in seen:
            continue  # a later phase of the same router begins where the earlier one will end
        seen.add(push.router_id)
        reading = readings[push.router.name]
        if isinstance(reading, Unread):
            text = f"{push.router.name} cannot be read: {reading.reason}"
            recording.move(push, PushState.FAILED, text, error=text, error_code=reading.code)
            reasons.append(text)
            continue
        text = moved(push, reading, wanted)
        if text:
            recording.move(push, PushState.STALE, text, error=text, error_code="moved")
            reasons.append(f"{push.router.name}: {text}")
    return "; ".join(reasons)


def _intent_moved(change: Change, waiting: list[RouterPush]) -> str:
    """Mark everything STALE when what the routers should hold is no longer what was planned."""
    why = intents.changed_since(change)
    if why:
        for push in waiting:
            recording.move(push, PushState.STALE, why, error=why, error_code="intent")
    return why


def _open(waiting: list[RouterPush], readings: dict[str, Reading | Unread]) -> str:
    """Refuse the core phase while any edge of the domain is open or unread, naming each."""
    wanted = intents.wanted(domain=waiting[0].router.domain)
    readings = wanted.judged(readings)
    edges = [edge for name in sorted(readings) for edge in edges_of(readings[name], wanted)]
    if not edges:
        return ""
    named = "; ".join(f"{edge['router']} {edge['interface']}: {edge['reason']}" for edge in edges)
    why = f"EF could still enter unauthorised, so no core queue goes on: {named}"
    for push in waiting:
        recording.move(push, PushState.STALE, why, error=why, error_code="open-edge")
    return why
