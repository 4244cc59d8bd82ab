"""Windows that come again: an iCalendar rule (RFC 5545 section 3.3.10) in local time, as windows of UTC.

The start of each occurrence is one time of the day by the clocks of a zone, whatever they are put to; its length is that of
the first, exactly (section 3.8.5.3, of DTSTART with DTEND). A local time that is left out when clocks go forward is read
with the offset before, so that it begins as much later as was left out; one that comes twice is the first of the two (section
3.3.5). Dates that do not exist (29 February, the 31st) have no occurrence.
"""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice, pairwise
from typing import Final

from dateutil.rrule import rrulestr

from provisioning.errors import InvalidInput
from provisioning.pipeline.units import TimeWindow, instant_text

RULE_FIELD: Final = "recurrence.rrule"
LONGEST_RULE: Final = 300
_DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BY_DAY: Final = re.compile(r"(?P<nth>[+-]?[0-9]{1,2})?(?P<day>MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
_UNTIL: Final = re.compile(r"[0-9]{8}(T[0-9]{6}Z)?", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,4}", re.ASCII)
_FREQUENCIES: Final = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_MOST_DAYS: Final = {"MONTHLY": 31, "YEARLY": 366}
"""How many days a period has at most, of those whose days are chosen by position."""
_MOST_POSITIONS: Final = 53
_MOST_OF_A_WEEKDAY: Final = {"MONTHLY": 5, "YEARLY": 53}


@dataclass(frozen=True)
class Bounds:
    """How many occurrences a rule may have, and how long after the first the last may begin."""

    most: int
    longest: timedelta


@dataclass(frozen=True)
class Rule:
    """A rule that ends: ``text`` without the end, for dateutil; the end is ``count``, or ``until`` (a local day, an instant)."""

    text: str
    parts: Mapping[str, str]
    count: int | None
    until: date | datetime | None


def parse(text: str) -> Rule:
    """The rule in ``text`` (``FREQ=WEEKLY;BYDAY=TU;COUNT=12``).

    At most one occurrence a day: FREQ is DAILY to YEARLY, with INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, WKST. Raises
    InvalidInput (field recurrence.rrule) for anything else, and unless exactly one of COUNT and UNTIL ends it.
    """
    parts = dict(_parts(text))
    frequency = parts.get("FREQ", "")
    if frequency not in _FREQUENCIES:
        raise _wrong(f"FREQ is one of {', '.join(_FREQUENCIES)}")
    for name, check in _CHECKS.items():
        if name in parts and (fault := check(parts[name], frequency)):
            raise _wrong(f"{name}: {fault}")
    if "BYSETPOS" in parts and not parts.keys() & {"BYDAY", "BYMONTHDAY", "BYMONTH"}:
        raise _wrong("BYSETPOS chooses among the days of another BY part")
    if "BYMONTH" in parts and (far := _first_beyond(parts.get("BYDAY", ""), _MOST_OF_A_WEEKDAY["MONTHLY"])):
        raise _wrong(f"BYDAY: {far!r} is in no month")
    if ("COUNT" in parts) == ("UNTIL" in parts):
        raise _wrong("a series ends: give COUNT, or UNTIL (a day, or an instant of UTC), one of the two")
    endless = ";".join(f"{name}={value}" for name, value in parts.items() if name not in ("COUNT", "UNTIL"))
    count = int(parts["COUNT"]) if "COUNT" in parts else None
    return Rule(endless, parts, count, _until(parts["UNTIL"]) if "UNTIL" in parts else None)


def occurrences(
    rule: Rule, *, first: TimeWindow, zone: tzinfo, left_out: Collection[date] = (), bounds: Bounds
) -> tuple[TimeWindow, ...]:
    """The windows of ``rule``, of which ``first`` is the first, in order and apart; ``left_out`` are local days without one.

    COUNT counts those left out too (EXDATE). Raises InvalidInput: (recurrence.rrule) where ``first`` is not of the rule,
    where they overlap or are more than ``bounds`` allow; (recurrence.exdates) for a day that has none, or when none is left;
    (end) where ``first`` is open; (start) where it is the second of a local time that comes twice.
    """
    if first.length is None:
        raise InvalidInput("what comes again has an end each time", field="end")
    local = first.start.astimezone(zone).replace(tzinfo=None)
    if not _holds(rule.parts, local.date()) or next(iter(_starts(rule, local)), None) != local:
        raise _wrong(f"the first start, {local:%A %Y-%m-%d %H:%M} there, is not an occurrence of the rule")
    if _instant(local, zone) != first.start:
        raise InvalidInput(
            f"{local:%H:%M} comes twice on {local:%Y-%m-%d}: a series begins at the first of the two",
            field="start",
        )
    found = list(_bounded(rule, local, zone, bounds))
    if not found:
        raise _wrong("UNTIL lies before the first start")
    unknown = sorted(set(left_out) - {at.date() for at, _ in found})
    if unknown:
        raise InvalidInput(f"{unknown[0]}: no occurrence begins on that day", field="recurrence.exdates")
    kept = [start for at, start in found if at.date() not in left_out]
    if not kept:
        raise InvalidInput("every occurrence is left out", field="recurrence.exdates")
    windows = tuple(TimeWindow(start, start + first.length) for start in kept)
    for one, following in pairwise(windows):
        if one.overlaps(following) or following.start < one.start:
            raise _wrong(
                f"the occurrence of {instant_text(one.start)} lasts until after the next begins, {instant_text(following.start)}"
            )
    return windows


def _bounded(
    rule: Rule, local: datetime, zone: tzinfo, bounds: Bounds
) -> Iterator[tuple[datetime, datetime]]:
    """(local start, instant of UTC) of each occurrence up to the end of the rule."""
    begun = _instant(local, zone)
    for number, at in enumerate(islice(_starts(rule, local), rule.count)):
        start = _instant(at, zone)
        if isinstance(rule.until, datetime):
            if start > rule.until:
                return
        elif rule.until is not None and at.date() > rule.until:
            return
        if number >= bounds.most:
            raise _wrong(f"more than {bounds.most} occurrences; that is the most a series may have")
        if start - begun > bounds.longest:
            raise _wrong(
                f"the occurrence of {at:%Y-%m-%d} begins more than {bounds.longest.days} days after the first"
            )
        yield at, start


def _starts(rule: Rule, local: datetime) -> Iterator[datetime]:
    try:
        for at in rrulestr(rule.text, dtstart=local):
            yield at.replace(microsecond=local.microsecond)  # dateutil knows whole seconds alone
    except (ValueError, OverflowError) as error:
        raise _wrong(f"not a rule: {error}") from error


def _instant(local: datetime, zone: tzinfo) -> datetime:
    """The instant of a local time: fold 0 is the first of two, and the offset before where there is none."""
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _holds(parts: Mapping[str, str], first: date) -> bool:
    """Whether the first day is one of the rule, by its own month or year alone.

    Known before dateutil searches: for a rule that never holds it would look at every period until the year 9999.
    """
    if not _is_named(parts, first, first):
        return False
    if "BYSETPOS" not in parts:
        return True
    if parts["FREQ"] == "MONTHLY":
        begins, length = first.replace(day=1), monthrange(first.year, first.month)[1]
    else:
        begins, length = first.replace(month=1, day=1), 365 + isleap(first.year)
    days = (begins + timedelta(days=number) for number in range(length))
    within = [day for day in days if _is_named(parts, first, day)]
    place = within.index(first)
    chosen = {int(position) for position in parts["BYSETPOS"].split(",")}
    return bool(chosen & {place + 1, place - len(within)})


def _is_named(parts: Mapping[str, str], first: date, day: date) -> bool:
    """Whether the rule of which ``first`` is the first names a day of the same period, positions (BYSETPOS) aside."""
    by_date = parts["FREQ"] in _MOST_DAYS and not parts.keys() & {"BYDAY", "BYMONTHDAY"}
    months = parts.get("BYMONTH", str(first.month if by_date and parts["FREQ"] == "YEARLY" else day.month))
    monthdays = parts.get("BYMONTHDAY", str(first.day if by_date else day.day))
    length = monthrange(day.year, day.month)[1]
    return (
        day.month in {int(month) for month in months.split(",")}
        and bool({int(each) for each in monthdays.split(",")} & {day.day, day.day - length - 1})
        and ("BYDAY" not in parts or _is_weekday(parts, day, length))
    )


def _is_weekday(parts: Mapping[str, str], day: date, length: int) -> bool:
    """Whether BYDAY names a day; a number counts within its month of ``length`` days, or its year where no month is named."""
    if parts["FREQ"] == "YEARLY" and "BYMONTH" not in parts:
        before, after = day.timetuple().tm_yday - 1, (day.replace(month=12, day=31) - day).days
    else:
        before, after = day.day - 1, length - day.day
    weekday = _DAYS[day.weekday()]
    names = {weekday, f"{before // 7 + 1}{weekday}", f"-{after // 7 + 1}{weekday}"}
    return any(_plainly(each) in names for each in parts["BYDAY"].split(","))


def _plainly(day: str) -> str:
    """A day of BYDAY with its number as a number is written: ``+02TU`` is ``2TU``."""
    return f"{int(day[:-2]) if day[:-2] else ''}{day[-2:]}"


def _first_beyond(days: str, most: int) -> str | None:
    """The first day of BYDAY whose number is above what there is of a weekday in a period."""
    numbered = (each for each in days.split(",") if each[:-2])
    return next((each for each in numbered if abs(int(each[:-2])) > most), None)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    if len(text) > LONGEST_RULE:
        raise _wrong(f"at most {LONGEST_RULE} characters")
    seen: set[str] = set()
    for part in text.strip().upper().removeprefix("RRULE:").rstrip(";").split(";"):
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise _wrong(f"not NAME=VALUE: {part[:40]!r} (write FREQ=WEEKLY;BYDAY=TU;COUNT=12)")
        if name not in {"FREQ", "WKST", "UNTIL", *_CHECKS}:
            raise _wrong(f"{name[:20]} is not offered")
        if name in seen:
            raise _wrong(f"{name} is given twice")
        if name == "WKST" and value not in _DAYS:
            raise _wrong("WKST: a day of the week is needed, as in MO")
        seen.add(name)
        yield name, value


def _until(value: str) -> date | datetime:
    try:
        if _UNTIL.fullmatch(value) is None:
            raise ValueError
        if len(value) == 8:
            return datetime.strptime(value, "%Y%m%d").replace(tzinfo=UTC).date()
        return datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise _wrong("UNTIL: a day (20261231) or an instant of UTC (20261231T235959Z) is needed") from error


def _numbers(
    lowest: int, highest: int, *, negative: bool, only: Collection[str]
) -> Callable[[str, str], str]:
    def fault(value: str, frequency: str) -> str:
        if frequency not in only:
            return f"not with FREQ={frequency}"
        for one in value.split(","):
            if _NUMBER.fullmatch(one) is None or not lowest <= abs(int(one)) <= highest:
                return f"{one[:12]!r} is not a number from {lowest} to {highest}"
            if int(one) < 0 and not negative:
                return f"{one[:12]!r} is below 0"
        return ""

    return fault


def _single(check: Callable[[str, str], str]) -> Callable[[str, str], str]:
    return lambda value, frequency: "one number is needed" if "," in value else check(value, frequency)


def _positions(value: str, frequency: str) -> str:
    if value.count(",") >= _MOST_POSITIONS:
        return f"more than {_MOST_POSITIONS} positions"
    most = _MOST_DAYS.get(frequency, 0)
    return _numbers(1, most, negative=True, only=tuple(_MOST_DAYS))(value, frequency)


def _by_day(value: str, frequency: str) -> str:
    days = value.split(",")
    for one in days:
        found = _BY_DAY.fullmatch(one)
        if found is None:
            return f"{one[:12]!r} is not a day, as in TU or 2TU or -1FR"
        most = _MOST_OF_A_WEEKDAY.get(frequency, 0)
        if found["nth"] and not 1 <= abs(int(found["nth"])) <= most:
            return f"{one[:12]!r}: a number from 1 to 5 or 53, with FREQ=MONTHLY or YEARLY alone"
    if len({len(one) > 2 for one in days}) > 1:
        # dateutil 2.9 takes the days that are both, where RFC 5545 means either.
        return "days with a number and days without one are two series"
    return ""


_CHECKS: Final[Mapping[str, Callable[[str, str], str]]] = {
    "INTERVAL": _single(_numbers(1, 999, negative=False, only=_FREQUENCIES)),
    "COUNT": _single(_numbers(1, 9999, negative=False, only=_FREQUENCIES)),
    "BYMONTH": _numbers(1, 12, negative=False, only=_FREQUENCIES),
    "BYMONTHDAY": _numbers(1, 31, negative=True, only=("DAILY", "MONTHLY", "YEARLY")),
    "BYDAY": _by_day,
    "BYSETPOS": _positions,
}


def _wrong(reason: str) -> InvalidInput:
    return InvalidInput(reason, field=RULE_FIELD)
