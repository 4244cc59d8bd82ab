"""The queue of one router as values: what is to be put on or taken off, and the plans that exist for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

FROZEN_SINCE_LOOK = timedelta(minutes=15)
"""A plan that somebody opened stands still for so long after the last look ..."""
FROZEN_AT_MOST = timedelta(hours=1)
"""... and for so long after the first one at most: whoever keeps a page open keeps nobody else waiting for ever."""
MOST_TOGETHER = 100
"""Requests in one plan: more than anybody reads at once; the rest form the next batch."""
LOOKED_AT_AFTER = timedelta(minutes=1)
"""A queue in which something must wait is looked at again after so long: what it waits for is seen gone on another router,
and no event of its own says so."""


@dataclass(frozen=True, slots=True, order=True)
class Member:
    """One request in one direction: put on the router, or taken off it; or what is on becoming something else, by the
    key of its `modification`.
    """

    request: int
    puts_on: bool
    modification: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """What a router still lacks of one request: `due` is the start of its window, or when it ended.

    `alone`: a plan of several requests failed with it, so it is tried by itself. `held` says why it is not planned
    until something changes, or until `again`; empty when it is to be planned. `given`: its lines were approved ahead
    and nothing has shown yet that they are others by now, so nobody has to be waited for.
    """

    member: Member
    due: datetime
    alone: bool = False
    held: str = ""
    given: bool = False
    again: datetime | None = None


class Standing(StrEnum):
    """How far a plan is: nobody has approved it, it is approved and not begun, its lines are being sent."""

    WAITING = "waiting"
    APPROVED = "approved"
    UNDER_WAY = "under way"


@dataclass(frozen=True, slots=True)
class QueuedPlan:
    """A plan of the router that is not over. `opened` and `looked` are the first and the last time somebody read it;
    an approval that is not yet enough is a look.
    """

    id: int
    due: datetime
    members: frozenset[Member]
    standing: Standing
    opened: datetime | None = None
    looked: datetime | None = None

    def frozen_until(self) -> datetime | None:
        """Until when it stands still for who reads it; None when nobody does."""
        if self.opened is None or self.looked is None:
            return None
        return min(self.looked + FROZEN_SINCE_LOOK, self.opened + FROZEN_AT_MOST)

    def stands(self, now: datetime) -> bool:
        """Whether newcomers must not replace it: it is approved, under way, or being read."""
        frozen = self.frozen_until()
        return self.standing is not Standing.WAITING or (frozen is not None and now < frozen)


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens next in a queue.

    `put_aside` are plans, with the reason, that go before anything else. `batch` is what is planned now, empty for
    nothing. `look_at` is when to decide again though nothing happens until then; None when only an event matters.
    """

    put_aside: tuple[tuple[int, str], ...]
    batch: tuple[Work, ...]
    look_at: datetime | None
