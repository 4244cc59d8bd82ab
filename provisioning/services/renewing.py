"""What a process holds and keeps alive while it works, renewed by one thread for all of a kind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

import structlog
from django.db import Error, connection

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Renewer(Generic[T]):
    """Begins its thread with the first thing held and ends it with the last, so a process that was forked has its own.

    `every` says after how many seconds what is held is renewed, `renew` does it, in one statement. A database that is away is
    asked again the next time.
    """

    def __init__(
        self, name: str, every: Callable[[Sequence[T]], float], renew: Callable[[list[T]], object]
    ) -> None:
        self._name, self._every, self._renew = name, every, renew
        self._changed = threading.Condition()
        self._held: dict[object, T] = {}
        self._thread: threading.Thread | None = None

    @contextmanager
    def renewed(self, held: T) -> Iterator[None]:
        """Keep it alive while the body runs; what was lost stays lost."""
        key = object()
        with self._changed:
            self._held[key] = held
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                del self._held[key]
                self._changed.notify()

    def _work(self) -> None:
        while held := self._after_a_while():
            try:
                self._renew(held)
            except Error:
                log.warning("not renewed; trying again", what=self._name, held=len(held), exc_info=True)
            finally:
                connection.close()

    def _after_a_while(self) -> list[T]:
        """Wait until it is time; what is held then. With nothing left the thread ends, and is known to."""
        began = time.monotonic()
        with self._changed:
            while self._held:
                held = list(self._held.values())
                left = began + self._every(held) - time.monotonic()
                if left <= 0:
                    return held
                self._changed.wait(left)
            self._thread = None
        return []
