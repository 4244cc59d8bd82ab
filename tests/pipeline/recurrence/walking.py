"""A calendar that walks day by day and knows nothing of iCalendar's parts but what they mean. Nothing of the pipeline is used."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def months_after(first: date, day: date) -> int:
    return (day.year - first.year) * 12 + day.month - first.month


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def is_one(parts: dict[str, str], first: date, day: date) -> bool:
    """Whether the rule holds on a day, by the meaning of its words."""
    freq, step = parts["FREQ"], int(parts.get("INTERVAL", "1"))
    last = ((day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)).day
    apart = {
        "DAILY": (day - first).days,
        "WEEKLY": (monday_of(day) - monday_of(first)).days // 7,
        "MONTHLY": months_after(first, day),
        "YEARLY": day.year - first.year,
    }[freq]
    if apart % step or ("BYMONTH" in parts and str(day.month) not in parts["BYMONTH"].split(",")):
        return False
    if "BYMONTHDAY" in parts:
        named = {int(each) for each in parts["BYMONTHDAY"].split(",")}
        if not named & {day.day, day.day - last - 1}:
            return False
    if "BYDAY" in parts:
        return any(named_day(each, day, last) for each in parts["BYDAY"].split(","))
    if "BYMONTHDAY" in parts or freq == "DAILY":
        return True
    if freq == "WEEKLY":
        return day.weekday() == first.weekday()
    return day.day == first.day and (freq == "MONTHLY" or "BYMONTH" in parts or day.month == first.month)


def named_day(named: str, day: date, last: int) -> bool:
    if named[-2:] != DAYS[day.weekday()]:
        return False
    nth = named[:-2]
    if not nth:
        return True
    return int(nth) == (day.day - 1) // 7 + 1 if int(nth) > 0 else -int(nth) == (last - day.day) // 7 + 1


def instants_of(local: datetime, zone: ZoneInfo) -> list[datetime]:
    """Every instant at which the clocks show it, of all that they may: none, one or two."""
    near = local.replace(tzinfo=UTC)
    offsets = {(near + timedelta(hours=hours)).astimezone(zone).utcoffset() for hours in (-36, 36)}
    found = {near - offset for offset in offsets if offset is not None}
    return sorted(at for at in found if at.astimezone(zone).replace(tzinfo=None) == local)


def brute(
    parts: dict[str, str], first: datetime, length: timedelta, zone: ZoneInfo, out: set[date]
) -> list[tuple[datetime, datetime]]:
    """From when until when each occurrence lasts, in order; ``parts`` of a rule by name, ``out`` the days left out."""
    count, until = int(parts.get("COUNT", "9999")), parts.get("UNTIL")
    found, day, seen = [], first.date(), 0
    while seen < count and day - first.date() <= timedelta(days=4000):
        if until is not None and day.strftime("%Y%m%d") > until:
            break
        if is_one(parts, first.date(), day):
            seen += 1
            if day not in out:
                local = datetime.combine(day, first.time())
                shown = next(iter(instants_of(local, zone)), None)
                if shown is None:  # left out by the clocks: as much later as they were put forward
                    before = next(
                        at
                        for minutes in range(5, 300, 5)
                        for at in instants_of(local - timedelta(minutes=minutes), zone)
                    )
                    lacking = local - before.astimezone(zone).replace(tzinfo=None)
                    shown = before + lacking
                found.append((shown, shown + length))
        day += timedelta(days=1)
    return found
