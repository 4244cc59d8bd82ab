"""The time zone of a series by its name, and instants as its clocks show them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from provisioning.errors import InvalidInput

_LONGEST_ZONE = 64


def zone_named(name: str) -> ZoneInfo:
    """The time zone; raises InvalidInput (recurrence.time_zone) where the database has none of that name."""
    try:
        if not 0 < len(name) <= _LONGEST_ZONE:
            raise ValueError
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            f"there is no time zone {name[:40]!r}; write one such as Europe/Athens",
            field="recurrence.time_zone",
        ) from error


def local_time(instant: datetime, zone: str) -> datetime:
    """``instant`` as the clocks of the zone show it, with its offset; in UTC where this system has no such zone any more."""
    try:
        return instant.astimezone(zone_named(zone))
    except InvalidInput:
        return instant.astimezone(UTC)


def clock_text(instant: datetime, zone: str) -> str:
    """The same for people: ``Tue 2026-12-08 09:00 EET``, or ``... +05:45`` where the zone has no word for it."""
    local = local_time(instant, zone)
    name = local.tzname() or ""
    if not name.isalpha():
        name = f"{local:%z}"
        name = f"{name[:3]}:{name[3:5]}"
    return f"{local:%a %Y-%m-%d %H:%M} {name}"
