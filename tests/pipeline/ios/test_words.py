"""Tables of first and second words: what is among them, two of them together, and the lines that they find."""

from __future__ import annotations

from decimal import Decimal

import pytest

from provisioning.pipeline.ios.words import OtherFormError, are_among, both, decimal, finder, number

KINDS = {"ip": frozenset({"address", "unnumbered"}), "shutdown": None, "ipv6": frozenset({"enable"})}


@pytest.mark.parametrize(
    ("line", "among"),
    [
        ("ip address", True),
        ("ip address 192.0.2.1", True),
        ("ip unnumbered", True),
        ("ip", False),
        ("ip route", False),
        ("ip route address", False),
        ("ipv6 address", False),
        ("shutdown", True),
        ("shutdown now", True),
        ("no shutdown", False),
        ("mpls ip", False),
    ],
)
def test_a_line_is_among_them_by_its_first_words(line: str, among: bool) -> None:
    assert are_among(line.split(), KINDS) is among
    assert bool(finder(KINDS).search(f"interface x\n {line}\n")) is among


def test_two_tables_together() -> None:
    one = {"ip": frozenset({"address"}), "shutdown": None, "no": frozenset({"shutdown"})}
    other = {
        "ip": frozenset({"nat"}),
        "shutdown": frozenset({"now"}),
        "no": None,
        "ntp": frozenset({"server"}),
    }
    assert both(one, other) == {
        "ip": frozenset({"address", "nat"}),
        "shutdown": None,
        "no": None,
        "ntp": frozenset({"server"}),
    }
    assert one["ip"] == {"address"}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (" ip  address 192.0.2.1 ", ("ip", "  address 192.0.2.1 ")),
        ("\t\t".join(["  shutdown", ""]), ("shutdown", "\t\t")),
        (" % Invalid input", ("%", " Invalid input")),
        (" RP/0/0/CPU0:x#", ("RP/", "0/0/CPU0:x#")),
        (" !! IOS XR", ("!", "! IOS XR")),
        ("shutdown", None),
        (" shutdowns", None),
        (" ip addresses", None),
        (" no shutdown", None),
        (" None", None),
        ("", None),
    ],
)
def test_the_next_line_that_counts(line: str, found: tuple[str, str] | None) -> None:
    match = finder(KINDS).search(f"interface x\n mpls ip\n{line}\n bandwidth 64\n")
    assert (match and match.groups()) == found


def test_words_that_are_numbers() -> None:
    assert (number("08"), decimal("2.50")) == (8, Decimal("2.5"))
    for word in ("", "x", "-1", "1x", "²"):
        for kind in (number, decimal):
            with pytest.raises(OtherFormError):
                kind(word)
    with pytest.raises(OtherFormError):
        number("2.5")
