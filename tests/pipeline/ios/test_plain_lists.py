"""An access list read from its whole text at once is the list read line by line, with the same sequence numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.ios.access_lists import AccessListSection
from tests.pipeline.ios.test_two_speeds import agree
from tests.pipeline.properties import PROPERTY

PLAIN = """permit ipv6 2001:DB8:4:5::/64 any
permit ip 198.51.100.0 0.0.0.255 host 203.0.113.9
deny   ip any any log
permit 58 any any
permit tcp any any eq www sequence 25
remark who may mark
10 permit ip any any
20 remark of twenty
30 deny ip host 192.0.2.1 any
sequence 40 permit ipv6 any host 2001:db8::1
!""".splitlines()
OTHER = """permit
sequence
10
exit
no permit ip any any
evaluate BACK
dynamic OPEN timeout 10 permit ip any any
hardware statistics
description of a list
version 12.4
! of others
!! IOS XR
% Invalid input detected
remark ^C
permit\tip any any""".splitlines()
HEADERS = (
    *(
        "ip access-list extended E",
        "ipv6 access-list L",
        "ip access-list standard 23",
        "ip access-list extended 101",
    ),
    *(
        "ipv6 access-list L permit ipv6 any any",
        "ip access-list resequence E 10 10",
        "ipv6 access-list",
        "interface P",
    ),
)
BLANKS = st.sampled_from(["", "", " ", "\t"])


@st.composite
def sections(draw: st.DrawFn) -> str:
    """One list, mostly of entries, between two lines of a router."""
    lines = draw(st.lists(st.one_of(*[st.sampled_from(PLAIN)] * 4, st.sampled_from(OTHER)), max_size=6))
    deeper = [f" {draw(BLANKS)}{line}" for line in lines]
    header = draw(st.sampled_from([*HEADERS[:4] * 3, *HEADERS]))
    follows = draw(st.sampled_from(["interface POS9/9", "line vty 0 4", "permit ip any any", "!", ""]))
    return "\n".join(["hostname r", header, *deeper, follows])


@PROPERTY
@given(st.lists(sections(), min_size=1, max_size=2))
def test_at_once_is_line_by_line(texts: list[str]) -> None:
    agree("\n".join(texts))


@pytest.mark.parametrize("line", [*PLAIN, *OTHER])
@pytest.mark.parametrize("header", HEADERS)
def test_every_line_by_itself_and_beside_others(header: str, line: str) -> None:
    for before, after in (("", ""), (" 10 permit ip any any\n", ""), (" remark x\n", " permit ip any any\n")):
        agree(f"hostname r\n{header}\n{before} {line}\n{after}line vty 0 4\n")


def test_plain_lists_are_not_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_self: AccessListSection, line: object) -> None:
        raise AssertionError(line)

    monkeypatch.setattr(AccessListSection, "read", never)
    for header in HEADERS[:4]:
        for line in PLAIN:
            ios.parse(f"hostname r\n{header}\n {line}\n\n \n!\nline vty 0 4\n")


def test_a_wrong_entry_is_refused_with_its_line() -> None:
    with pytest.raises(ParseFailure, match="sequence 10 twice") as caught:
        ios.parse(
            "hostname r\nip access-list extended E\n 10 permit ip any any\n 10 deny ip any any\nline vty 0 4\n"
        )
    assert caught.value.line == 4
