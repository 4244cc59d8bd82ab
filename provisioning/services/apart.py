"""One thing among many: what goes wrong with it is logged, and the others are done all the same."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.db import InterfaceError, OperationalError

from provisioning.services.locking import wait_no_more
from provisioning.services.retrying import is_held
from provisioning.services.versions import OtherVersion

log = structlog.get_logger(__name__)

# A broken row is met again in every round, several times a second while something is under way.
REPEAT_SECONDS = 300.0
_told: dict[tuple[str, int | None, str], float] = {}


@contextmanager
def apart(part: str, subject: int | None = None) -> Iterator[None]:
    """Do `part` (of the row `subject`); a failure of it ends the body and is logged, the same one every five minutes.

    Raises only OperationalError and InterfaceError, a database that is gone or busy is gone for the others, too, and
    OtherVersion: none of them is this process's to do. A row that somebody holds is theirs alone: the rest goes on.
    """
    try:
        yield
    except Exception as error:
        if is_held(error):
            wait_no_more()
        elif isinstance(error, OperationalError | InterfaceError | OtherVersion):
            raise
        key, now = (part, subject, repr(error)[:200]), time.monotonic()
        if now - _told.get(key, -REPEAT_SECONDS) >= REPEAT_SECONDS:
            if len(_told) >= 1000:
                _told.clear()
            _told[key] = now
            log.exception("left undone, the rest goes on", part=part, subject=subject)
