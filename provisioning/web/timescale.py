"""Which moments of a stretch of time stand under its axis: round hours, days, weeks, months or years, in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

_HOURS = (1, 2, 3, 6, 12)
_DAYS = (1, 2, 4, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 600)


def marks(start: datetime, end: datetime, most: int) -> list[tuple[datetime, str]]:
    """Return at most `most` round moments from `start` until `end`, evenly apart, each with its text; the finest that fit."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    for hours in _HOURS:
        if (end - start) < (most + 1) * timedelta(hours=hours):
            found = list(_days(start, end, timedelta(hours=hours), 1))
            if len(found) <= most:
                return [(at, f"{at:%m-%d %H:%M}") for at in found]
    for days in _DAYS:
        if (end - start) < (most + 1) * timedelta(days=days):
            found = list(_days(start, end, timedelta(days=1), days))
            if len(found) <= most:
                return [(at, f"{at:%Y-%m-%d}") for at in found]
    found = []
    for months in _MONTHS:
        found = list(_months(start, end, months))
        if len(found) <= most:
            break
    return [(at, f"{at:%Y-%m-%d}") for at in found[:most]]


def _days(start: datetime, end: datetime, step: timedelta, days: int) -> Iterator[datetime]:
    """Every `step` since midnight; where it is a day, every `days` of them, weeks from Mondays on."""
    at = start.replace(hour=0, minute=0, second=0, microsecond=0)
    while at < end:
        if at >= start and (at.toordinal() - 1) % days == 0:
            yield at
        at += step


def _months(start: datetime, end: datetime, months: int) -> Iterator[datetime]:
    """The first of every so many months, counted from January of the year 0."""
    first, last = (at.year * 12 + at.month - 1 for at in (start, end))
    for number in range(-(-first // months) * months, last + 1, months):
        at = datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)
        if start <= at < end:
            yield at
