"""The one place where a deed that met another is done again from its beginning, and where a busy database gets its name.

Two deeds that wait for each other in a circle, or that a serializable transaction cannot put in an order, are ended by
PostgreSQL: one of them, wholly, and it says so (SQLSTATE 40P01, 40001). Then, and only then, doing it again is safe. A
connection that was lost during COMMIT says nothing about what was committed: it is never done again from here.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection

from provisioning.errors import Busy

log = structlog.get_logger(__name__)

Done = TypeVar("Done")

TRIES: Final = 8
FIRST_PAUSE_SECONDS: Final = 0.02
LONGEST_PAUSE_SECONDS: Final = 1.0
RETRY_AFTER_SECONDS: Final = 5

LOCK_NOT_AVAILABLE: Final = "55P03"
COLLISIONS: Final = frozenset({"40001", "40P01"})
# lock_not_available; query_canceled (statement_timeout); the server stops, crashed or starts; a session it ended because it
# stood still; no connection left (PostgreSQL manual, Appendix A).
_BUSY: Final = frozenset(
    {LOCK_NOT_AVAILABLE, "57014", "57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "53300"}
)
_LOCKED_SQLITE: Final = ("database is locked", "database table is locked", "database schema is locked")


def whole(act: Callable[[], Done]) -> Done:
    """Return what `act` returns, doing it again from its beginning where PostgreSQL ended it for another's sake.

    For the outermost call of a deed: `act` opens its transactions itself and reads inside what it decides on. Inside
    a transaction it is called once, for only the whole can be done again. Raises Busy when it collided `TRIES` times, and
    where the database is locked, restarts or does not answer; whatever else `act` raises.
    """
    if connection.in_atomic_block:
        return act()
    for again in range(TRIES):
        try:
            return act()
        except DatabaseError as error:
            if sqlstate_of(error) not in COLLISIONS:
                if (busy := unavailable(error)) is not None:
                    raise busy from error
                raise
            if again == TRIES - 1:
                raise Busy(
                    "Too many others are changing the same things at this moment; nothing was changed by you.",
                    retry_after=RETRY_AFTER_SECONDS,
                ) from error
            log.info("done again", again=again + 1, sqlstate=sqlstate_of(error))
            longest = min(FIRST_PAUSE_SECONDS * 2**again, LONGEST_PAUSE_SECONDS)
            time.sleep(random.uniform(longest / 4, longest))  # noqa: S311 - not a secret: who goes first
    raise AssertionError("unreachable: the last try returns or raises")


def is_held(error: BaseException) -> bool:
    """Whether it comes of a row that somebody has locked for longer than it was waited for (`locking.waiting_at_most`)."""
    cause = error.__cause__
    return cause is not None and (sqlstate_of(error) == LOCK_NOT_AVAILABLE or is_held(cause))


def sqlstate_of(error: BaseException) -> str | None:
    """The five characters by which PostgreSQL names an error; None for any other database's and for none."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state if isinstance(state, str) else None


def unavailable(error: BaseException) -> Busy | None:
    """`error` as what a caller may try again later, or None when it is nothing of that kind."""
    state = sqlstate_of(error)
    if state in COLLISIONS | _BUSY or (state or "").startswith("08"):
        return Busy(
            "The database is busy or restarting. Look whether it was done before you do it again.",
            retry_after=RETRY_AFTER_SECONDS,
        )
    if connection.vendor == "sqlite":
        if isinstance(error, OperationalError) and any(said in str(error) for said in _LOCKED_SQLITE):
            return Busy(
                "The database is locked by another writer; nothing was changed by you.",
                retry_after=RETRY_AFTER_SECONDS,
            )
        return None
    # The driver's own words for a connection that was lost or never came about carry no state.
    if isinstance(error, OperationalError | InterfaceError) and state is None:
        return Busy(
            "The database does not answer. Look whether it was done before you do it again.",
            retry_after=RETRY_AFTER_SECONDS,
        )
    return None
