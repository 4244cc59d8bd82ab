"""Where an entry of an access list stands, however it is numbered (ios-facts N31-N35)."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios

SIX = "ipv6 access-list L\n"
FOUR = "ip access-list extended L\n"

NUMBERED: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "behind an entry": (
        SIX + " permit ipv6 any any sequence 15\n deny ipv6 any any sequence 12\n",
        [(12, "deny ipv6 any any"), (15, "permit ipv6 any any")],
    ),
    "behind an entry, as a priority": (
        SIX + " permit ipv6 any any priority 7\n",
        [(7, "permit ipv6 any any")],
    ),
    "in front wins": (
        SIX + " sequence 5 permit ipv6 any any log sequence\n",
        [(5, "permit ipv6 any any log sequence")],
    ),
    "words of a remark": (SIX + " remark the old sequence 70\n", [(1, "remark the old sequence 70")]),
    "words of an IPv4 entry": (
        FOUR + " permit ip any any time-range priority 7\n",
        [(10, "permit ip any any time-range priority 7")],
    ),
    "protocols by number": (
        FOUR + " permit 41 any any\n 30 permit 46 any any\n",
        [(10, "permit 41 any any"), (30, "permit 46 any any")],
    ),
    "after a remark beyond the grid": (
        FOUR + " 10 permit ip any any\n 30 remark later\n deny ip any any\n",
        [(10, "permit ip any any"), (30, "remark later"), (40, "deny ip any any")],
    ),
    "after a remark on the grid": (
        FOUR + " 10 permit ip any any\n 20 remark next\n deny ip any any\n",
        [(10, "permit ip any any"), (20, "remark next"), (30, "deny ip any any")],
    ),
    "a remark without words": (
        FOUR + " 10 remark\n permit ip any any\n",
        [(10, "remark"), (20, "permit ip any any")],
    ),
    "a number alone": (FOUR + " 10\n permit ip any any\n", [(1, "10"), (10, "permit ip any any")]),
    "an IPv4 remark and the first entry": (
        FOUR + " 1 remark a\n 1 permit ip any any\n",
        [(1, "remark a"), (1, "permit ip any any")],
    ),
    "an IPv6 remark and the second number": (
        SIX + " sequence 2 remark a\n sequence 2 permit ipv6 any any\n",
        [(1, "remark a"), (2, "permit ipv6 any any")],
    ),
    "typed at the margin": (
        FOUR + "permit udp any any\n20 deny ip any any\nexit\n",
        [(10, "permit udp any any"), (20, "deny ip any any")],
    ),
    "left by exit": (FOUR + " permit ip any any\n exit\n", [(10, "permit ip any any")]),
    "name and entry on one line": (
        "ipv6 access-list L permit ipv6 2001:DB8::/32 any\nipv6 access-list L deny ipv6 any any\n",
        [(10, "permit ipv6 2001:db8::/32 any"), (20, "deny ipv6 any any")],
    ),
    "name and numbered entry on one line": (
        "ipv6 access-list L sequence 30 deny ipv6 any any\n",
        [(30, "deny ipv6 any any")],
    ),
}


@pytest.mark.parametrize(("text", "entries"), NUMBERED.values(), ids=NUMBERED.keys())
def test_the_place_of_each_entry(text: str, entries: list[tuple[int, str]]) -> None:
    found = ios.parse("hostname r\n" + text).access_lists["L"]
    assert [(entry.sequence, entry.text) for entry in found.entries] == entries


def test_an_ipv6_remark_without_room_is_refused() -> None:
    with pytest.raises(ParseFailure, match="twice") as caught:
        ios.parse("hostname r\n" + SIX + " sequence 1 remark a\n sequence 1 permit ipv6 any any\n")
    assert caught.value.line == 4


@pytest.mark.parametrize(
    ("header", "name", "standard"),
    [
        ("ip access-list standard S\n permit any", "S", True),
        ("ip access-list extended E\n permit ip any any", "E", False),
        ("access-list 99 permit any", "99", True),
        ("access-list 1999 permit any", "1999", True),
        ("access-list 199 permit ip any any", "199", False),
        ("access-list 2699 permit ip any any", "2699", False),
        ("access-list 10 remark", "10", True),
    ],
)
def test_lists_of_sources_and_lists_of_both(header: str, name: str, standard: bool) -> None:
    assert ios.parse(f"hostname r\n{header}\n").access_lists[name].standard is standard


@pytest.mark.parametrize("line", ["access-list 10", "access-list 200 permit x", "access-list compiled all"])
def test_what_makes_no_list(line: str) -> None:
    assert not ios.parse(f"hostname r\n{line}\n").access_lists


def test_a_remark_goes_to_the_nearest_free_number_before_its_entry() -> None:
    found = ios.parse(
        "ipv6 access-list L\n sequence 9 permit ipv6 host 2001:db8::1 any\n sequence 10 remark of ten\n"
        " sequence 10 permit ipv6 any any\n"
    )
    assert [entry.sequence for entry in found.access_lists["L"].entries] == [8, 9, 10]


@pytest.mark.parametrize(
    "line", ["ip access-list resequence E 10 10", "ipv6 access-list log-update threshold 5"]
)
def test_a_command_about_lists_is_no_list(line: str) -> None:
    assert not ios.parse(f"hostname r\n{line}\nline vty 0 4\n").access_lists
