"""A time as one asks for it: a moment, a day, a month, from one to another, or a word such as tomorrow. All UTC."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

import django_filters
from django import forms
from django.utils import timezone

from provisioning.errors import InvalidInput
from provisioning.pipeline.units import TimeWindow

HINT: Final = "2026-12-01 or tuesday"
PAST_HINT: Final = "2026-12-01 or last week"
NO_TIME: Final = (
    "is no time; write a day such as 2026-12-01, a month such as 2026-12, a moment such as 2026-12-01 14:00 (UTC), two of them "
    "with a / between, or a word: today, tomorrow, tuesday, this week, last week, next month"
)
_DAY: Final = timedelta(days=1)
_DAYS: Final = [name.lower() for name in calendar.day_name]
_FIRST: Final = datetime(1, 1, 2, tzinfo=UTC)


def window_of(text: str, now: datetime, *, past: bool = False) -> TimeWindow:
    """Return the window that `text` names at that moment: of a day or a month the whole, of a moment its minute.

    ``T1/T2`` goes from where T1 begins to where T2 ends, but a moment T2 is itself the end; either may be left out. A day of
    the week is the next one after today, with or without "next"; with ``past``, for what can only have happened, the last one
    up to today, or the one that "next" or "last" says. After a T1 a day of the week is the first one from there on.

    Raises:
        InvalidInput: it names none.
    """
    said = " ".join(text.lower().split())
    try:
        if said.count("/") != 1:
            return TimeWindow(*_span(said, now, past))
        first, last = (part.strip() for part in said.split("/"))
        if not first and not last:
            raise ValueError("two ends and no time")
        start = _span(first, now, past)[0] if first else _FIRST
        if not last:
            return TimeWindow(start)
        begins, ends = _day_from(start, last) if first and last in _DAYS else _span(last, now, past)
        return TimeWindow(start, begins if ends - begins == timedelta(minutes=1) else ends)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"“{text.strip()}” {NO_TIME}") from error


def window_text(window: TimeWindow) -> str:
    """Return a window as the pages say it, with the days of the week: people ask for Tuesday."""
    start = "the beginning" if window.start == _FIRST else f"{window.start:%a %Y-%m-%d %H:%M}"
    end = "further notice" if window.end is None else f"{window.end:%a %Y-%m-%d %H:%M} UTC"
    return f"{start} until {end}"


def _day_from(start: datetime, day: str) -> tuple[datetime, datetime]:
    """The first such day of the week from the day of `start` on."""
    return _days(start.date() + _DAY * ((_DAYS.index(day) - start.weekday()) % 7))


def _span(said: str, now: datetime, past: bool) -> tuple[datetime, datetime]:
    today = now.astimezone(UTC).date()
    if (word := _WORDS.get(said)) is not None:
        return word(today)
    if (day := said.removeprefix("last ")) in _DAYS and (past or day != said):
        before = (today.weekday() - _DAYS.index(day)) % 7
        return _days(today - _DAY * (before or (0 if day == said else 7)))
    if (day := said.removeprefix("next ")) in _DAYS:
        return _days(today + _DAY * ((_DAYS.index(day) - today.weekday() - 1) % 7 + 1))
    if re.fullmatch(r"\d{4}-\d\d", said, re.ASCII):
        return _month(date.fromisoformat(f"{said}-01"))
    if re.fullmatch(r"\d{4}-\d\d-\d\d", said, re.ASCII):
        return _days(date.fromisoformat(said))
    if not re.match(r"\d{4}-\d\d-\d\d[ t]\d\d:\d\d", said, re.ASCII):
        raise ValueError("nothing of these")
    moment = datetime.fromisoformat(said.removesuffix("utc").strip().upper())
    moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    return moment, moment + timedelta(minutes=1)


def _days(first: date, count: int = 1) -> tuple[datetime, datetime]:
    start = datetime.combine(first, time(), UTC)
    return start, start + count * _DAY


def _month(first: date) -> tuple[datetime, datetime]:
    return _days(first, calendar.monthrange(first.year, first.month)[1])


def _week(day: date) -> tuple[datetime, datetime]:
    return _days(day - day.weekday() * _DAY, 7)


def _next_month(day: date) -> date:
    return day.replace(day=1) + calendar.monthrange(day.year, day.month)[1] * _DAY


_WORDS: Final[dict[str, Callable[[date], tuple[datetime, datetime]]]] = {
    "yesterday": lambda today: _days(today - _DAY),
    "today": _days,
    "tomorrow": lambda today: _days(today + _DAY),
    "this week": _week,
    "last week": lambda today: _week(today - 7 * _DAY),
    "last month": lambda today: _month((today.replace(day=1) - _DAY).replace(day=1)),
    "next week": lambda today: _week(today + 7 * _DAY),
    "this month": lambda today: _month(today.replace(day=1)),
    "next month": lambda today: _month(_next_month(today)),
}


class WhenField(forms.CharField):
    """A time as one types it; None where nothing is typed. ``past``: of what can only have happened."""

    def __init__(self, *, past: bool = False, **more: Any) -> None:
        super().__init__(**more)
        self.past = past

    def clean(self, value: Any) -> TimeWindow | None:
        """Return the window; an error where it is none."""
        text = super().clean(value)
        if not text:
            return None
        try:
            return window_of(text, timezone.now(), past=self.past)
        except InvalidInput as error:
            reason = error.reason[:1].upper() + error.reason[1:]
            raise forms.ValidationError(f"{reason}.") from error


class WhenFilter(django_filters.Filter):
    """Rows by a time; ``lookup_expr`` says nothing here: a moment in the window, unless a ``method`` says otherwise."""

    field_class = WhenField

    def __init__(self, *, past: bool = False, **more: Any) -> None:
        attrs = {"placeholder": PAST_HINT if past else HINT, "maxlength": "60"}
        super().__init__(widget=forms.TextInput(attrs=attrs), past=past, **more)

    def filter(self, qs: Any, value: TimeWindow | None) -> Any:
        """Return the rows whose moment lies in the window."""
        if value is None:
            return qs
        bounds = {f"{self.field_name}__gte": value.start}
        if value.end is not None:
            bounds[f"{self.field_name}__lt"] = value.end
        return qs.filter(**bounds)
