"""How long is waited: for a router's answer, and before what failed is tried again. No other place reckons either.

Two waits are of another kind and not here: a deed that the database ended for another's sake is done again within a
second (`retrying`), and a router that another worker holds is asked for again at a steady pace (`jobs.execution`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from enum import Enum

from django.conf import settings

from provisioning.drivers import Timeouts
from provisioning.pipeline.platforms import Profile

LONGEST_PAUSE = timedelta(minutes=5)
"""However often something has failed: so soon after what was in its way is gone it is tried again."""


class First(Enum):
    """The pause after the first failure, by what failed; in seconds."""

    JOB = 4
    """A job of any kind, unless it is one of the following."""
    RECOVERY = 5
    """Finding out what became of a push that nobody is working on; the first one counts as tried: its worker may return."""
    SAVE_REFUSED = 10
    """`write memory` that a router refused: mostly another session is saving."""
    UNREAD = 15
    """Reading a router whose queue has something due."""
    MESSAGE = 12
    """A message that nobody took."""
    NOT_SENT = 30
    """A push that failed before its first line. Each further one is a plan more, and after five a person has to look."""


def pause_after(first: First, failures: int) -> timedelta:
    """How long to wait after so many failures in a row: twice as long each time, `LONGEST_PAUSE` at most; zero after none."""
    if failures <= 0:
        return timedelta(0)
    doubled: int = 2 ** min(failures - 1, 16)
    return min(timedelta(seconds=first.value) * doubled, LONGEST_PAUSE)


CENTRAL_LATE_SECONDS = 0.4
"""How long a router is listened to after a binding, at most, where who forwards is who answers (`Profile.refuses_late`)."""


def timeouts(known: Profile | None = None) -> Timeouts:
    """The waits of one session: none longer than `ROUTER_TIMEOUT_SECONDS`; after a binding the router is listened to for
    `ROUTER_LATE_SECONDS`, because a line card refuses after the prompt (ios-facts 2.2); less long where none does.
    """
    late = settings.ROUTER_LATE_SECONDS
    return replace(
        Timeouts.bounded_by(settings.ROUTER_TIMEOUT_SECONDS),
        settle=settings.ROUTER_QUIET_SECONDS,
        binding_settle=late if known is None or known.refuses_late else min(late, CENTRAL_LATE_SECONDS),
    )
