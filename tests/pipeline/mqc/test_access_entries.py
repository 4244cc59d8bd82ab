"""Every spelling of one access list entry is one text (ios-facts N31-N35)."""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import AccessEntry, canonical_ace

SPELLINGS = {
    "permit ipv6 2001:db8::/32 any": [
        "permit ipv6 2001:DB8::/32 any",
        "PERMIT   IPV6 2001:0db8:0:0::1/32  ::/0 ",
    ],
    "permit ipv6 host 2001:db8::1 any": [
        "permit ipv6 2001:DB8::1/128 any",
        "permit ipv6 host 2001:db8:0::1 any",
    ],
    "permit udp any any eq 123 dscp 46 flow-label 16": [
        "permit 17 any any eq ntp flow-label 0x10 dscp ef",
        "permit udp any any eq 123 dscp 46 flow-label 16",
    ],
    "deny ip 10.1.2.0 0.0.0.255 host 192.0.2.1 log": [
        "deny   ip 10.1.2.3 0.0.0.255 192.0.2.1 0.0.0.0 log",
    ],
    "permit ip any any": ["permit ip 0.0.0.0 255.255.255.255 any"],
    "permit host 10.9.8.7": ["permit 10.9.8.7", "permit 10.9.8.7 0.0.0.0"],
    "permit any": ["permit any", "permit 0.0.0.0 255.255.255.255"],
    "permit tcp any eq 80 443 host 192.0.2.9 range 20 21 established": [
        "permit tcp any eq 443 www host 192.0.2.9 range ftp-data ftp established",
    ],
    "permit icmp any any echo-request": ["permit 1 any any echo-request"],
    "deny icmp any any 8 0 log": ["deny icmp any any 8 0 log"],
    "permit object-group SVC any object-group HOSTS": ["permit  object-group SVC any   object-group HOSTS"],
    "permit tcp any any reflect NAME timeout 30": ["permit tcp any any reflect NAME timeout 30"],
    "evaluate NAME": ["evaluate  NAME"],
    "remark two words": ["remark  two   words"],
    "permit ipv6 2001:db8::/33 any time-range NIGHT": ["permit ipv6 2001:db8::/33 any time-range NIGHT"],
}


@pytest.mark.parametrize(
    ("canonical", "spelling"), [(text, each) for text, spellings in SPELLINGS.items() for each in spellings]
)
def test_canonical_text(canonical: str, spelling: str) -> None:
    assert canonical_ace(spelling) == canonical
    assert canonical_ace(canonical) == canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("permit ipv6 2001:db8::/32 any", "permit ipv6 any 2001:db8::/32"),
        ("permit ipv6 2001:db8::/32 any", "permit ipv6 2001:db8::/33 any"),
        ("permit ip 10.0.0.0 0.0.0.255 any", "permit ip 10.0.0.0 0.0.0.127 any"),
        ("permit udp any any", "permit tcp any any"),
        ("permit udp any any eq 53", "permit udp any eq 53 any"),
        ("permit ipv6 any any flow-label 1", "permit ipv6 any any flow-label 2"),
        ("permit ip any any log", "permit ip any any"),
        ("permit tcp any any time-range A", "permit tcp any any time-range a"),
    ],
)
def test_another_meaning_is_another_text(one: str, other: str) -> None:
    assert canonical_ace(one) != canonical_ace(other)


@pytest.mark.parametrize("text", ["", "permit", "deny  "])
def test_what_is_no_entry(text: str) -> None:
    with pytest.raises(InvalidInput, match="no access list entry"):
        canonical_ace(text)


def test_a_remark_is_no_decision() -> None:
    assert AccessEntry(1, "remark RES-7").remark == "RES-7"
    assert AccessEntry(1, "permit ip any any").remark is None
    assert AccessEntry(1, "deny ip any any").action == "deny"
