"""A bare list that somebody intends: what would bind a policy, or unbind one, is not passed over."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios

PORT = "interface GigabitEthernet0/1\n!\n"

LOST = {
    "misspelt": ("service-polcy input OTHER", "is `service-policy` meant?"),
    "no direction": ("service-policy inptu OTHER", "is no binding"),
    "no direction, and a policy called history": ("service-policy inptu history", "is no binding"),
    "a word too many": ("service-policy input OTHER too", "is no binding"),
    "two words too many": ("service-policy output OTHER and more", "is no binding"),
    "the word for another feature too late": ("service-policy input OTHER type", "is no binding"),
    "taken off": ("no service-policy input CUSTOMER", "removes something"),
    "taken off by no name": ("no service-policy", "removes something"),
}


@pytest.mark.parametrize(("line", "reason"), LOST.values(), ids=LOST.keys())
def test_what_would_be_passed_over_is_refused_by_its_line(line: str, reason: str) -> None:
    with pytest.raises(ParseFailure) as caught:
        ios.refuse_lost_bindings(f"{PORT}  {line}\n")
    assert reason in caught.value.reason and f"`{line}`" in caught.value.reason
    assert caught.value.line == 3


@pytest.mark.parametrize(
    "line",
    [
        "service-policy input CUSTOMER",
        "service-policy output CORE",
        "service-policy CHILD",
        "service-policy history",
        "service-policy type control CUSTOMER",
        "service-policy input type",
        "ip address dhcp",
        "transport input ssh",
        "service-polcy in",
    ],
)
def test_bindings_and_lines_of_other_features_stay(line: str) -> None:
    ios.refuse_lost_bindings(f"{PORT} {line}\n")


def test_nothing_is_looked_for_in_what_a_router_took() -> None:
    ios.refuse_lost_bindings(f"hostname r1\n{PORT} service-policy inptu OTHER\nend\n")
