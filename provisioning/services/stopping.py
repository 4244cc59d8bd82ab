"""A process that is told to stop: how long it goes on with what it does, and where it then stops.

A push that is not through when `STOP_GRACE_SECONDS` are over stops before its next write. Every prefix of an approved
plan is safe by its proof, so that is a safe point; the lease on the router and the job are given back at once, and
whoever takes the job reads the router and sends the rest, as after a killed worker but without waiting for a lease.
"""

from __future__ import annotations

import mmap
import struct
import time

from django.conf import settings

from provisioning.errors import ExpediteError

# Shared with the processes that are forked later: a Celery worker is told to stop, its pool does the pushing.
_UNTIL = struct.Struct("d")
_shared = mmap.mmap(-1, _UNTIL.size)


class Stopping(ExpediteError):
    """This process is told to stop and its time is over: nothing more is written, the job is anybody's."""

    code = "stopping"
    status = 503


def ask(*, grace: float | None = None) -> None:
    """Tell this process, and those forked from it, to stop within `grace` seconds; asked again, the first time counts."""
    if not _until():
        seconds = settings.STOP_GRACE_SECONDS if grace is None else grace
        _UNTIL.pack_into(_shared, 0, time.monotonic() + seconds)


def check() -> None:
    """Raise Stopping once the grace is over."""
    until = _until()
    if until and time.monotonic() >= until:
        raise Stopping("this process is told to stop; the rest is left to the next worker")


def _until() -> float:
    return float(_UNTIL.unpack_from(_shared, 0)[0])
