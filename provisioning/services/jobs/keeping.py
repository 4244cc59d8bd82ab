"""The database connections of the threads that do jobs, kept from one job to the next (CONN_MAX_AGE)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from django.db import close_old_connections, connections
from django.db.backends.base.base import BaseDatabaseWrapper


class Kept:
    """A connection is kept as long as it is healthy and not too old. One that broke, or that the server ended meanwhile, is
    opened anew by whoever needs it next (CONN_HEALTH_CHECKS). No more are open than there are threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[int, BaseDatabaseWrapper] = {}

    def keep(self) -> None:
        """What the calling thread has open after a job is kept for its next one, or closed."""
        close_old_connections()
        with self._lock:
            self._open |= {id(each): each for each in connections.all(initialized_only=True)}

    def close_old(self) -> None:
        """Close what is too old by now and no thread came back to. To be called while no job is under way."""
        now = time.monotonic()
        self._close(lambda each: each.close_at is not None and now >= each.close_at)

    def close_all(self) -> None:
        """To be called when the threads have ended."""
        self._close(lambda _each: True)

    def _close(self, chosen: Callable[[BaseDatabaseWrapper], bool]) -> None:
        with self._lock:
            for each in self._open.values():
                if each.connection is not None and chosen(each):
                    each.inc_thread_sharing()
                    try:
                        each.close()
                    finally:
                        each.dec_thread_sharing()
