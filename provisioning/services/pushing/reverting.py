"""A push that the router takes back by itself unless it is told in time to keep it: the timer, and what it leaves to be done.

Begun before the first line, ended when the read-back is right: `configure confirm`, and only then is anything saved. Whatever
else happens, the router goes back to what it held before the first line: at `configure revert now`, or when the time is over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from provisioning.errors import DeviceError, LineRefused
from provisioning.pipeline.mqc import RunningConfig
from provisioning.services import clock, leases
from provisioning.services.patience import timeouts
from provisioning.services.pushing import recording, standing
from provisioning.services.pushing.session import Session
from provisioning.services.reading import Reading

MARGIN = timedelta(seconds=60)
"""After the time is over: clocks differ, and going back takes a large router a while."""
CODE: Final = "reverted"
NOT_ARMED: Final = "revert-refused"
NOT_KEPT: Final = "confirm-refused"
_ARCHIVE: Final = re.compile(r"^archive *\n(?:[ \t]+\S.*\n)*?[ \t]+path (?P<path>\S+)", re.M)
_AWAY: Final = re.compile(r"^(?:t?ftp|rcp|scp|sftp|https?|pram):", re.I)


class NotSettled(DeviceError):
    """Nothing waits to be confirmed, the router is not back, and its timer may have been up a moment ago: it is read again."""

    code = "revert-not-settled"


def local_archive(text: str) -> str:
    """Where a running-config keeps copies on the router itself; empty where nowhere, or across the network: what cuts a session
    may cut that too.
    """
    found = _ARCHIVE.search(text)
    return "" if found is None or _AWAY.match(found["path"]) else found["path"]


def arm(session: Session) -> str:
    """Start the timer before the first line; why that could not be done, empty where it was. Raises SessionLost."""
    minutes = session.plan.revert_minutes
    if not local_archive(session.reading.text):
        return "the router keeps no copies of its configuration on itself any more (`archive`, `path`)"
    try:
        if (user := session.driver.pending_revert()) is not None:
            return f"a change of {user} waits there to be confirmed already"
        # Before the command: a successor must know that the timer may run.
        _write(session, clock.now() + timedelta(minutes=minutes) + MARGIN)
        # It is a write: a timer that nobody knows of would take back what comes after.
        leases.confirm(session.lease, lasts=timeouts(session.profile).reply)
        session.driver.arm_revert(minutes)
    except LineRefused as error:
        # It may have begun whatever it said; nothing waited a moment ago, so what waits now is this.
        if session.push.revert_until is not None and session.driver.pending_revert() is None:
            _write(session, None)
        return str(error)
    return ""


def back(session: Session, seen: RunningConfig) -> RunningConfig:
    """Have the router go back at once, where its timer may run, and look: what it shows then, or `seen` where none can.

    Raises NotSettled while it may be going back by itself: our own lines would meet its own.
    """
    if (until := session.push.revert_until) is None:
        return seen
    try:
        waited = session.driver.pending_revert() is not None
        if waited:
            leases.confirm(session.lease, lasts=timeouts(session.profile).reply)
            session.driver.revert_now()
        seen = session.look()
        if session.driver.pending_revert() is not None:
            return seen  # it will not: the timer stays, and is waited for before anything else is begun there
        if not waited and not standing.stands(session.plan, seen, 0) and clock.now() < until:
            raise NotSettled(_not_settled(session))
        _write(session, None)
    except LineRefused:
        return session.look()
    return seen


@dataclass(frozen=True, slots=True)
class NotKept:
    """Why a router does not keep what was read back, and what it shows."""

    code: str
    reason: str
    seen: RunningConfig


def keep(session: Session, reading: Reading) -> Reading | NotKept:
    """Tell the router to keep what was read back as approved: the reading to save by, or why it is not kept.

    Where nothing of the kind was begun that is `reading`; else one from after `configure confirm`, since what somebody
    typed before it is kept too, and shows only there. Raises NotSettled, SessionLost.
    """
    if session.push.revert_until is None:
        return reading
    leases.confirm(session.lease, lasts=timeouts(session.profile).reply)
    try:
        kept = session.driver.confirm_revert()
        waits = session.driver.pending_revert()
    except LineRefused as error:
        return NotKept(NOT_KEPT, str(error), session.look())
    after = session.read()
    if kept and waits is None and standing.stands(session.plan, after.config, session.length):
        _write(session, None)
        return after
    if waits is not None:
        reason = f"the router still waits to be told to keep it, after `configure confirm` ({waits})"
        return NotKept(NOT_KEPT, reason, after.config)
    return NotKept(CODE, _over(session, after.config), after.config)


def resume(session: Session) -> tuple[bool, str, RunningConfig]:
    """After an interruption: whether what the router shows may be gone on with (it shows all that was approved), else why not,
    and what it shows. A router that shows exactly that to a new session can be reached: it may be told to keep it.

    Raises NotSettled while the timer may be taking it back this very moment.
    """
    push, seen = session.push, session.reading.config
    whole = push.undo_from is None and standing.stands(session.plan, seen, session.length)
    why = recording.first_reason(push) or "the worker before this one died"
    if push.revert_until is not None and session.driver.pending_revert() is None:
        seen = session.look()
        if standing.stands(session.plan, seen, 0):
            _write(session, None)
            return (
                False,
                f"{why}; the router holds again what it held before the first line: it took it back by itself",
                seen,
            )
        if clock.now() < push.revert_until:
            raise NotSettled(_not_settled(session))
        _write(session, None)
        whole = push.undo_from is None and standing.stands(session.plan, seen, session.length)
    return whole, f"{why}; interrupted before the router was told to keep it", seen


def _over(session: Session, seen: RunningConfig) -> str:
    """What is said where the time was over before the router was told; raises NotSettled unless it is seen to be back."""
    if not standing.stands(session.plan, seen, 0):
        raise NotSettled(_not_settled(session))
    _write(session, None)
    return "the router took it back by itself: it was not told in time to keep it"


def _not_settled(session: Session) -> str:
    return (
        f"nothing waits to be confirmed on {session.target.name} and it is not back: its timer may be at work"
    )


def _write(session: Session, until: Any) -> None:
    """Note until when the timer may run; None: it does not. Without effect once another worker has taken the router over."""
    recording.while_ours(session.push, session.lease).update(revert_until=until)
    session.push.revert_until = until
