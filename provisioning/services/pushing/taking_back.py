"""Taking back what was sent: exactly the approved undo of the prefix a router shows, or nothing and UNKNOWN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from provisioning.errors import LineRefused
from provisioning.pipeline.change import ChangePlan, Place, clearing
from provisioning.pipeline.diff import Line
from provisioning.pipeline.diff.store import digest_of, store_of
from provisioning.pipeline.intent import interface_key
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.states import PushState
from provisioning.selectors.changes import ANSWERED, BARE, UNRECOGNISED
from provisioning.services import leases
from provisioning.services.ownership import LEFT
from provisioning.services.pushing import aside, recording, reverting, standing
from provisioning.services.pushing.sending import Refusal, send
from provisioning.services.pushing.session import Session, unknown_held

ROUNDS = 3
"""So often in one session: what a line card says late about a line of the way there is no refusal of the undo, and a line of it
that was ignored may be taken the next time."""
UNDO_SESSIONS = 10  # of one push, those of the way forward included: then a person has to look


def take_back(
    session: Session, seen: RunningConfig, code: str, reason: str, *, typed_here: bool = True
) -> str:
    """Undo exactly the prefix that the router shows, or leave it alone and say that it is unknown.

    Where the router shows a prefix but for a place of a swap, that place is given an approved policy first if it has none.
    `typed_here` says whether the lines that are on the router were sent in this session.
    """
    seen = reverting.back(session, seen)
    position = standing.position(session.plan, seen)
    answered = {ANSWERED: session.push.line}
    if position is None:
        seen = _closed(session, seen)
        position = standing.position(session.plan, seen)
    if position == 0:
        session.move(
            PushState.ROLLED_BACK, reason, error=reason, error_code=code, line=0, verification=answered
        )
        return f"rolled back: {reason}"
    if position is None and (part := session.plan.part_of_block(seen)) is not None:
        position = part.start
    if position is None:
        position = aside.position(session.plan, seen)
    if position is None:
        known = answered | {LEFT: left_by(session.plan, seen)} if typed_here else None
        return unrecognised(session, reason, known=known)
    with transaction.atomic():
        leases.confirm(session.lease)
        recording.begin_undo(session.push, position, code, reason, answered)
    return undo(session, position, seen)


def undo(session: Session, undo_from: int, seen: RunningConfig) -> str:
    """Send what is left of the undo of `undo_from` commands, then look whether the router is back where it was."""
    outcome = ""
    for left in reversed(range(ROUNDS)):
        outcome, seen = _undo_once(session, undo_from, seen, last=left == 0)
        if outcome:
            break
    return outcome


def _undo_once(
    session: Session, undo_from: int, seen: RunningConfig, *, last: bool
) -> tuple[str, RunningConfig]:
    """One round of it: the outcome, empty where the router is not back and it is not the `last`; and what the router shows."""
    push, reason = session.push, recording.first_reason(session.push)
    refusal: Refusal | None = None
    done = standing.undo_position(session.plan, session.before, undo_from, seen, session.profile)
    if done is None and (part := session.plan.part_of_block(seen)) is not None and part.start <= undo_from:
        # Of a block any lines may be there: its objects go, whatever they hold, and what is left is a state of the plan.
        clear = clearing(part, seen)
        if clear and recording.tries(push) > UNDO_SESSIONS:
            gone = len(part.clearing) - len(clear)
            return _sessions_spent(session, seen, gone, len(part.clearing)), seen
        refusal, undo_from = _send(session, clear), part.start
        seen = session.look()
        done = standing.undo_position(session.plan, session.before, undo_from, seen, session.profile)
    lines = session.plan.undo[undo_from]
    if done is None:
        rest, done = aside.undo_rest(session.plan, session.before, undo_from, seen, session.profile)
        if rest is None:
            if refusal is not None and not last:
                return "", seen
            return unrecognised(
                session, f"{reason}{recording.UNDO_WENT_WRONG}{refusal or 'the router holds something else'}"
            ), seen
    else:
        rest, _leading = standing.remainder(lines, done)
    if rest and recording.tries(push) > UNDO_SESSIONS:
        return _sessions_spent(session, seen, done, len(lines)), seen
    if PushState(push.state) is PushState.UNKNOWN:
        session.move(
            PushState.PUSHING, f"read again: {done} of {len(lines)} lines of the undo are in; going on"
        )
    if rest and refusal is None:
        refusal = _send(session, rest)
        seen = session.look()
    if refusal is None and standing.stands(session.plan, seen, 0):
        session.move(
            PushState.ROLLED_BACK,
            f"{reason}; undone, and seen as it was before the first line; nothing was saved",
            line=0,
            **({"error": reason, "error_code": LineRefused.code} if push.error_code == BARE else {}),
        )
        return f"rolled back: {reason}", seen
    if not last:
        return "", seen
    nothing = "the router does not show what it held before"
    if left := session.watch(seen):
        # Of the undo only which line: the router says of it what it says of the push, and the interface is what counts.
        again = f"{refusal.line!r} was refused" if refusal else nothing
        named = _named(left, push.router.name).removeprefix("; ")
        return _left_bare(session, named, f"{reason}{recording.UNDO_WENT_WRONG}{again}"), seen
    return unrecognised(session, f"{reason}{recording.UNDO_WENT_WRONG}{refusal or nothing}"), seen


def _sessions_spent(session: Session, seen: RunningConfig, done: int, lines: int) -> str:
    """Every session of an undo ended before it was through: a person has to look."""
    reason = recording.first_reason(session.push)
    return _given_up(
        session,
        f"{reason}; the undo was given up after {UNDO_SESSIONS} sessions, {done} of its {lines} lines are in"
        f"{_named(session.watch(seen), session.push.router.name)}",
    )


def _closed(session: Session, seen: RunningConfig) -> RunningConfig:
    """Send an approved policy to a place of a swap that has none, all else being as approved, and look again."""
    left = session.watch(seen)
    if not left or aside.position(session.plan, seen) is None:
        return seen
    lines = aside.closing(session.plan, seen, left)
    _send(session, lines, closing=True)
    return session.look()


def _send(session: Session, lines: Sequence[Line], *, closing: bool = False) -> Refusal | None:
    return send(
        session.driver,
        session.push,
        session.plan,
        lines,
        lease=session.lease,
        answered=lambda _count: None,
        closing=closing,
    )


def _left_bare(session: Session, named: str, why: str) -> str:
    """An interface has no policy and takes none: the router is read at once, and another session tries again."""
    said = f"{named}{recording.TRIED_AGAIN}{why}"
    unknown_held(session.push, session.lease, said, error=said, error_code=BARE)
    return f"unknown: {said}"


def _named(places: Sequence[Place], router: str) -> str:
    if not places:
        return ""
    named = ", ".join(f"{interface_key(name, pvc)} {direction}" for name, pvc, direction in places)
    return f"; {router} {named} {'has' if len(places) == 1 else 'have'} NO POLICY"


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
