"""One look at the rows for all who ask at the same time: none is answered by a look that began before it asked.

What many routers' sessions need at nearly the same moment costs nearly as much for one as for twenty. Who comes while a look is
under way waits for the next one, which is for everybody who came meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from django.db import connection

T = TypeVar("T")
PATIENCE_SECONDS = 30.0
"""Nobody waits longer than this for the look of another, which may hang."""


class _Round(Generic[T]):
    """Those who are answered by one look."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.waiting = 0
        self.is_over = False
        self.found: list[T] = []


class Together(Generic[T]):
    """`look` is given all names that were asked about, sorted; the answer is everybody's, so nobody may change it."""

    def __init__(self, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience = patience_seconds
        self._lock = threading.Lock()
        self._open: dict[Hashable, _Round[T]] = {}
        # Who looks now, of those who ask about the same: kept as long as anybody does.
        self._turns: WeakValueDictionary[Hashable, threading.Lock] = WeakValueDictionary()

    def ask(self, about: Hashable, name: str, look: Callable[[Collection[str]], T]) -> T:
        """The answer of a look that began after this call, and whose names have this one among them.

        Whose look fails hears of it; the others then look for themselves, as does who waited too long for another's. In a
        transaction everybody looks alone: it may hold what others cannot see, and see what they must not.
        """
        if connection.in_atomic_block:
            return look([name])
        with self._lock:
            mine = self._open.setdefault(about, _Round())
            mine.names.add(name)
            mine.waiting += 1
            turn = self._turns.get(about)
            if turn is None:
                turn = self._turns[about] = threading.Lock()
        if not turn.acquire(timeout=self._patience):
            self._leave(about, mine)
            return look([name])
        try:
            if not mine.is_over:
                with self._lock:
                    del self._open[about]
                try:
                    mine.found.append(look(sorted(mine.names)))
                finally:
                    mine.is_over = True
        finally:
            turn.release()
        return mine.found[0] if mine.found else look([name])

    def _leave(self, about: Hashable, mine: _Round[T]) -> None:
        """The last one who waits for a look that is not begun takes it away."""
        with self._lock:
            mine.waiting -= 1
            if not mine.waiting and self._open.get(about) is mine:
                del self._open[about]
