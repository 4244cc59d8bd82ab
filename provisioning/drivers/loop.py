"""One event loop in one thread per process: it carries every asyncssh session of that process.

Paramiko has a thread per session. Here the callers' threads wait on a condition, and the one loop does what there is to
do for all of them. A process that was forked (a Celery worker) makes a loop of its own at its first session: the
thread of its parent's does not exist there.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

NAME_THREADS: Final = 32
"""At most so many at once for what asyncio does in threads: names are resolved there, and a resolver may hang."""

T = TypeVar("T")


class _Held:
    """The loop of this process, made when it is first asked for."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.inherited: list[asyncio.AbstractEventLoop] = []

    def get(self) -> asyncio.AbstractEventLoop:
        with self.lock:
            if self.loop is None:
                loop = asyncio.new_event_loop()
                loop.set_default_executor(ThreadPoolExecutor(NAME_THREADS, "router-names"))
                threading.Thread(target=loop.run_forever, name="router-sessions", daemon=True).start()
                self.loop = loop
            return self.loop

    def forget(self) -> None:
        """In a child: the lock may have been held, and the loop's thread stayed behind. The loop itself is kept: its
        sockets and its selector are the parent's, and to collect it would be to close them."""
        self.lock = threading.Lock()
        if self.loop is not None:
            self.inherited.append(self.loop)
        self.loop = None


_held = _Held()
os.register_at_fork(after_in_child=_held.forget)


def session_loop() -> asyncio.AbstractEventLoop:
    """The running loop of this process."""
    return _held.get()


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Do ``work`` on the loop and return what it returns; it is to bound itself.

    Whatever ends the wait (a signal that stops the worker) ends the work as well.
    """
    future = asyncio.run_coroutine_threadsafe(work, session_loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
