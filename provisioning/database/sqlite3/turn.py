"""Whose turn it is to write to a SQLite file: one thread of this process after the other, and one process after the other.

SQLite has one writer. Who finds it busy sleeps up to a tenth of a second and asks again, so that of sixteen threads that
write a little each, most sleep while nobody writes. Threads of one process wait for each other here instead, and whoever
is done wakes the next. Of each process one asks the others, by the lock of a file beside the database, every few milliseconds.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

NOBODY: Final = -1
"""In the place of a descriptor: no other process is asked."""
_PAUSE_SECONDS: Final = 0.002
_LOCKS: Final[dict[str, threading.Lock]] = {}
_FILES: Final[dict[str, int]] = {}


class Turn:
    """The turn of one connection at one file. Not for two threads at once, as a connection is not."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock: threading.Lock | None = None
        self._file = NOBODY

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
                try:
                    if _among_processes(self._name, over):
                        self._lock, self._file = lock, _FILES[self._name]
                finally:
                    if self._lock is None:
                        lock.release()
        return self.taken

    def give(self) -> None:
        """Let the next have it; giving what is not ours is nothing."""
        lock, self._lock = self._lock, None
        if lock is not None:
            try:
                # A child has closed what it inherited, and may use the number for something else: it never had the turn.
                if self._file != NOBODY and _FILES.get(self._name) == self._file:
                    fcntl.flock(self._file, fcntl.LOCK_UN)
            finally:
                lock.release()


def _among_processes(name: str, over: float) -> bool:
    """Have the turn of this process among those with the same file, from now until `over` on time.monotonic() at most; for who
    has it among the threads.

    Where no file can be opened or locked SQLite alone decides, as it does with everybody else; of a database in memory there is
    no other process.
    """
    try:
        if name not in _FILES:
            _FILES[name] = NOBODY if name.startswith("file:") or ":memory:" in name else _opened(name)
        while (file := _FILES[name]) != NOBODY:
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            if time.monotonic() >= over:
                return False
            time.sleep(_PAUSE_SECONDS)
    except OSError as error:
        log.warning("processes do not take turns at the database: %s", error)
        _FILES[name] = NOBODY
    return True


def _opened(name: str) -> int:
    """Whoever may use the database may take turns: the file belongs to whom the database does, with the same rights."""
    path = f"{name}-turn"
    with suppress(FileExistsError):
        new = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with suppress(FileNotFoundError):  # the database is made by what comes next
            of = Path(name).stat()
            os.fchmod(new, of.st_mode & 0o666)
            if os.geteuid() == 0:
                os.fchown(new, of.st_uid, of.st_gid)
        return new
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


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
