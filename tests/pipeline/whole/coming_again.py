"""Windows that come again in a world: the pipeline's beside those of a calendar that walks day by day."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from provisioning.pipeline.recurrence import Bounds, occurrences, parse
from provisioning.pipeline.units import TimeWindow
from tests.pipeline.recurrence.walking import DAYS, brute, instants_of
from tests.pipeline.whole.world import Wish, World

ZONES = ("Europe/Athens", "Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC")
BOUNDS = Bounds(most=10, longest=timedelta(days=60))


def random_series(dice: random.Random, world: World, wish: Wish) -> tuple[list[tuple[int, int]], bool]:
    """The windows in minutes, and whether clocks changed among them; both sides say the same."""
    zone = ZoneInfo(dice.choice(ZONES))
    begin = (world.at(max(wish.start, world.now) + 60)).astimezone(zone).replace(tzinfo=None)
    first = begin.replace(hour=dice.choice((1, 2, 3, 9, 14, 23)), minute=dice.choice((0, 30))) + timedelta(
        days=1
    )
    at = instants_of(first, zone)
    while not at:  # left out by the clocks
        first += timedelta(days=1)
        at = instants_of(first, zone)
    length = timedelta(hours=dice.choice((1, 2, 8)))
    parts = _rule(dice, first)
    out = (
        {first.date() + timedelta(days=int(parts.get("INTERVAL", "1")))}
        if parts["FREQ"] == "DAILY" and dice.random() < 0.2
        else set()
    )
    wanted = brute(parts, first, length, zone, set())
    if out and not (len(wanted) > 1 and wanted[1][0].astimezone(zone).date() in out):
        out = set()
    wanted = brute(parts, first, length, zone, out) if out else wanted
    rule = parse(";".join(f"{name}={value}" for name, value in parts.items()))
    found = occurrences(rule, first=TimeWindow(at[0], at[0] + length), zone=zone, left_out=out, bounds=BOUNDS)
    assert [(each.start, each.end) for each in found] == wanted, (parts, first, zone, out)
    moved = len({_clock(start) for start, _ in wanted}) > 1
    return [(world.minute(start), world.minute(end)) for start, end in wanted], moved


def _clock(start: datetime) -> tuple[int, int]:
    return start.hour, start.minute


def _rule(dice: random.Random, first: datetime) -> dict[str, str]:
    parts = {"FREQ": "DAILY"}
    if dice.random() < 0.3:
        parts = {
            "FREQ": "WEEKLY",
            "BYDAY": ",".join(dict.fromkeys([DAYS[first.weekday()], *dice.sample(DAYS, 2)])),
        }
    elif dice.random() < 0.3:
        parts["INTERVAL"] = "2"
    if dice.random() < 0.6:
        parts["COUNT"] = str(dice.randint(2, 5))
    else:
        parts["UNTIL"] = (first + timedelta(days=dice.randint(1, 5))).strftime("%Y%m%d")
    return parts
