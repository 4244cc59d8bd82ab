"""Positions that no period has are refused, and no rule is searched for until the year 9999."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from dateutil.rrule import rrulestr

from provisioning.errors import InvalidInput
from provisioning.pipeline.recurrence import Bounds, occurrences, parse
from provisioning.pipeline.units import TimeWindow
from tests.depth import DEEP

EVERY_DAY = "BYDAY=MO,TU,WE,TH,FR,SA,SU"
BOUNDS = Bounds(most=366, longest=timedelta(days=3660))
CASES = 5_000 if DEEP else 600


def starts(text: str, first: datetime) -> list[datetime]:
    window = TimeWindow(first.replace(tzinfo=UTC), first.replace(tzinfo=UTC) + timedelta(hours=1))
    found = occurrences(parse(text), first=window, zone=UTC, bounds=BOUNDS)
    return [each.start.replace(tzinfo=None) for each in found]


@pytest.mark.parametrize(
    "rest",
    [
        f"FREQ=MONTHLY;{EVERY_DAY};BYSETPOS={','.join(str(day) for day in range(32, 60))}",
        f"FREQ=MONTHLY;{EVERY_DAY};BYSETPOS=-32",
        f"FREQ=MONTHLY;{EVERY_DAY};BYSETPOS=1,32",
        f"FREQ=YEARLY;{EVERY_DAY};BYSETPOS=367",
        f"FREQ=YEARLY;{EVERY_DAY};BYSETPOS={','.join(['1'] * 60)}",
        f"FREQ=DAILY;{EVERY_DAY};BYSETPOS=1",
        f"FREQ=WEEKLY;{EVERY_DAY};BYSETPOS=1",
        "FREQ=MONTHLY;BYDAY=6TU",
        "FREQ=MONTHLY;BYDAY=-53TU",
        "FREQ=YEARLY;BYMONTH=12;BYDAY=53TU",
        "FREQ=YEARLY;BYDAY=54TU",
    ],
)
def test_positions_that_no_period_has_are_refused(rest: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        parse(f"{rest};COUNT=2")
    assert raised.value.field == "recurrence.rrule"


@pytest.mark.parametrize(
    "rest",
    [
        "FREQ=MONTHLY;BYDAY=TU;BYSETPOS=20",
        "FREQ=MONTHLY;BYDAY=TU;BYSETPOS=-6,7,8,9",
        "FREQ=MONTHLY;BYMONTHDAY=1,-1;BYSETPOS=3",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=24,25,26,27,28,29,30,31",
        "FREQ=YEARLY;BYDAY=TU;BYSETPOS=60,-60",
        "FREQ=YEARLY;BYMONTH=12;BYDAY=TU;BYSETPOS=6",
        "FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=5TU",
        "FREQ=YEARLY;BYMONTHDAY=1;BYDAY=53TU",
    ],
)
def test_a_rule_that_never_holds_is_not_searched_for(rest: str) -> None:
    """The first start is judged in its own period: nothing later makes it one of the rule."""
    began = time.process_time()
    with pytest.raises(InvalidInput) as raised:
        starts(f"{rest};COUNT=2", datetime(2026, 12, 1, 9))  # a Tuesday
    assert raised.value.field == "recurrence.rrule" and "not an occurrence" in raised.value.reason
    assert time.process_time() - began < 0.2


def rule_at_random(dice: random.Random, first: datetime) -> str:
    """Small rules of months and years with positions; about half of them hold on the first day."""
    yearly = dice.random() < 0.4
    parts = [f"FREQ={'YEARLY' if yearly else 'MONTHLY'}", f"INTERVAL={dice.randint(1, 3)}"]
    months = yearly and dice.random() < 0.5
    if months or dice.random() < 0.2:
        named = {first.month, dice.randint(1, 12)}
        parts.append(f"BYMONTH={','.join(map(str, sorted(named)))}")
    days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    chosen = dict.fromkeys([days[first.weekday()], *dice.sample(days, dice.randint(0, 6))])
    kind = dice.choice(["days", "numbered", "dates", "both", "none"])
    if kind in ("days", "both"):
        parts.append(f"BYDAY={','.join(chosen)}")
    if kind == "numbered":
        most = 53 if yearly and not months and "BYMONTH" not in "".join(parts) else 5
        numbers = dice.choice([(1, 5), (-5, -1), (-most, most)])
        numbered = (f"{dice.randint(*numbers) or 1}{day}" for day in chosen)
        parts.append(f"BYDAY={','.join(numbered)}")
    if kind in ("dates", "both"):
        dates = dict.fromkeys([first.day, dice.choice([-1, 1, 15, 31]), dice.randint(1, 31)])
        parts.append(f"BYMONTHDAY={','.join(map(str, dates))}")
    if len(parts) > 2 and dice.random() < 0.6:
        most = 366 if yearly and dice.random() < 0.3 else 5
        places = {dice.choice([-1, 1]) * dice.randint(1, most) for _each in range(dice.randint(1, 5))}
        parts.append(f"BYSETPOS={','.join(map(str, places))}")
    return ";".join(parts)


def test_no_rule_that_holds_is_refused_and_none_that_does_not_is_taken() -> None:
    """Beside dateutil, which is asked for a few years alone: it has no end of its own where nothing holds."""
    dice = random.Random(20261127)
    taken = refused = 0
    for _case in range(CASES):
        first = datetime(2024, 1, 1, 9) + timedelta(days=dice.randint(0, 1500))
        text = rule_at_random(dice, first)
        wanted = _by_dateutil(text, first)
        try:
            found = starts(f"{text};COUNT=2", first)
        except InvalidInput as error:
            if "days after the first" in error.reason:
                continue
            assert not wanted or wanted[0] != first, (text, first, error.reason)
            refused += 1
            continue
        assert found == wanted, (text, first)
        taken += 1
    assert taken > CASES / 10 and refused > CASES / 10, (taken, refused)


def _by_dateutil(text: str, first: datetime) -> list[datetime]:
    """The first two of the rule, at most ten years after the first.

    The calendar comes again after 400 years, and dateutil ends with the year 9999: so that is made to be near.
    """
    far = first.replace(year=first.year + 19 * 400)
    found = list(islice(rrulestr(text, dtstart=far), 2))
    near = (each.replace(year=each.year - 19 * 400) for each in found)
    return [each for each in near if each - first <= timedelta(days=3660)]
