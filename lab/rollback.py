"""Changes that the router takes back by itself unless they are confirmed in time (ios-facts 2.1, 3.8).

`configure terminal revert timer N` keeps a copy of the running-config and goes back to it when the time is over, whoever is
signed in by then; `configure confirm` ends that, `configure revert now` does it at once. What other people typed since then goes
with it: the configuration becomes the copy.
"""

from __future__ import annotations

import time

from lab.mode import Login, Router
from lab.timers import Pending

NAME = "revert"
NOTHING_PENDING = "%No Rollback Confirmed Change pending\n"
NO_ARCHIVE = "%Please turn config archive on\n"
MINUTE_S = 60.0


def path_of(router: Router) -> str:
    """Where copies are kept: the `path` of `archive`; empty where none is set."""
    block = router.config.blocks.get("archive")
    lines = block.lines if block is not None else []
    return next((line.split(None, 1)[1] for line in lines if line.startswith("path ")), "")


def begin(session: Login, minutes: int) -> str:
    """Keep a copy and start the timer; what is printed. Without a path, or with another change pending, nothing is begun."""
    router = session.device
    path = path_of(router)
    if not path:
        return NO_ARCHIVE
    if router.pending is not None:
        return "%Another Rollback Confirmed Change is pending\n"
    router.kept += 1
    at = time.gmtime(router.clock())
    stamp = time.strftime("%b-", at) + f"{at.tm_mday:-3d}".replace(" ", "-") + time.strftime("-%H-%M-%S", at)
    file = f"{path}{stamp}-{router.kept - 1}"
    router.pending = Pending(router.body(), file, minutes, router.clock(), session.username)
    _start(router, minutes)
    router.log_line(f"%ARCHIVE_DIFF-5-ROLLBK_CNFMD_CHG_BACKUP: Backing up current running config to {file}")
    router.log_line(
        f"%ARCHIVE_DIFF-5-ROLLBK_CNFMD_CHG_START_ABSTIMER: User: {session.username}(Priv: {session.privilege}, View: 0): "
        f"Scheduled to rollback to config {file} in {minutes} minutes"
    )
    return f"Rollback Confirmed Change: Backing up current running config to {file}\n\n"


def confirm(session: Login) -> str:
    """`configure confirm`."""
    router = session.device
    if router.pending is None:
        return NOTHING_PENDING
    router.pending = None
    router.timers.cancel(NAME)
    router.log_line(
        f"%ARCHIVE_DIFF-5-ROLLBK_CNFMD_CHG_CONFIRM: User: {session.username}: Confirm the configuration change"
    )
    return ""


def revert_now(session: Login) -> str:
    """`configure revert now`."""
    router = session.device
    if router.pending is None:
        return NOTHING_PENDING
    file = router.pending.file
    router.log_line(
        f"%ARCHIVE_DIFF-5-ROLLBK_CNFMD_CHG_REVERTNOW: User: {session.username}: Rollback immediately."
    )
    _revert(router)
    return f"Rollback Confirmed Change: Rolling to:{file}\n\nTotal number of passes: 1\nRollback Done\n\n"


def change_timer(session: Login, minutes: int) -> str:
    """`configure revert timer N`: the time begins anew."""
    router = session.device
    if router.pending is None:
        return NOTHING_PENDING
    old = router.pending
    router.pending = Pending(old.copy, old.file, minutes, router.clock(), session.username)
    _start(router, minutes)
    return ""


def shown(router: Router) -> str:
    """`show archive config rollback timer`."""
    found = router.pending
    if found is None:
        return NOTHING_PENDING
    return (
        f"Time configured(or reconfigured): {router.stamp(found.since)}\nTimer type: absolute timer\n"
        f"Timer value: {found.minutes} min\nUser: {found.user}\n"
    )


def archive(router: Router) -> str:
    """`show archive`."""
    path = path_of(router)
    if not path:
        return " Archive feature not enabled\n"  # with its leading blank, as 17.15.1 prints it
    rows = [f"   {number + 1}        " for number in range(10)]
    return (
        "The maximum archive configurations allowed is 10.\n"
        f"There are currently {min(router.kept, 10)} archive configurations saved.\n"
        f"The next archive file will be named {path}-<timestamp>-{router.kept}\n"
        " Archive #  Name\n" + "\n".join(rows) + "\n"
    )


def _start(router: Router, minutes: int) -> None:
    router.timers.cancel(NAME)
    fast = router.faults.has("short-minutes")
    length = fast.seconds if fast is not None else MINUTE_S
    router.timers.add(router.clock() + minutes * length, lambda: _expire(router), NAME)


def _expire(router: Router) -> None:
    if router.pending is not None:
        router.log_line(
            f"%ARCHIVE_DIFF-5-ROLLBK_CNFMD_CHG_ROLLBACK_START: Start rolling to: {router.pending.file}"
        )
        _revert(router)


def _revert(router: Router) -> None:
    found, router.pending = router.pending, None
    router.timers.cancel(NAME)
    if found is not None:
        router.become(found.copy, found.user)
