"""IOS-XE on its boxes: what they call themselves, print and refuse (ios-facts 1.1, 2.4; Cisco-IOS-XE-policy.yang)."""

from __future__ import annotations

import re

import pytest

from lab.errors import SpecError
from lab.release import Release
from tests.lab.routers import BASELINE, HQF, at_config, device, lines_of, typed

ASR = ("asr1001-x", "16.09.04")
ISR = ("isr4331", "17.6.1")
CSR = ("csr1000v", "16.12.01a")
C8300 = ("c8300-1n1s-6t", "17.9.4")
OLD_ASR = ("cisco-asr1000", "03.16.05.S")
BOXES = [ASR, ISR, CSR, C8300, OLD_ASR]


@pytest.mark.parametrize(
    ("kind", "system", "inside", "model"),
    [
        (ASR, "16.09.04", "16.9.4", "ASR1001-X"),
        (ISR, "17.06.01", "17.6.1", "ISR4331/K9"),
        (CSR, "16.12.01", "16.12.1", "CSR1000V"),
        (C8300, "17.09.04", "17.9.4", "C8300-1N1S-6T"),
        (OLD_ASR, "03.16.05.S", "15.5(3)S5", "ASR1001-X"),
    ],
)
def test_a_box_says_both_releases_and_its_model(
    kind: tuple[str, str], system: str, inside: str, model: str
) -> None:
    router = device(kind).open_session(privilege=15)
    text = router.execute("show version")
    assert re.match(rf"Cisco IOS XE Software, Version {re.escape(system)}\b", text)
    assert f"Version {inside}, RELEASE SOFTWARE" in text.splitlines()[1]
    assert re.search(rf"^cisco {re.escape(model)} .* bytes of memory\.$", text, re.M)
    assert f"PID: {model} " in router.execute("show inventory")
    assert router.config.hostname == "r1"


@pytest.mark.parametrize(("kind", "shown"), [(ASR, "16.9"), (ISR, "17.6"), (OLD_ASR, "15.5")])
def test_the_version_of_a_running_config_is_two_numbers(kind: tuple[str, str], shown: str) -> None:
    assert device(kind).body().splitlines()[0] == f"version {shown}"


@pytest.mark.parametrize("kind", BOXES)
def test_police_is_one_line_with_double_blanks(kind: tuple[str, str]) -> None:
    session = at_config(kind, load=BASELINE)
    assert "  police cir percent 5 conform-action transmit  exceed-action drop " in lines_of(
        session, "policy-map TRUSTED"
    )


def test_police_rate_stays_police_rate() -> None:
    for typed_line, shown in (
        ("police rate percent 5", "  police rate percent 5 conform-action transmit  exceed-action drop "),
        ("police cir percent 5", "  police cir percent 5 conform-action transmit  exceed-action drop "),
        (
            "police rate 2000000 bps burst 15000 bytes",
            "  police rate 2000000 bps burst 15000 conform-action transmit  exceed-action drop ",
        ),
    ):
        session = at_config(ISR)
        assert typed(session, f"policy-map P\nclass class-default\n{typed_line}")[-1] == ""
        assert lines_of(session, "policy-map P")[2] == shown


@pytest.mark.parametrize(("kind", "numbered"), [(ASR, False), (CSR, True), (ISR, True), (OLD_ASR, False)])
def test_ipv4_entries_have_numbers_from_16_12_on_and_ipv6_entries_always(
    kind: tuple[str, str], numbered: bool
) -> None:
    load = (
        "ip access-list extended A\n permit ip 192.0.2.0 0.0.0.255 any\nipv6 access-list B\n"
        " permit ipv6 2001:db8:a::/48 any\n permit ipv6 2001:db8:b::/48 any\n"
    )
    session = at_config(kind, load=load)
    assert lines_of(session, "ip access-list extended A")[1] == (
        " 10 permit ip 192.0.2.0 0.0.0.255 any" if numbered else " permit ip 192.0.2.0 0.0.0.255 any"
    )
    assert lines_of(session, "ipv6 access-list B")[1:] == [
        " sequence 10 permit ipv6 2001:DB8:A::/48 any",
        " sequence 20 permit ipv6 2001:DB8:B::/48 any",
    ]


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("police cir 1000000 conform-action drop exceed-action transmit", "conform-action action can not be drop"),
        ("police cir 1000000 bc 15000 be 30000 violate-action transmit", "exceed-action should be transmit"),
        (
            "police cir 1000000 conform-action set-dscp-transmit 46 exceed-action set-prec-transmit 0",
            "Two layer 3 markings",
        ),
        ("police cir 1000000 bc 999", "% Invalid input"),
        ("police cir 7999", "% Invalid input"),
        ("police cir percent 2.5", "% Invalid input"),
        ("queue-limit 100", "queue-limit not allowed without bandwidth shape or priority"),
        ("fair-queue 17", "% Invalid input"),
        ("shape average 7999", "% Invalid input"),
        ("priority level 3", "% Invalid input"),
        ("random-detect dscp-based", "Must configure bandwidth or shape"),
    ],
)  # fmt: skip
def test_what_ios_xe_does_not_take(line: str, reply: str) -> None:
    session = at_config(ISR, load="class-map match-all C\n match dscp 46\n")
    assert reply in typed(session, f"policy-map P\nclass C\n{line}")[-1]


def test_before_ios_xe_the_same_colours_pass() -> None:
    session = at_config(HQF)
    line = "police cir 1000000 conform-action drop exceed-action transmit"
    assert typed(session, f"policy-map P\nclass class-default\n{line}")[-1] == ""


def test_bandwidth_is_shown_per_second() -> None:
    assert "BW 155000 Kbit/sec," in device(ISR).open_session(privilege=15).execute("show interfaces POS1/0")


@pytest.mark.parametrize("platform", ["cisco-iosxr", "asr9006", "vax", ""])
def test_a_box_that_is_none(platform: str) -> None:
    with pytest.raises(SpecError):
        device((platform, "17.6.1"))


def test_releases_of_ios_xe_compare() -> None:
    old, new = Release.parse("03.16.05.S"), Release.parse("17.06.01a")
    assert old.is_xe and new.is_xe
    assert not old.since_xe(16, 12) and new.since_xe(16, 12)
