"""The gate before each phase of a change: every router looked at again, and no priority queue while an edge is open.

All routers are re-read before the first line is sent, and again before the core queues go on (D4.4.2v2 section 2.6:
marking and policing on every edge first). A router that is not as approved is left out, with what depends on it; where what the
routers are to hold was changed, or an edge is open, the change stops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from inventory.models import Router
from provisioning.models import SYSTEM, Change, RouterPush
from provisioning.pipeline.change import Phase
from provisioning.pipeline.ends import NOT_STARTED
from provisioning.pipeline.states import UNSURE, PushState
from provisioning.pipeline.units import how_many
from provisioning.services import audit, clock, intents, queues
from provisioning.services.edges import edges_of
from provisioning.services.locking import locked
from provisioning.services.pushing import followed, recording
from provisioning.services.pushing.freshness import moved
from provisioning.services.reading import Reading, Unread
from provisioning.services.verifying import read_routers

WAITING = (PushState.APPROVED,)
NONE_CAN_START = "no phase of this change can start"
STEERED = "somebody paused it or gave it another window while its routers were read: they are read again before it goes on"


def next_phase(pushes: Iterable[tuple[str, str]]) -> Phase | None:
    """Return the phase whose pushes may be sent now, of the phases and states of a change's pushes; None while an earlier one is
    under way, or when none is left.

    A router that went wrong (it could not be read, it had moved, it was taken back, nobody knows) keeps its phase from nobody
    else, but what comes after that phase waits for all of it.
    """
    found = [(Phase(phase), PushState(state)) for phase, state in pushes]
    waiting = [phase for phase, state in found if state in WAITING]
    if not waiting:
        return None
    phase = min(waiting, key=lambda each: each.position)
    earlier = [state for each, state in found if each.position < phase.position]
    if any(state is not PushState.VERIFIED for state in earlier):
        return None
    return phase


@dataclass(frozen=True)
class End:
    """What becomes of a push before its first line: the state, and why, as a sentence and as a code."""

    push: RouterPush
    state: PushState
    reason: str
    code: str


def check(change: Change) -> str:
    """Read the routers again and clear the next phase of a released change, or stop the change saying why.

    What follows from the readings is written in one transaction: a worker that dies leaves all of it or nothing. Nothing does
    where somebody steered the change while its routers were read.
    """
    # Read once: somebody may cancel the change between two looks.
    pushes = list(change.pushes.select_related("router"))
    phase = next_phase((push.phase, push.state) for push in pushes)
    if phase is None:
        return NONE_CAN_START
    waiting = [push for push in pushes if push.state == PushState.APPROVED]
    everywhere = phase is Phase.CORE_ON
    # A router that nobody knows of is neither as approved nor changed by others: its own end says what becomes of the rest.
    unsure = {push.router_id for push in pushes if push.state in UNSURE}
    judged = [push for push in waiting if push.router_id not in unsure]
    routers = {push.router_id: push.router for push in judged}
    if everywhere:
        routers = {router.pk: router for router in Router.objects.filter(domain=waiting[0].router.domain)}
    readings = read_routers(routers.values())
    ends, stopped, left_out = _judge(change, waiting, judged, readings, phase)
    stale = [end.push.router_id for end in ends if end.state is PushState.STALE]
    counted = stale if change.kind in intents.FOLLOWS_REQUESTS else []
    with transaction.atomic():
        followed.lock_queues(counted)
        found = locked(Change.objects.filter(pk=change.pk)).get()
        if found.paused_at is not None or found.steered != change.steered:
            return STEERED
        if not change.pushes.filter(state=PushState.APPROVED).exists():
            return NONE_CAN_START  # cancelled while the routers were read
        for end in ends:
            recording.move(end.push, end.state, end.reason, error=end.reason, error_code=end.code)
        for push in {end.push.router_id: end.push for end in ends if end.push.router_id in counted}.values():
            followed.count_stale(push)
        if stopped:
            followed.cancel_rest(change, stopped)
        else:
            if left_out:
                _cancel_later(change, phase, left_out)
            _clear(change, phase, f"{how_many(len(readings), 'router')} read again{_but(left_out)}")
    queues.mark(counted)
    if stopped:
        return f"stopped before the first line of {phase.value}: {stopped}"
    return f"{phase.value} may start: {how_many(len(readings), 'router')} read again{_but(left_out)}"


def _judge(
    change: Change,
    waiting: list[RouterPush],
    judged: list[RouterPush],
    readings: dict[str, Reading | Unread],
    phase: Phase,
) -> tuple[list[End], str, str]:
    """Return which pushes end here, why the change stops, and what is left out and why; empty where nothing is."""
    if why := intents.changed_since(change):
        return [End(push, PushState.STALE, why, "intent") for push in waiting], why, ""
    ends, left_out = _moved(change, judged, readings)
    if phase is Phase.CORE_ON:
        if left_out:
            return ends, left_out, left_out
        if why := _open(waiting, readings):
            return [End(push, PushState.STALE, why, "open-edge") for push in waiting], why, ""
    ended = {end.push.pk for end in ends}
    left = [push for push in waiting if push.pk not in ended and Phase(push.phase) is phase]
    return ends, "" if left else left_out, left_out


def _clear(change: Change, phase: Phase, reason: str) -> None:
    Change.objects.filter(pk=change.pk).update(cleared_phase=phase.value, cleared_at=clock.now())
    audit.record(
        actor=SYSTEM,
        action="change.cleared",
        obj=change,
        reason=reason,
        before={"cleared_phase": change.cleared_phase},
        after={"cleared_phase": phase.value},
    )


def _but(left_out: str) -> str:
    return f"; left out: {left_out}" if left_out else " and found as approved"


def _cancel_later(change: Change, phase: Phase, reason: str) -> None:
    """What depends on a router that is left out does not go on: the later phases, core queues among them."""
    for push in change.pushes.filter(state=PushState.APPROVED):
        if Phase(push.phase).position > phase.position:
            text = f"not started: {reason}"
            recording.move(push, PushState.CANCELLED, text, error=text, error_code=NOT_STARTED)


def _moved(
    change: Change, waiting: list[RouterPush], readings: dict[str, Reading | Unread]
) -> tuple[list[End], str]:
    """Return what moved as STALE and what cannot be read as FAILED, and both as a sentence.

    One router that cannot be read keeps no other from its own lines.
    """
    wanted = intents.wanted_for(change, routers=sorted({push.router.name for push in waiting}))
    readings = wanted.judged(readings)
    ends, reasons = [], []
    seen: set[int] = set()
    for push in sorted(waiting, key=lambda each: Phase(each.phase).position):
        if push.router_id in seen:
            continue  # a later phase of the same router begins where the earlier one will end
        seen.add(push.router_id)
        reading = readings[push.router.name]
        if isinstance(reading, Unread):
            text = f"{push.router.name} cannot be read: {reading.reason}"
            ends.append(End(push, PushState.FAILED, text, reading.code))
            reasons.append(text)
        elif text := moved(push, reading, wanted):
            ends.append(End(push, PushState.STALE, text, "moved"))
            reasons.append(f"{push.router.name}: {text}")
    return ends, "; ".join(reasons)


def _open(waiting: list[RouterPush], readings: dict[str, Reading | Unread]) -> str:
    """Why no core queue goes on: every edge of the domain that is open or unread, by name; empty when there is none."""
    wanted = intents.wanted(domain=waiting[0].router.domain)
    readings = wanted.judged(readings)
    edges = [edge for name in sorted(readings) for edge in edges_of(readings[name], wanted)]
    if not edges:
        return ""
    named = "; ".join(f"{edge['router']} {edge['interface']}: {edge['reason']}" for edge in edges)
    return f"EF could still enter unauthorised, so no core queue goes on: {named}"
