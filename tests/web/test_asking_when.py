"""Times and addresses as people type them."""

from __future__ import annotations

from datetime import UTC, datetime
from ipaddress import ip_network

import pytest

from provisioning.errors import InvalidInput
from provisioning.web.forms.addresses import meant, network_of
from provisioning.web.forms.when import window_of, window_text

NOW = datetime(2026, 11, 28, 11, 0, tzinfo=UTC)  # a Saturday


@pytest.mark.parametrize(
    ("typed", "start", "end"),
    [
        ("2026-12-01", "2026-12-01 00:00", "2026-12-02 00:00"),
        ("2026-12", "2026-12-01 00:00", "2027-01-01 00:00"),
        ("2026-12-01 14:00", "2026-12-01 14:00", "2026-12-01 14:01"),
        ("2026-12-01T14:00Z", "2026-12-01 14:00", "2026-12-01 14:01"),
        ("2026-12-01 14:00 UTC", "2026-12-01 14:00", "2026-12-01 14:01"),
        ("2026-12-01T14:00+02:00", "2026-12-01 12:00", "2026-12-01 12:01"),
        ("2026-12-01/2026-12-03", "2026-12-01 00:00", "2026-12-04 00:00"),
        ("2026-12-01 08:00 / 2026-12-01 10:00", "2026-12-01 08:00", "2026-12-01 10:00"),
        (" Next  Tuesday ", "2026-12-01 00:00", "2026-12-02 00:00"),
        ("saturday", "2026-12-05 00:00", "2026-12-06 00:00"),
        ("today", "2026-11-28 00:00", "2026-11-29 00:00"),
        ("yesterday", "2026-11-27 00:00", "2026-11-28 00:00"),
        ("tomorrow/sunday", "2026-11-29 00:00", "2026-11-30 00:00"),
        ("this week", "2026-11-23 00:00", "2026-11-30 00:00"),
        ("next week", "2026-11-30 00:00", "2026-12-07 00:00"),
        ("this month", "2026-11-01 00:00", "2026-12-01 00:00"),
        ("next month", "2026-12-01 00:00", "2027-01-01 00:00"),
        ("2026-12-01/", "2026-12-01 00:00", ""),
        ("/2026-12-01", "0001-01-02 00:00", "2026-12-02 00:00"),
    ],
)  # fmt: skip
def test_what_is_typed_is_a_window(typed: str, start: str, end: str) -> None:
    window = window_of(typed, NOW)
    assert f"{window.start:%Y-%m-%d %H:%M}".rjust(16, "0") == start
    assert (f"{window.end:%Y-%m-%d %H:%M}" if window.end else "") == end


@pytest.mark.parametrize(
    ("typed", "start", "end"),
    [
        ("friday", "2026-11-27", "2026-11-28"),
        ("saturday", "2026-11-28", "2026-11-29"),
        ("last saturday", "2026-11-21", "2026-11-22"),
        ("sunday", "2026-11-22", "2026-11-23"),
        ("next friday", "2026-12-04", "2026-12-05"),
        ("friday/", "2026-11-27", ""),
        ("last week", "2026-11-16", "2026-11-23"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("thursday/friday", "2026-11-26", "2026-11-28"),
    ],
)
def test_of_what_has_happened_a_day_of_the_week_is_the_last_one(typed: str, start: str, end: str) -> None:
    window = window_of(typed, NOW, past=True)
    assert (f"{window.start:%Y-%m-%d}", f"{window.end:%Y-%m-%d}" if window.end else "") == (start, end)


def test_the_second_day_of_two_comes_after_the_first() -> None:
    window = window_of("friday/monday", NOW)
    assert (window.start.isoformat()[:10], str(window.end)[:10]) == ("2026-12-04", "2026-12-08")
    assert window_of("last friday", NOW).start.isoformat()[:10] == "2026-11-27"


@pytest.mark.parametrize(
    "typed",
    ["/", "soon", "2026-13-01", "2026-02-30", "9999-12-31", "2026-12-03/2026-12-01", "1/2/3", "٢٠٢٦-12-01", "12:00"],
)  # fmt: skip
def test_what_is_no_time_is_refused_in_a_sentence(typed: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        window_of(typed, NOW)
    assert "write a day such as" in refused.value.reason or "not after the start" in refused.value.reason


def test_a_window_is_said_with_its_days() -> None:
    said = window_text(window_of("tuesday", NOW))
    assert said == "Tue 2026-12-01 00:00 until Wed 2026-12-02 00:00 UTC"
    assert window_text(window_of("2026-12-01/", NOW)) == "Tue 2026-12-01 00:00 until further notice"


@pytest.mark.parametrize(
    ("typed", "network"),
    [
        ("2001:610:1:3::/64", "2001:610:1:3::/64"),
        ("2001:0610:0001:0003:0000:0000:0000:0000/64", "2001:610:1:3::/64"),
        ("2001:DB8::1", "2001:db8::1/128"),
        ("2001:db8:0:0::1/64", "2001:db8::/64"),
        ("[2001:db8::1]", "2001:db8::1/128"),
        ("192.0.2.7", "192.0.2.7/32"),
        ("192.0.2.0/24", "192.0.2.0/24"),
        ("2001:610", "2001:610::/32"),
        ("2001:610:1:", "2001:610:1::/48"),
        ("::ffff:192.0.2.1", "::ffff:c000:201/128"),
    ],
)  # fmt: skip
def test_an_address_is_read_in_any_spelling(typed: str, network: str) -> None:
    assert network_of(typed) == ip_network(network)
    assert meant(typed) or typed in ("2001:610", "[2001:db8::1]")


@pytest.mark.parametrize(
    "typed", ["JANET", "uk6:POS2/0", "PIP-3", "12:30", "1.2", "fe80::1%eth0", "12.0", ""]
)
def test_other_text_is_none(typed: str) -> None:
    assert network_of(typed) is None


@pytest.mark.parametrize(
    "typed", ["2001:db8:::1", "2001:db8::/129", "300.1.1.1", "1.2.3.4/x", "2001:db8::12345"]
)
def test_a_broken_one_is_known_to_be_meant(typed: str) -> None:
    assert network_of(typed) is None and meant(typed)
