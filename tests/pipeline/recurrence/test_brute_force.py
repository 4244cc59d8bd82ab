"""Rules at random beside a calendar that walks day by day and knows nothing of iCalendar's parts but what they mean."""

from __future__ import annotations

import random
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from provisioning.errors import InvalidInput
from provisioning.pipeline.recurrence import Bounds, occurrences, parse
from provisioning.pipeline.units import TimeWindow
from tests.depth import DEEP
from tests.pipeline.recurrence.walking import DAYS, brute, instants_of

ZONES = ("Europe/Athens", "Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC")
CASES = 20_000 if DEEP else 1_500
BOUNDS = Bounds(most=366, longest=timedelta(days=3660))


def rule_of(dice: random.Random, first: date) -> dict[str, str]:
    """A rule at random that holds on ``first``."""
    parts = {"FREQ": dice.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])}
    if dice.random() < 0.4:
        parts["INTERVAL"] = str(dice.randint(2, 4))
    if parts["FREQ"] == "WEEKLY" or (parts["FREQ"] != "YEARLY" and dice.random() < 0.3):
        nth = dice.random() < 0.5 and parts["FREQ"] == "MONTHLY"
        own = f"{(first.day - 1) // 7 + 1 if nth else ''}{DAYS[first.weekday()]}"
        parts["BYDAY"] = ",".join(
            dict.fromkeys(
                [own, *(f"{'-1' if nth else ''}{each}" for each in dice.sample(DAYS, dice.randint(0, 2)))]
            )
        )
    elif parts["FREQ"] in ("MONTHLY", "DAILY") and dice.random() < 0.3:
        others = [str(dice.choice([-1, -2, 15, 29, 31])) for _each in range(dice.randint(0, 2))]
        parts["BYMONTHDAY"] = ",".join(dict.fromkeys([str(first.day), *others]))
    if dice.random() < 0.2:
        parts["BYMONTH"] = ",".join(str(month) for month in sorted({first.month, dice.randint(1, 12)}))
    if dice.random() < 0.5:
        parts["COUNT"] = str(dice.randint(1, 12))
    else:
        parts["UNTIL"] = (first + timedelta(days=dice.randint(0, 300))).strftime("%Y%m%d")
    return parts


def test_every_rule_means_what_its_words_mean() -> None:
    dice = random.Random(20261122)
    compared = changed = several = 0
    for _case in range(CASES):
        zone = ZoneInfo(dice.choice(ZONES))
        # Around the changes of clocks, and leap days, more often than not.
        day = dice.choice(
            [date(2026, 3, 29), date(2026, 10, 25), date(2028, 2, 29), date(2026, 3, 8), date(2026, 12, 31)]
        )
        day += timedelta(days=dice.choice([0, 0, -1, -7, 1, dice.randint(-200, 200)]))
        clock = time(dice.choice([0, 1, 2, 2, 3, 3, 9, 23]), dice.choice([0, 30]))
        first_local = datetime.combine(day, clock)
        begun = next(iter(instants_of(first_local, zone)), None)
        if begun is None:
            continue
        length = timedelta(minutes=dice.choice([30, 60, 120, 600]))
        parts = rule_of(dice, day)
        text = ";".join(f"{name}={value}" for name, value in parts.items())
        wanted = brute(parts, first_local, length, zone, set())
        out = (
            {dice.choice(wanted)[0].astimezone(zone).date()}
            if len(wanted) > 1 and dice.random() < 0.3
            else set()
        )
        wanted = brute(parts, first_local, length, zone, out) if out else wanted
        try:
            found = occurrences(
                parse(text), first=TimeWindow(begun, begun + length), zone=zone, left_out=out, bounds=BOUNDS
            )
        except InvalidInput as error:
            assert "days after the first" in error.reason, (text, zone.key, str(first_local), error.reason)
            rest = len(wanted) + len(out) < int(parts["COUNT"])
            assert rest or wanted[-1][0] - begun > timedelta(days=3659)
            continue
        assert [(each.start, each.end) for each in found] == wanted, (
            text,
            zone.key,
            str(first_local),
            sorted(out),
        )
        compared += 1
        several += len(found) > 1
        changed += len({each.start.time() for each in found}) > 1
    assert compared > CASES * 0.8 and several > CASES * 0.6 and changed > CASES * 0.2
