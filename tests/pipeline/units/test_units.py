"""Rates are exact integers, shares are floored, windows are half-open and live in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.errors import InvalidInput
from provisioning.pipeline.units import BitRate, Burst, TimeWindow, how_many, rate_text, share_of, shown
from tests.pipeline.networks import at, window


@pytest.mark.parametrize(
    ("written", "bps"),
    [
        (2_000_000, 2_000_000),
        ("2000000", 2_000_000),
        ("2M", 2_000_000),
        ("2 Mbit/s", 2_000_000),
        (" 7.75 Mbit/s ", 7_750_000),
        ("7.750001M", 7_750_001),
        ("64k", 64_000),
        ("64 kbps", 64_000),
        ("1G", 10**9),
        ("0", 0),
        ("10 bit/s", 10),
    ],
)
def test_a_rate_is_read_as_written(written: object, bps: int) -> None:
    assert BitRate.parse(written).bps == bps


@pytest.mark.parametrize(
    "written",
    [
        "",
        "fast",
        "-1",
        -1,
        "2.5",
        "7.7500001M",
        2.5,
        True,
        None,
        "1e6",
        "2 Mb",
        "2M\n!",
        "٢M",
        "9" * 61,
        ["2M"],
        "2  M bit",
    ],
)
def test_what_is_no_rate_is_refused_by_field(written: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        BitRate.parse(written, field="rate_bps")
    assert refused.value.field == "rate_bps"


def test_a_number_too_long_to_print_is_refused_in_words() -> None:
    with pytest.raises(InvalidInput, match="a number of 33220 bits"):
        BitRate.parse(-(10**10_000))
    assert len(shown("x" * 10**6)) == 40


@given(st.integers(0, 10**13))
def test_a_rate_is_printed_exactly(bps: int) -> None:
    assert BitRate.parse(str(BitRate(bps))).bps == bps


def test_rates_are_printed_in_the_largest_unit() -> None:
    assert [rate_text(bps) for bps in (0, 999, 1000, 7_750_001, 155_520_000, 10**12, -2_000_000)] == [
        "0 bit/s", "999 bit/s", "1 kbit/s", "7.750001 Mbit/s", "155.52 Mbit/s", "1 Tbit/s", "-2 Mbit/s",
    ]  # fmt: skip


def test_rates_add_and_never_become_negative() -> None:
    assert BitRate(5) + BitRate(6) == BitRate(11)
    assert BitRate(6) - BitRate(5) == BitRate(1)
    with pytest.raises(InvalidInput):
        BitRate(5) - BitRate(6)
    assert BitRate(5) < BitRate(6)


@pytest.mark.parametrize(
    ("base", "percent", "share"),
    [
        (155_000_000, 5, 7_750_000),  # STM-1, D4.4.2v2 section 2.4.1
        (2_048_000, 5, 102_400),  # E1
        (850_000_000, 20, 170_000_000),  # a Tetra port of GRNET
        (34_368_000, Decimal("1"), 343_680),
        (199, 1, 1),
        (99, 1, 0),
        (1000, Decimal("0.1"), 1),
        (999, Decimal("0.1"), 0),
        (3, Fraction(100, 3), 1),
        (0, 5, 0),
    ],
)
def test_a_share_is_floored(base: int, percent: Decimal | Fraction | int, share: int) -> None:
    assert share_of(base, percent) == share


@given(st.integers(0, 10**13), st.integers(0, 10_000))
def test_a_share_never_exceeds_the_exact_one_and_misses_less_than_one_bit(base: int, hundredths: int) -> None:
    share = share_of(base, Decimal(hundredths) / 100)
    assert share * 10_000 <= base * hundredths < (share + 1) * 10_000


@pytest.mark.parametrize(("base", "percent"), [(-1, 5), (1, -1), (1, 101)])
def test_a_share_of_nothing_sensible_is_refused(base: int, percent: int) -> None:
    with pytest.raises(InvalidInput):
        share_of(base, percent)


@pytest.mark.parametrize("size", [0, -1, True, 1.5])
def test_a_burst_is_a_number_of_bytes(size: int) -> None:
    with pytest.raises(InvalidInput):
        Burst(size)
    assert Burst(9000).size_bytes == 9000


def test_a_window_is_half_open() -> None:
    span = window(0, 1)
    assert span.contains(at(0))
    assert not span.contains(at(1))
    assert not span.contains(at(-1))
    assert span.length == timedelta(hours=1)
    assert window(0, None).contains(at(10**6))
    assert window(0, None).length is None


def test_windows_that_touch_do_not_overlap() -> None:
    assert not window(0, 1).overlaps(window(1, 2))
    assert not window(1, 2).overlaps(window(0, 1))
    assert window(0, 2).overlaps(window(1, 3))
    assert window(0, None).overlaps(window(5, 6))
    assert not window(0, 1).overlaps(window(1, None))


@given(st.integers(0, 9), st.integers(1, 9), st.integers(0, 9), st.integers(1, 9))
def test_overlap_is_symmetric_and_means_a_shared_instant(a: int, b: int, c: int, d: int) -> None:
    one, other = window(a, a + b), window(c, c + d)
    shared = any(one.contains(at(h)) and other.contains(at(h)) for h in range(20))
    assert one.overlaps(other) == other.overlaps(one) == shared


def test_a_window_is_kept_in_utc_so_that_equal_instants_are_equal() -> None:
    athens = TimeWindow(datetime(2026, 3, 2, 14, tzinfo=ZoneInfo("Europe/Athens")))
    assert athens == TimeWindow(at(0))
    assert athens.start.tzinfo is UTC


def test_the_hour_that_happens_twice_is_two_hours() -> None:
    zone = ZoneInfo("Europe/London")
    first = datetime(2026, 10, 25, 1, 30, tzinfo=zone, fold=0)
    second = datetime(2026, 10, 25, 1, 30, tzinfo=zone, fold=1)
    assert TimeWindow(first, second).length == timedelta(hours=1)


@pytest.mark.parametrize(
    ("start", "end", "field"),
    [
        (at(1), at(1), "window_end"),
        (at(1), at(0), "window_end"),
        (datetime(2026, 1, 1), at(0), "window_start"),
        (at(0), datetime(2027, 1, 1), "window_end"),
        ("2026-01-01", at(0), "window_start"),
        (datetime.min.replace(tzinfo=timezone(timedelta(hours=5))), None, "window_start"),
    ],
)
def test_a_window_that_cannot_be_meant_is_refused_by_field(
    start: datetime, end: datetime, field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        TimeWindow(start, end)
    assert refused.value.field == field


def test_one_is_one_and_every_other_number_is_several():
    said = [how_many(number, "open edge") for number in (0, 1, 2, 21)]
    assert said == ["0 open edges", "1 open edge", "2 open edges", "21 open edges"]
