"""Whose turn it is to write to a SQLite file: one thread of this process after the other, and one process after the other.

SQLite has one writer. Who finds it busy sleeps up to a tenth of a second and asks again, so that of sixteen threads that
write a little each, most sleep while nobody writes. Threads of one process wait for each other here instead, and whoever
is done wakes the next. Of each process one asks the others, by the lock of a file beside the database, every few milliseconds.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import suppress
from typing import Final

_LOCKS: Final[dict[str, threading.Lock]] = {}
_FILES: Final[dict[str, int]] = {}
_PAUSE_SECONDS = 0.002


class Turn:
    """The turn of one connection at one file. Not for two threads at once, as a connection is not."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock: threading.Lock | None = None

    @property
    def taken(self) -> bool:
        """Whether it is ours."""
        return self._lock is not None

    def take(self, seconds: float) -> bool:
        """Wait for it at most so long; True when it is ours now. Taking it twice is taking it once."""
        if self._lock is None:
            over = time.monotonic() + seconds
            lock = _LOCKS.setdefault(self._name, threading.Lock())
            if lock.acquire(timeout=seconds):
                if _among_processes(self._name, over):
                    self._lock = lock
                else:
                    lock.release()
        return self.taken

    def give(self) -> None:
        """Let the next have it; giving what is not ours is nothing."""
        lock, self._lock = self._lock, None
        if lock is not None:
            if (file := _FILES.get(self._name)) is not None:
                fcntl.flock(file, fcntl.LOCK_UN)
            lock.release()


def _among_processes(name: str, over: float) -> bool:
    """Have the turn of this process among those with the same file, from now until `over` on time.monotonic() at most. A database
    in memory has no other process, and where no file can be made SQLite alone decides, as it does with everybody else.
    """
    if (file := _file(name)) is None:
        return True
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if time.monotonic() >= over:
            return False
        time.sleep(_PAUSE_SECONDS)


def _file(name: str) -> int | None:
    """The descriptor of the lock file, opened once in a process; the caller has the turn among its threads."""
    if name not in _FILES:
        if ":memory:" in name or "mode=memory" in name:
            return None
        with suppress(OSError):
            _FILES[name] = os.open(f"{name}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    return _FILES.get(name)


def _forget() -> None:
    """In a child process nobody has the turn: the threads that had it stayed with the parent. Its files are closed: the lock of
    an open file belongs to all who have inherited it.
    """
    _LOCKS.clear()
    for file in _FILES.values():
        with suppress(OSError):
            os.close(file)
    _FILES.clear()


os.register_at_fork(after_in_child=_forget)
