"""Windows that come again: an iCalendar rule (RFC 5545 section 3.3.10) in local time, as windows of UTC.

The start of each occurrence is one time of the day by the clocks of a zone, whatever they are put to; its length is that of
the first, exactly (section 3.8.5.3, of DTSTART with DTEND). A local time that is left out when clocks go forward is read
with the offset before, so that it begins as much later as was left out; one that comes twice is the first of the two (section
3.3.5). Dates that do not exist (29 February, the 31st) have no occurrence.
"""

from __future__ import annotations

import re
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
    if not _may_hold(rule.parts, local) or next(iter(_starts(rule, local)), None) != local:
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


def _may_hold(parts: Mapping[str, str], local: datetime) -> bool:
    """Whether the day is one of the months, days and weekdays named, positions aside.

    Known before dateutil searches: for a rule that never holds it would look at every day until the year 9999.
    """
    last = (local.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    monthdays = {int(day) for day in parts.get("BYMONTHDAY", str(local.day)).split(",")}
    months = {int(month) for month in parts.get("BYMONTH", str(local.month)).split(",")}
    weekdays = {day[-2:] for day in parts.get("BYDAY", _DAYS[local.weekday()]).split(",")}
    return (
        local.month in months
        and bool(monthdays & {local.day, local.day - last.day - 1})
        and _DAYS[local.weekday()] in weekdays
    )


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


def _by_day(value: str, frequency: str) -> str:
    days = value.split(",")
    for one in days:
        found = _BY_DAY.fullmatch(one)
        if found is None:
            return f"{one[:12]!r} is not a day, as in TU or 2TU or -1FR"
        if found["nth"] and (frequency not in ("MONTHLY", "YEARLY") or not 1 <= abs(int(found["nth"])) <= 53):
            return f"{one[:12]!r}: a number from 1 to 53, with FREQ=MONTHLY or YEARLY alone"
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
    "BYSETPOS": _numbers(1, 366, negative=True, only=("MONTHLY", "YEARLY")),
}


def _wrong(reason: str) -> InvalidInput:
    return InvalidInput(reason, field=RULE_FIELD)
