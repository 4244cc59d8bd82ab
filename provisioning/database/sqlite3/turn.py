"""Whose turn it is to write to a SQLite file: one thread of this process after the other.

SQLite has one writer. Who finds it busy sleeps up to a tenth of a second and asks again, so that of sixteen threads that
write a little each, most sleep while nobody writes. Threads of one process wait for each other here instead, and whoever
is done wakes the next; several processes find each other busy as before.
"""

from __future__ import annotations

import os
import threading
from typing import Final

_LOCKS: Final[dict[str, threading.Lock]] = {}


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
            lock = _LOCKS.setdefault(self._name, threading.Lock())
            if lock.acquire(timeout=seconds):
                self._lock = lock
        return self.taken

    def give(self) -> None:
        """Let the next have it; giving what is not ours is nothing."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()


def _forget() -> None:
    """In a child process nobody has the turn: the threads that had it stayed with the parent."""
    _LOCKS.clear()


os.register_at_fork(after_in_child=_forget)
