"""Which routers of a phase go first, and how many at once: a canary, then waves, each when the one before is verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from provisioning.pipeline.states import PushState

NOTHING_SENT: Final = frozenset({PushState.STALE, PushState.FAILED, PushState.CANCELLED})
"""How a push ends to whose router nothing was sent: it says nothing of those that come after it, and is no part of a wave."""


@dataclass(frozen=True, slots=True)
class Waves:
    """`canary` routers go first, then `size` at a time (None: all the others), never more than `at_once` side by side."""

    canary: int = 0
    size: int | None = None
    at_once: int | None = None


class Member(NamedTuple):
    """A push of a phase that has lines to send, in the order of the plan."""

    key: int
    router: int
    state: PushState


def waves(members: Sequence[Member], how: Waves) -> list[list[Member]]:
    """The members in waves, the first first; what ended without anything sent is left out."""
    left = [member for member in members if member.state not in NOTHING_SENT]
    found = [left[: how.canary]] if how.canary else []
    rest = left[how.canary :]
    size = how.size or max(1, len(rest))
    found += [rest[start : start + size] for start in range(0, len(rest), size)]
    return [wave for wave in found if wave]


def open_wave(members: Sequence[Member], how: Waves) -> list[Member]:
    """The wave that may be under way now: the first that is not verified whole. Empty when all are."""
    for wave in waves(members, how):
        if any(member.state is not PushState.VERIFIED for member in wave):
            return wave
    return []


def later_than(members: Sequence[Member], how: Waves, key: int) -> list[Member]:
    """The members of the waves after that of the push with this key; empty where it is in none, or in the last."""
    found = waves(members, how)
    for number, wave in enumerate(found):
        if any(member.key == key for member in wave):
            return [member for later in found[number + 1 :] for member in later]
    return []
