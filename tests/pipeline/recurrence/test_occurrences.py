"""Windows that come again: the clocks of a zone, days that do not exist, and rules that are refused by name."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.recurrence import Bounds, occurrences, parse
from provisioning.pipeline.units import TimeWindow

ATHENS = ZoneInfo("Europe/Athens")
BOUNDS = Bounds(most=366, longest=timedelta(days=3660))


def window(local: str, hours: float = 2, zone: ZoneInfo = ATHENS, fold: int = 0) -> TimeWindow:
    start = datetime.fromisoformat(local).replace(tzinfo=zone, fold=fold).astimezone(UTC)
    return TimeWindow(start, start + timedelta(hours=hours))


def expand(rule: str, first: TimeWindow, *left_out: str, zone: ZoneInfo = ATHENS) -> tuple[TimeWindow, ...]:
    days = [date.fromisoformat(day) for day in left_out]
    return occurrences(parse(rule), first=first, zone=zone, left_out=days, bounds=BOUNDS)


def local_starts(found: tuple[TimeWindow, ...], zone: ZoneInfo = ATHENS) -> list[str]:
    return [f"{each.start.astimezone(zone):%Y-%m-%d %H:%M}" for each in found]


@pytest.mark.parametrize("first", ["2026-03-17T09:00", "2026-10-13T09:00"])
def test_tuesday_at_nine_stays_at_nine_when_the_clocks_change(first: str) -> None:
    found = expand("FREQ=WEEKLY;BYDAY=TU;COUNT=4", window(first))
    assert {each.start.astimezone(ATHENS).strftime("%a %H:%M") for each in found} == {"Tue 09:00"}
    assert {each.end.astimezone(ATHENS).strftime("%H:%M") for each in found if each.end} == {"11:00"}
    assert len({each.start.hour for each in found}) == 2, "an hour earlier or later by UTC after the change"


def test_a_leap_day_comes_every_four_years_and_the_31st_in_seven_months() -> None:
    leap = expand("FREQ=YEARLY;COUNT=3", window("2028-02-29T09:00"))
    assert local_starts(leap) == ["2028-02-29 09:00", "2032-02-29 09:00", "2036-02-29 09:00"]
    monthly = expand("FREQ=MONTHLY;COUNT=7", window("2026-01-31T09:00"))
    assert [each.start.month for each in monthly] == [1, 3, 5, 7, 8, 10, 12]


def test_a_year_of_days_has_its_366_occurrences_and_not_one_more() -> None:
    assert len(expand("FREQ=DAILY;COUNT=366", window("2027-06-01T09:00"))) == 366
    assert len(expand("FREQ=DAILY;UNTIL=20280531", window("2027-06-01T09:00"))) == 366
    with pytest.raises(InvalidInput, match="more than 366 occurrences"):
        expand("FREQ=DAILY;COUNT=367", window("2027-06-01T09:00"))


def test_the_missing_hour_is_read_with_the_offset_before_it() -> None:
    """Athens, 29 March 2026: 03:00 is 04:00. RFC 5545 section 3.3.5."""
    found = expand("FREQ=DAILY;COUNT=3", window("2026-03-28T03:30", 1))
    assert local_starts(found) == ["2026-03-28 03:30", "2026-03-29 04:30", "2026-03-30 03:30"]
    assert {each.length for each in found} == {timedelta(hours=1)}


def test_of_the_doubled_hour_the_first_is_taken() -> None:
    """Athens, 25 October 2026: 04:00 is 03:00 again."""
    found = expand("FREQ=DAILY;COUNT=2", window("2026-10-24T03:30", 1))
    assert found[1].start == datetime(2026, 10, 25, 0, 30, tzinfo=UTC), (
        "while the clocks still are three hours ahead"
    )
    assert found[1].length == timedelta(hours=1)
    expand("FREQ=DAILY;COUNT=2", window("2026-10-25T03:30", 1))
    with pytest.raises(InvalidInput, match="comes twice") as refused:
        expand("FREQ=DAILY;COUNT=2", window("2026-10-25T03:30", 1, fold=1))
    assert refused.value.field == "start"


def test_a_night_keeps_its_length_over_the_change() -> None:
    """RFC 5545 section 3.8.5.3: with an end, every occurrence lasts exactly as long as the first."""
    found = expand("FREQ=WEEKLY;BYDAY=SA;COUNT=2", window("2026-10-17T22:00", 10))
    assert {each.length for each in found} == {timedelta(hours=10)}
    assert [f"{each.end.astimezone(ATHENS):%H:%M}" for each in found if each.end] == ["08:00", "07:00"]


def test_days_left_out_are_counted_and_have_to_be_there() -> None:
    found = expand("FREQ=WEEKLY;COUNT=4", window("2026-12-15T09:00"), "2026-12-22", "2026-12-29")
    assert local_starts(found) == ["2026-12-15 09:00", "2027-01-05 09:00"]
    with pytest.raises(InvalidInput, match="2026-12-23: no occurrence") as refused:
        expand("FREQ=WEEKLY;COUNT=4", window("2026-12-15T09:00"), "2026-12-23")
    assert refused.value.field == "recurrence.exdates"
    with pytest.raises(InvalidInput, match="every occurrence is left out"):
        expand("FREQ=WEEKLY;COUNT=1", window("2026-12-15T09:00"), "2026-12-15")


def test_until_is_a_day_there_or_an_instant() -> None:
    first = window("2026-12-15T00:30")
    assert len(expand("FREQ=DAILY;UNTIL=20261217", first)) == 3
    # 00:30 in Athens on the 17th is 22:30 of the 16th by UTC.
    assert len(expand("FREQ=DAILY;UNTIL=20261216T223000Z", first)) == 3
    assert len(expand("FREQ=DAILY;UNTIL=20261216T222959Z", first)) == 2


def test_the_second_tuesday_and_the_last_working_day() -> None:
    found = expand("FREQ=MONTHLY;BYDAY=2TU;COUNT=3", window("2026-12-08T09:00"))
    assert local_starts(found) == ["2026-12-08 09:00", "2027-01-12 09:00", "2027-02-09 09:00"]
    last = expand("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3", window("2026-12-31T09:00"))
    assert local_starts(last) == ["2026-12-31 09:00", "2027-01-29 09:00", "2027-02-26 09:00"]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("", "not NAME=VALUE"),
        ("every tuesday", "not NAME=VALUE"),
        ("FREQ=HOURLY;COUNT=3", "FREQ is one of"),
        ("COUNT=3", "FREQ is one of"),
        ("FREQ=WEEKLY", "a series ends"),
        ("FREQ=WEEKLY;COUNT=3;UNTIL=20261231", "a series ends"),
        ("FREQ=WEEKLY;COUNT=0", "COUNT: '0'"),
        ("FREQ=WEEKLY;COUNT=3;COUNT=4", "COUNT is given twice"),
        ("FREQ=WEEKLY;COUNT=3,4", "one number"),
        ("FREQ=WEEKLY;COUNT=3;BYHOUR=9,15", "BYHOUR is not offered"),
        ("FREQ=WEEKLY;COUNT=3;BYDAY=XX", "BYDAY: 'XX'"),
        ("FREQ=WEEKLY;COUNT=3;BYDAY=2TU", "MONTHLY or YEARLY alone"),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=3TU,TH", "are two series"),
        ("FREQ=WEEKLY;COUNT=3;BYMONTHDAY=3", "not with FREQ=WEEKLY"),
        ("FREQ=WEEKLY;COUNT=3;BYMONTH=13", "13"),
        ("FREQ=WEEKLY;COUNT=3;INTERVAL=0", "INTERVAL: '0'"),
        ("FREQ=WEEKLY;COUNT=3;WKST=X", "WKST"),
        ("FREQ=MONTHLY;COUNT=3;BYSETPOS=1", "BYSETPOS chooses"),
        ("FREQ=WEEKLY;UNTIL=20261231T090000", "UNTIL: a day"),
        ("FREQ=WEEKLY;UNTIL=20261341", "UNTIL: a day"),
        ("FREQ=WEEKLY;UNTIL=20250101", "UNTIL lies before"),
        ("FREQ=WEEKLY;COUNT=3;BYDAY=WE", "not an occurrence of the rule"),
        ("FREQ=DAILY;COUNT=3;BYMONTH=2;BYMONTHDAY=30", "not an occurrence of the rule"),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=TU;BYSETPOS=20", "not an occurrence of the rule"),
        ("FREQ=YEARLY;COUNT=12", "more than 3660 days after"),
        ("FREQ=DAILY;COUNT=3;" + "BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12" + ",1" * 200, "300 characters"),
        ("FREQ=WEEKLY;COUNT=٣", "COUNT"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(rule: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said.replace("'", "'")) as refused:
        expand(rule, window("2026-12-15T09:00"))
    assert refused.value.field == "recurrence.rrule"


def test_occurrences_that_overlap_and_windows_without_an_end_are_refused() -> None:
    with pytest.raises(InvalidInput, match="lasts until after the next begins"):
        expand("FREQ=DAILY;COUNT=3", window("2026-12-15T09:00", 25))
    assert len(expand("FREQ=DAILY;COUNT=3", window("2026-12-15T09:00", 24))) == 3
    with pytest.raises(InvalidInput) as refused:
        expand("FREQ=DAILY;COUNT=3", TimeWindow(window("2026-12-15T09:00").start))
    assert refused.value.field == "end"


def test_a_start_within_a_second_stays_there() -> None:
    found = expand("FREQ=DAILY;COUNT=2", window("2026-12-15T09:00:01.250000"))
    assert {each.start.microsecond for each in found} == {250_000}
