"""The log of what happened, read on from a cursor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from expedite_client.errors import Lost
from expedite_client.transport import Transport
from expedite_client.trying import Trying, unsaid
from expedite_client.values.trail import Event, Events

LONGEST_WAIT_SECONDS: Final = 25
_AT_ONCE_SECONDS: Final = 1.0


class EventLog:
    """`events`. `cursor` is behind the last event that was handed out: keep it, and nothing is missed or comes twice."""

    def __init__(
        self,
        transport: Transport,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = transport
        self._sleep = sleep
        self._clock = clock

    def read(self, after: int = 0, *, limit: int = 200, wait: int = 0) -> Events:
        """Return what happened behind a cursor, the oldest first; `wait`: so many seconds where there is nothing new."""
        return _read(self._http, after, limit=limit, wait=wait)

    def end(self) -> int:
        """Return the cursor behind everything that has happened so far."""
        return self.read(0, limit=1)["end"]

    def follow(
        self,
        after: int = 0,
        *,
        wait: int = 20,
        patience_seconds: float | None = None,
        lost: Lost = unsaid,
    ) -> Iterator[Event | None]:
        """Yield every event behind the cursor `after`, for ever; None whenever a wait ended without one.

        A connection that breaks is made again, and the log read on from the last event that was handed out. `lost` is told why
        and after how many seconds that is tried, each time. Raises what was wrong when the server has not answered for
        `patience_seconds` (None: never), or says that it will not (`Trying`).
        """
        trying = Trying(patience_seconds, lost=lost, sleep=self._sleep, clock=self._clock)
        once = self._http.once()
        while True:
            asked_at = self._clock()
            found = trying(partial(_read, once, after, limit=200, wait=min(wait, LONGEST_WAIT_SECONDS)))
            for event in found["events"]:
                after = event["position"]
                yield event
            after = found["next"]
            if not found["events"]:
                yield None
                if wait and self._clock() - asked_at < _AT_ONCE_SECONDS:
                    self._sleep(2.0)  # many wait already, so it answered at once (reference/api.md)


def _read(transport: Transport, after: int, *, limit: int, wait: int) -> Events:
    return transport.get(Events, "events/", {"after": after, "limit": limit, "wait": wait}, wait=wait)
