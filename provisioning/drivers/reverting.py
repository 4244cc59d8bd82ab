"""A change that the router takes back by itself unless it is told in time to keep it (ios-facts 3.8).

`configure terminal revert timer N` keeps a copy and starts the clock; it is left at once, and the lines go in as always.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from provisioning.drivers.dialogue import Dialogue
from provisioning.drivers.exchange import DialogueError
from provisioning.drivers.judging import is_notice, is_syslog
from provisioning.errors import LineRefused, SessionLost

SHOW: Final = "show archive config rollback timer"
CONFIRM: Final = "configure confirm"
REVERT: Final = "configure revert now"
_KEPT: Final = re.compile(r"Rollback Confirmed Change: Backing up current running config to \S+")
_NONE: Final = re.compile(r"No Rollback Confirmed Change pending", re.I)
_USER: Final = re.compile(r"^\s*User: (?P<user>.+?)\s*$", re.M)

T = TypeVar("T")


def arm(dialogue: Dialogue, minutes: int) -> None:
    """Have the router keep a copy and go back to it after so many minutes unless it is told otherwise.

    Raises ``LineRefused`` when it says anything but that it kept one.
    """
    command = f"configure terminal revert timer {minutes}"

    def ask() -> tuple[str, bool]:
        exchange = dialogue.write([command], seconds=dialogue.timeouts.save, settle=dialogue.timeouts.settle)
        said = exchange.replies.texts[0]
        if exchange.question is not None:
            dialogue.decline(exchange.question)
            said = f"{said}\n{exchange.question}"
        inside = dialogue.prompt.configuring
        if inside:
            dialogue.write(["end"], seconds=dialogue.timeouts.reply, settle=dialogue.timeouts.settle)
        return said, inside

    said, inside = _talked(ask, command)
    if not inside or not _KEPT.search(said):
        raise LineRefused(f"`{command}` was refused: {_words(said)}", sent=command, reply=said)


def pending(dialogue: Dialogue) -> str | None:
    """Who has a change waiting to be kept; None when none waits. Raises ``LineRefused`` when the router says neither."""
    said = _talked(lambda: dialogue.run(SHOW, dialogue.timeouts.reply), SHOW)
    if _NONE.search(said):
        return None
    user = _USER.search(said)
    if user is None:
        raise LineRefused(f"`{SHOW}`: {_words(said)}", sent=SHOW, reply=said)
    return user["user"]


def confirm(dialogue: Dialogue) -> bool:
    """Tell the router to keep what it has; False when nothing waited for that any more. Raises ``LineRefused``."""
    said = _talked(lambda: dialogue.run(CONFIRM, dialogue.timeouts.save), CONFIRM)
    if _NONE.search(said):
        return False
    if _words(said):
        raise LineRefused(f"`{CONFIRM}` was refused: {_words(said)}", sent=CONFIRM, reply=said)
    return True


def revert(dialogue: Dialogue) -> str:
    """Have the router go back at once; what it said. Whether it is back is seen by reading it."""
    return _talked(lambda: dialogue.run(REVERT, dialogue.timeouts.read), REVERT)


def _talked(ask: Callable[[], T], command: str) -> T:
    try:
        return ask()
    except DialogueError as lost:
        raise SessionLost(
            f"{lost.reason}; `{command}` may have happened", possible=(command,) if lost.sending else ()
        ) from lost


def _words(said: str) -> str:
    lines = (line.strip() for line in said.splitlines())
    return "; ".join(line for line in lines if line and not is_syslog(line) and not is_notice(line))
