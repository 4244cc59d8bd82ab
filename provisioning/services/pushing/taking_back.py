"""Taking back what was sent: exactly the approved undo of the prefix a router shows, or nothing and UNKNOWN."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from provisioning.pipeline.change import ChangePlan, PushState
from provisioning.pipeline.diff.store import digest_of, store_of
from provisioning.pipeline.mqc import RunningConfig
from provisioning.selectors.changes import ANSWERED, UNRECOGNISED
from provisioning.services import leases
from provisioning.services.ownership import LEFT
from provisioning.services.pushing import recording, standing
from provisioning.services.pushing.sending import Refusal, send
from provisioning.services.pushing.session import Session, unknown_held

UNDO_SESSIONS = 10  # of one push, those of the way forward included: then a person has to look


def take_back(session: Session, seen: RunningConfig, code: str, reason: str) -> str:
    """Undo exactly the prefix that the router shows, or leave it alone and say that it is unknown."""
    position = standing.position(session.plan, seen)
    answered = {ANSWERED: session.push.line}
    if position is None:
        return unrecognised(session, reason, known=answered | {LEFT: left_by(session.plan, seen)})
    if position == 0:
        session.move(
            PushState.ROLLED_BACK, reason, error=reason, error_code=code, line=0, verification=answered
        )
        return f"rolled back: {reason}"
    with transaction.atomic():
        leases.confirm(session.lease)
        recording.begin_undo(session.push, position, code, reason, answered)
    return undo(session, position, seen)


def undo(session: Session, undo_from: int, seen: RunningConfig) -> str:
    """Send what is left of the undo of `undo_from` commands, then look whether the router is back where it was."""
    push, reason = session.push, session.push.error
    lines = session.plan.undo[undo_from]
    done = standing.undo_position(session.plan, session.before(), undo_from, seen, session.profile)
    if done is None:
        return unrecognised(session, f"{reason}; while it was being undone")
    rest, _leading = standing.remainder(lines, done)
    if rest and recording.tries(push) > UNDO_SESSIONS:
        return _given_up(
            session,
            f"{reason}; the undo was given up after {UNDO_SESSIONS} sessions, {done} of its {len(lines)} lines are in",
        )
    if PushState(push.state) is PushState.UNKNOWN:
        session.move(
            PushState.PUSHING, f"read again: {done} of {len(lines)} lines of the undo are in; going on"
        )
    refusal: Refusal | None = None
    if rest:
        refusal = send(session.driver, rest, lease=session.lease, answered=lambda _count: None)
        seen = session.look()
    if refusal is None and standing.stands(session.plan, seen, 0):
        session.move(
            PushState.ROLLED_BACK,
            f"{reason}; undone, and seen as it was before the first line; nothing was saved",
            line=0,
        )
        return f"rolled back: {reason}"
    undone = f"{reason}; the undo went wrong too: {refusal or 'the router does not show what it held before'}"
    return unrecognised(session, undone)


def unrecognised(session: Session, reason: str, *, known: dict[str, Any] | None = None) -> str:
    """The router stands nowhere in the approved course: send nothing more, say so, leave it to a new plan.

    `known` says what our lines made there (`left_by`), where the session that typed them has read it back: a new plan puts that
    right. Without it nobody knows who made it, and what was edited by hand takes a repair.
    """
    return _given_up(session, f"{reason}: the router holds a state that was not approved", known)


def left_by(plan: ChangePlan, seen: RunningConfig) -> dict[str, str]:
    """What the objects that a plan makes or changes hold, as "kind name" -> digest: read in the session that sent its lines."""
    held = {" ".join(key): digest_of(found) for key, found in store_of(seen).items()}
    return {word: held[word] for word in plan.in_flight if word in held}


def _given_up(session: Session, reason: str, known: dict[str, Any] | None = None) -> str:
    text = f"{reason}; nothing more was sent and nothing saved"
    found = {"verification": known} if known else {}
    unknown_held(session.push, session.lease, text, error=text, error_code=UNRECOGNISED, **found)
    return f"unknown: {text}"
