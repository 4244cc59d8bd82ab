"""Who uses an object, said as the line of the section that does."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import Reference

LINES = {
    "class-map type inspect match-any C\n match class-map EF\n": {
        Reference("class-map", "EF", "class-map type inspect match-any C / match class-map EF")
    },
    "ntp access-group peer 10\n": {Reference("access-list", "10", "ntp access-group peer 10")},
    "ipv6 nat v6v4 source list NAT6 pool P\n": {
        Reference("access-list", "NAT6", "ipv6 nat v6v4 source list NAT6 pool P")
    },
    "route-map M permit 10\n match ip address 10 20\n": {
        Reference("access-list", name, "route-map M permit 10 / match ip address 10 20")
        for name in ("10", "20")
    },
}


@pytest.mark.parametrize(("text", "uses"), LINES.items())
def test_the_line_that_uses_it(text: str, uses: set[Reference]) -> None:
    assert ios.parse("hostname r\n" + text).references == uses


def test_a_community_may_use_a_list_of_each_family() -> None:
    found = ios.parse("hostname r\nsnmp-server community secret RO ipv6 SIX 10\n").references
    assert {use.name for use in found} == {"SIX", "10"}
    assert not any("secret" in use.by for use in found)
