"""Rewrite rules of access lists and of whole texts, one test each (ios-facts N31-N37; docs/reference/rewrite-rules.md)."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import AccessEntry
from tests.pipeline.ios.spellings import class_map, different, same


def six(*entries: str) -> str:
    return "ipv6 access-list L\n" + "".join(f" {entry}\n" for entry in entries)


def four(*entries: str) -> str:
    return "ip access-list extended L\n" + "".join(f" {entry}\n" for entry in entries)


def entries(text: str) -> list[tuple[int, str]]:
    return [(entry.sequence, entry.text) for entry in ios.parse(text).access_lists["L"].entries]


def test_n31_addresses_upper_case_hosts_and_port_names() -> None:
    same(six("permit ipv6 2001:db8:abcd::7/48 any"), six("permit ipv6 2001:DB8:ABCD::/48 any"))
    same(six("permit ipv6 2001:db8::9/128 any"), six("permit ipv6 host 2001:DB8::9 any"))
    same(six("permit tcp any any eq 80"), six("permit tcp any any eq www"))
    same(six("permit udp any eq 53 any eq 67"), six("permit udp any eq domain any eq bootps"))
    different(six("permit ipv6 2001:db8::/48 any"), six("permit ipv6 2001:DB8::/47 any"))


def test_n32_ipv6_sequences_on_and_off_the_grid() -> None:
    typed = six("permit ipv6 2001:db8:1::/48 any", "sequence 15 permit udp any any", "deny ipv6 any any")
    always = six(
        "sequence 10 permit ipv6 2001:DB8:1::/48 any",
        "sequence 15 permit udp any any",
        "sequence 25 deny ipv6 any any",
    )
    same(typed, always)
    assert entries(typed) == entries(always)
    assert [number for number, _ in entries(typed)] == [10, 15, 25]


def test_n33_ipv4_numbers_and_padded_deny() -> None:
    same(
        four("permit ip 10.0.0.0 0.0.0.255 any", "deny ip any any"),
        four("10 permit ip 10.0.0.0 0.0.0.255 any", "20 deny   ip any any"),
    )
    same(
        "access-list 101 permit tcp any any eq 22\naccess-list 101 deny ip any any\n",
        "ip access-list extended 101\n permit tcp any any eq 22\n deny   ip any any\n",
    )
    different(
        four("permit ip any any", "deny ip any any"), four("20 permit ip any any", "10 deny ip any any")
    )


def test_n34_flow_label_before_or_after_dscp() -> None:
    same(
        six("permit ipv6 any any flow-label 1234 dscp ef"),
        six("permit ipv6 any any dscp ef flow-label 1234"),
        six("permit ipv6 any any dscp 46 flow-label 0x4D2"),
    )
    different(six("permit ipv6 any any flow-label 1234"), six("permit ipv6 any any flow-label 1235"))


def test_n35_remarks_are_kept_with_a_number_of_their_own() -> None:
    same(
        six("remark the lab", "permit ipv6 any any"),
        six("sequence 10 remark the lab", "sequence 20 permit ipv6 any any"),
    )
    same(
        four("remark the lab", "permit ip any any"),
        four("10 remark the lab", "20 permit ip any any"),
        four("10 remark the lab", "10 permit ip any any"),
    )
    different(four("remark the lab", "permit ip any any"), four("permit ip any any"))
    assert ios.parse(four("remark  the  lab")).access_lists["L"].entries == (
        AccessEntry(1, "remark the lab"),
    )


NOISE = """Load for five secs: 1%/0%; one minute: 1%; five minutes: 1%
Time source is NTP, 10:02:11.5 UTC Tue Mar 2 2004

Building configuration...

Current configuration : 1234 bytes
!
! Last configuration change at 08:14:02 UTC Tue Mar 2 2004 by noc
! NVRAM config last updated at 08:15:40 UTC Tue Mar 2 2004 by noc
!
version 12.3
hostname r
!
"""


def test_n36_noise_is_passed_over() -> None:
    typed = class_map("match dscp 46")
    later = NOISE.replace("08:14:02", "09:14:02").replace("1234", "1240")
    same(typed, f"{NOISE}{typed}!\nntp clock-period 17179930\n!\nend\n")
    one, other = (
        ios.parse(f"{text}{typed}!\nntp clock-period {period}\n!\nend\n")
        for text, period in ((NOISE, 17179930), (later, 17179931))
    )
    assert one == other


@pytest.mark.parametrize(
    "text",
    [
        "class-map match-any A\n match dscp ef \n end-class-map\n!\n",
        "policy-map P\n class A\n  police rate percent 10\n  ! \n !\n class class-default\n !\n end-policy-map\n!\n",
        "!! IOS XR Configuration 7.3.2\nclass-map match-any A\n match dscp ef\n",
    ],
    ids=["class-map", "policy-map", "comment"],
)
def test_n37_ios_xr_is_refused_by_name(text: str) -> None:
    with pytest.raises(ParseFailure, match="IOS-XR") as caught:
        ios.parse(text)
    assert caught.value.line
