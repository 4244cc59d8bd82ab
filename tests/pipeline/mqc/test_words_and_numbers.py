"""Code points, versions, rates: what a word of a line is worth (ios-facts N3, N15, 1.4)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import (
    Bps,
    Percent,
    base_name,
    default_burst_bytes,
    dscp,
    in_bps,
    precedence,
    to_json,
    versioned_name,
)
from provisioning.pipeline.mqc.numbers import is_decimal, is_number


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("ef", 46),
        ("EF", 46),
        ("default", 0),
        ("cs1", 8),
        ("cs7", 56),
        ("af11", 10),
        ("af43", 38),
        ("45", 45),
        (" 7 ", 7),
        ("63", 63),
    ],
)
def test_a_dscp_is_its_number(name: str, number: int) -> None:
    assert dscp(name) == number


@pytest.mark.parametrize("value", ["", "af44", "64", "-1", "cs8", 64, -1, "٤٦"])
def test_what_is_no_dscp(value: int | str) -> None:
    with pytest.raises(InvalidInput):
        dscp(value)


@pytest.mark.parametrize(
    ("name", "base", "version"),
    [
        ("TRUSTED-IN", "TRUSTED-IN", 1),
        ("TRUSTED-IN-2", "TRUSTED-IN", 2),
        ("TRUSTED-IN-12", "TRUSTED-IN", 12),
        ("TRUSTED-IN-1", "TRUSTED-IN-1", 1),
        ("TRUSTED-IN-02", "TRUSTED-IN-02", 1),
        ("nren-auth-ef-2-3", "nren-auth-ef-2", 3),
    ],
)
def test_versions_of_a_name(name: str, base: str, version: int) -> None:
    assert base_name(name) == (base, version)
    assert versioned_name(base, version) == name


def test_precedences_end_at_seven() -> None:
    assert [precedence(value) for value in ("network", "Routine", 7, "6")] == [7, 0, 7, 6]


@pytest.mark.parametrize(
    ("word", "number", "decimal"),
    [
        ("17", True, True),
        ("0.5", False, True),
        (".5", False, True),
        ("1.2.3", False, False),
        ("²", False, False),
    ],
)
def test_which_words_are_numbers(word: str, number: bool, decimal: bool) -> None:
    assert is_number(word) is number
    assert is_decimal(word) is decimal


@pytest.mark.parametrize(
    ("share", "bandwidth", "bits"),
    [
        ("5", 155_000_000, 7_750_000),
        ("5", 99, 4),
        ("0.5", 1000, 5),
        ("100", 64_000, 64_000),
        ("5", None, None),
    ],
)
def test_a_percentage_of_a_bandwidth_is_floored(share: str, bandwidth: int | None, bits: int | None) -> None:
    assert in_bps(Percent(Decimal(share)), bandwidth) == bits
    assert in_bps(Bps(1), bandwidth) == 1


@pytest.mark.parametrize("text", ["100", "5", "0.5", "33.3"])
def test_a_percentage_is_printed_as_ios_takes_it(text: str) -> None:
    assert str(Percent(Decimal(text))) == text
    assert to_json(Percent(Decimal(text))) == {"percent": text}


def test_default_burst_is_a_32nd_of_the_rate() -> None:
    assert [default_burst_bytes(rate) for rate in (8000, 48_000, 290_000, 1_500_000)] == [
        1500,
        1500,
        9062,
        46875,
    ]
