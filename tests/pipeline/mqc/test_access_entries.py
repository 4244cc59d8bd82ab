"""Every spelling of one access list entry is one text (ios-facts N31-N35)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import AccessEntry, AccessList, canonical_ace, permits

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
    "dynamic OPEN timeout 10 permit ip any any": ["dynamic OPEN timeout 10 permit  ip any any"],
    "permit tcp any object-group WEB eq 80 443 log": ["permit tcp any object-group WEB eq 443 www log"],
    "permit tcp any any match-all +ack -syn": ["permit tcp any any match-all -syn +ack"],
    "permit tcp any any match-any +fin log ALARM": ["permit tcp any any log ALARM match-any +fin"],
    "permit tcp any any eq 80 established dscp 46 log": ["permit tcp any any eq www dscp ef established log"],
    "deny tcp any eq 80 any eq 23 ack dscp 10 ttl lt 20": [
        "deny tcp any eq www any eq telnet dscp af11 ack ttl lt 20"
    ],
    "permit tcp any any reflect BACK timeout 30 time-range NIGHT": [
        "permit tcp any any time-range NIGHT reflect BACK timeout 30"
    ],
    "permit ip any any ttl range 1 5": ["permit ip any any ttl range 1 5"],
    "permit ip any any dscp 46 ttl eq 1": ["permit ip any any ttl eq 1 dscp ef"],
    "permit ip any any option any-options": ["permit ip any any option any-options"],
    "deny ip any any fragments precedence 5 tos 8": [
        "deny ip any any precedence critical tos min-delay fragments"
    ],
    "permit udp any gt 1023 any lt 1024": ["permit udp any gt 1023 any lt 1024"],
    "permit tcp any neq 23 any": ["permit tcp any neq telnet any"],
    "permit icmp any any nd-na": ["permit icmp any any nd-na"],
    "permit igmp any any dvmrp": ["permit igmp any any dvmrp"],
    "permit ipv6 2001:db8::/32 any routing": ["permit ipv6 2001:DB8::/32 any routing"],
    "deny ipv6 any host 2001:db8::7 dest-option-type home-address": [
        "deny ipv6 any host 2001:DB8::7 dest-option-type home-address"
    ],
    "deny ipv6 any any log undetermined-transport": ["deny ipv6 any any undetermined-transport log"],
    "permit ipv6 2001:db8::/32 any something new": ["permit ipv6 2001:DB8::/32 any something new"],
    "permit strange 2001:db8::/32 2001:db8::1": ["permit strange 2001:DB8::/32 2001:DB8:0::1"],
    "remark two words": ["remark  two   words", "REMARK two words"],
    "permit any log": ["permit ANY LOG"],
    "permit host 10.9.8.7 log": ["permit 10.9.8.7 LOG", "permit HOST 10.9.8.7 log"],
    "permit object-group SVC any any log": ["permit OBJECT-GROUP SVC any any LOG"],
    "permit sctp any eq 80 443 any neq 80 443": ["permit 132 any eq 443 80 any neq 443 80"],
    "permit udp any range 161 162 any eq 123 161": ["permit udp any range snmp snmptrap any eq snmp ntp"],
    "permit udp 2001:db8::/32 host 2001:db8::1 eq 123": [
        "permit udp 2001:DB8::/32 host 2001:DB8:0::1 eq ntp",
        "permit udp 2001:db8:1::/32 2001:db8:0:0::1/128 eq ntp",
    ],
    "permit tcp host 1:2:3:4:5:0:6:7 any eq 80": ["permit tcp host 1:2:3:4:5::6:7 any eq www"],
    "permit icmp any any echo dscp 46 log": ["permit icmp any any ECHO LOG dscp ef"],
    "permit ipv6 any any SOMETHING new": ["permit ipv6 ANY any SOMETHING new"],
    "permit tcp any any log reflect BACK": ["permit tcp any any reflect BACK LOG"],
    "permit ip any any dscp 46 ttl range 1 5": ["permit ip any any ttl range 1 5 dscp ef"],
    "permit ip any any dscp 46 log": ["permit ip any any log dscp ef"],
    "permit ip any any dscp 46 log-input ALARM": ["permit ip any any log-input ALARM dscp ef"],
    "permit ip any any log ALARM time-range NIGHT": ["permit ip any any time-range NIGHT log ALARM"],
    "permit ipv6 any any flow-label 703710": ["permit ipv6 any any flow-label 0xABCDE"],
    "permit ip 10.0.0.1 any": ["permit ip 10.0.0.1 any"],
    "permit strange 2001:db8::/32 ::a": ["permit strange 2001:DB8::1/32 ::A"],
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


SHARED = """ip access-list extended LOGIN
 10 remark who may
 10 permit tcp 192.0.2.0 0.0.0.255 any eq 22
 11 remark ----------
 11 remark who may not
 11 deny   ip any any
 {tail}
"""


def test_only_a_permit_authorises_somebody() -> None:
    texts = ("remark permit nobody", "deny ipv6 host 2001:db8::7 any", "permit ipv6 2001:db8::/32 any")
    assert permits(AccessList.of("hosts", 6, texts).entries) == ("permit ipv6 2001:db8::/32 any",)


def test_remarks_may_share_the_number_of_the_entry_they_stand_before() -> None:
    """So IOS-XE prints them, several to one entry, and with no room before it."""
    found = ios.parse_fragment(SHARED.format(tail="12 remark the end")).access_lists["LOGIN"]
    assert [(entry.sequence, entry.text) for entry in found.entries] == [
        (10, "remark who may"),
        (10, "permit tcp 192.0.2.0 0.0.0.255 any eq 22"),
        (11, "remark ----------"),
        (11, "remark who may not"),
        (11, "deny ip any any"),
        (12, "remark the end"),
    ]
    with pytest.raises(InvalidInput, match="twice"):
        ios.parse_fragment(SHARED.format(tail="11 permit ip any any"))


def test_an_ipv6_remark_keeps_a_number_of_its_own() -> None:
    """An IPv6 entry is removed by its number, so no two lines share one."""
    text = "ipv6 access-list A\n permit ipv6 any any\n remark between\n sequence 11 deny ipv6 any any\n"
    entries = ios.parse_fragment(text).access_lists["A"].entries
    assert [(entry.sequence, entry.action) for entry in entries] == [
        (9, "remark"),
        (10, "permit"),
        (11, "deny"),
    ]
    text = text.replace("sequence 11", "sequence 20").replace(" remark", " sequence 20 remark")
    entries = ios.parse_fragment(text).access_lists["A"].entries
    assert [(entry.sequence, entry.action) for entry in entries] == [
        (10, "permit"),
        (19, "remark"),
        (20, "deny"),
    ]


def test_protocol_58_is_icmp_in_an_ipv6_list_only() -> None:
    six = AccessList.of("A", 6, ("permit 58 any any",))
    assert six == AccessList.of("A", 6, ("permit icmp any any",))
    four = AccessList.of("A", 4, ("permit 58 any any",))
    assert four != AccessList.of("A", 4, ("permit icmp any any",))
    assert AccessList.of("A", 4, ("permit 1 any any",)) == AccessList.of("A", 4, ("permit icmp any any",))


def test_icmp_stands_where_58_stood_and_nowhere_else() -> None:
    entries = AccessList.of("A", 6, ("deny 58 any any echo", "permit 17 any any", "evaluate 58")).entries
    assert [entry.text for entry in entries] == [
        "deny icmp any any echo",
        "permit udp any any",
        "evaluate 58",
    ]


def test_a_list_on_the_default_grid() -> None:
    made = AccessList.of("9", 4, ("permit 10.0.0.1", "deny any"), standard=True)
    assert [(entry.sequence, entry.text) for entry in made.entries] == [
        (10, "permit host 10.0.0.1"),
        (20, "deny any"),
    ]
    assert made.standard
    assert made.numbered
    assert not AccessList.of("A9", 4, ()).numbered


def test_a_list_of_another_kind_is_no_list_of_ours() -> None:
    text = (
        "hostname r\nip access-list role-based R\n permit ip\nipv6 access-list role-based S\n permit ipv6\n"
    )
    text += "ipv6 access-list log-update threshold 5\naccess-list 700 permit 0010.2233.4455\n"
    assert ios.parse(text).access_lists == {}


def test_a_line_of_a_list_that_is_no_entry_is_kept() -> None:
    found = ios.parse(
        "hostname r\nip access-list extended L\n counters\n 10 permit ip any any\n"
    ).access_lists["L"]
    assert "counters" in {entry.text for entry in found.entries}


def test_an_ipv6_list_has_numbers_for_protocols_it_does_not_name() -> None:
    numbers = ("2", "4", "47", "88", "89", "94", "103")
    entries = tuple(f"permit {number} any any" for number in numbers)
    six = AccessList.of("A", 6, (*entries, "permit 50 any any", "permit 58 any any echo-request"))
    assert [entry.text for entry in six.entries] == [
        *entries,
        "permit esp any any",
        "permit icmp any any echo-request",
    ]
    assert replace(six, entries=tuple(map(replace, six.entries))) == six
    assert [entry.text for entry in AccessList.of("A", 4, ("permit 89 any any",)).entries] == [
        "permit ospf any any"
    ]
