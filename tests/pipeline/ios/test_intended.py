"""A configuration that somebody intends: what would bind a policy, or unbind one, is not passed over."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios

PORT = "interface GigabitEthernet0/1\n!\n"

LOST = {
    "misspelt": ("service-polcy input OTHER", "is `service-policy` meant?"),
    "no direction": ("service-policy inptu OTHER", "is `input` meant?"),
    "no direction, and a policy called history": ("service-policy inptu history", "is `input` meant?"),
    "a word too many": ("service-policy input OTHER too", "nothing can follow"),
    "two words too many": ("service-policy output OTHER and more", "nothing can follow"),
    "the word for another feature too late": ("service-policy input OTHER type", "nothing can follow"),
    "taken off": ("no service-policy input CUSTOMER", "removes something"),
    "taken off by no name": ("no service-policy", "removes something"),
}


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("line", "reason"), LOST.values(), ids=LOST.keys())
def test_what_would_be_passed_over_is_refused_by_its_line(line: str, reason: str, whole: bool) -> None:
    with pytest.raises(ParseFailure) as caught:
        ios.parse_intended(f"hostname r1\n{PORT}  {line}\nend\n" if whole else f"!\n{PORT}  {line}\n")
    assert reason in caught.value.reason
    assert caught.value.line == 4


@pytest.mark.parametrize(
    "line",
    [
        "service-policy input CUSTOMER",
        "service-policy output CORE",
        "service-policy history",
        "service-policy type control CUSTOMER",
        "service-policy input type",
        "ip address dhcp",
        "transport input ssh",
    ],
)
def test_bindings_and_lines_of_other_features_stay(line: str) -> None:
    ios.parse_intended(f"{PORT} {line}\n")


def test_what_a_router_shows_of_other_features_is_not_judged() -> None:
    ios.parse_intended(f"hostname r1\n{PORT} frobnicate 7\nline vty 0 4\n transport inptu ssh\nend\n")
    with pytest.raises(ParseFailure, match="no line of an interface"):
        ios.parse_intended(f"{PORT} frobnicate 7\n")


def test_what_is_wrong_with_a_line_as_a_whole_is_at_its_first_word() -> None:
    with pytest.raises(ParseFailure) as caught:
        ios.parse_intended(f"{PORT}  no such thing\npolcy-map P\n")
    assert (caught.value.line, caught.value.column) == (4, 1)
