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


class _Turn:
    """Who looks now, of those who ask about the same; kept as long as anybody does."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class _Round(Generic[T]):
    """Those who are answered by one look."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.is_over = False
        self.found: list[T] = []


class Together(Generic[T]):
    """`look` is given all names that were asked about, sorted; the answer is everybody's, so nobody may change it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Hashable, _Round[T]] = {}
        self._turns: WeakValueDictionary[Hashable, _Turn] = WeakValueDictionary()

    def ask(self, about: Hashable, name: str, look: Callable[[Collection[str]], T]) -> T:
        """The answer of a look that began after this call, and whose names have this one among them.

        Whose look fails hears of it; the others then look for themselves. In a transaction everybody looks alone: it may hold
        what others cannot see, and see what they must not.
        """
        if connection.in_atomic_block:
            return look([name])
        with self._lock:
            mine = self._open.setdefault(about, _Round())
            mine.names.add(name)
            turn = self._turns.get(about)
            if turn is None:
                turn = self._turns[about] = _Turn()
        with turn.lock:
            if not mine.is_over:
                with self._lock:
                    del self._open[about]
                try:
                    mine.found.append(look(sorted(mine.names)))
                finally:
                    mine.is_over = True
        return mine.found[0] if mine.found else look([name])
