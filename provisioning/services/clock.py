"""The database's clock: the one clock that every process of the service shares.

A moment that decides which of two readings is the newer one, or whether a reading began after a decision, comes from
here: the clocks of two machines may be further apart than a push lasts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.db import connection

Clock = Callable[[], datetime]

# The moment itself, not the beginning of the transaction it is asked in. SQLite answers a text in UTC.
ASKED = {"postgresql": "clock_timestamp()", "sqlite": "strftime('%Y-%m-%d %H:%M:%f', 'now')"}


def now() -> datetime:
    """What the database's clock says at this moment, in UTC."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {ASKED[connection.vendor]}")
        (said,) = cursor.fetchone()
    return read(said)


def read(said: datetime | str) -> datetime:
    """The moment that the database answered, in UTC."""
    return (
        said.astimezone(UTC)
        if isinstance(said, datetime)
        else datetime.fromisoformat(said).replace(tzinfo=UTC)
    )


def started() -> Clock:
    """Ask the database once; the clock returned goes on from there and needs no connection, in any thread.

    It counts from when the answer was here, and whole milliseconds as SQLite does: it is never ahead of the database's.
    """
    said = now()
    answered = time.monotonic()
    return lambda: said + timedelta(milliseconds=int((time.monotonic() - answered) * 1000))
