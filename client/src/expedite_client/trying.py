"""Asking again while a server is away: sooner at first, then every half minute, until patience is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from expedite_client.errors import ClientError, Lost, Problem, may_pass

Found = TypeVar("Found")
LONGEST_PAUSE_SECONDS: Final = 30.0


def unsaid(_error: ClientError, _pause: float) -> None:
    """Tell nobody."""


class Trying:
    """Asks until there is an answer; raises what was wrong when there was none for `patience_seconds` (None: never).

    What asking again does not change (`may_pass`) is raised at once, and so is a server's word (Retry-After) that it is away for
    longer than that. What is called asks once (`Transport.once`): else nobody hears of the tries within.
    """

    def __init__(
        self,
        patience_seconds: float | None,
        *,
        lost: Lost = unsaid,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._patience = patience_seconds
        self._lost = lost
        self._sleep = sleep
        self._clock = clock

    def __call__(self, ask: Callable[[], Found]) -> Found:
        """Return what `ask` returns, called again as long as it raises what may pass."""
        began, pause = self._clock(), 1.0
        while True:
            try:
                return ask()
            except ClientError as error:
                if not may_pass(error):
                    raise
                left = None if self._patience is None else began + self._patience - self._clock()
                said = error.retry_after if isinstance(error, Problem) else None
                if left is not None and left <= (said or 0):
                    raise
                again = said or (pause if left is None else min(pause, left))
                self._lost(error, again)
                self._sleep(again)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
