"""Instants as integers: microseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

OPEN: Final = 1 << 62
"""After every instant: no end."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


def ticks_of(instant: datetime) -> int:
    """The microseconds until an instant."""
    return (instant - _EPOCH) // _TICK


def instant_of(ticks: int) -> datetime:
    """The instant after so many microseconds."""
    return _EPOCH + ticks * _TICK
