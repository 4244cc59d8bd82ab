"""What the show commands print, per era (ios-facts 2.1, 2.2, 4.1)."""

from __future__ import annotations

import re

import pytest

from lab.session import Session
from tests.lab.routers import ALL, BASELINE, GSR, HQF, T2, T3, T4, XE, Clock, device, typed


def at_exec(kind: tuple[str, str] = T3, load: str = BASELINE) -> Session:
    router = device(kind)
    router.load(load)
    return router.open_session(privilege=15)


def attach(
    session: Session, policy: str = "TRUSTED", direction: str = "input", interface: str = "POS1/0"
) -> None:
    typed(session, f"configure terminal\ninterface {interface}\nservice-policy {direction} {policy}\nend")
    assert session.config.interfaces[interface].policies[direction] == policy


def test_version_of_each_platform() -> None:
    for kind, image in (
        (GSR, "GS Software (C12KPRP"),
        (T3, "7200 Software (C7200"),
        (XE, "ASR1000 Software"),
    ):
        text = at_exec(kind).execute("show version")
        assert image in text
        assert f"Version {kind[1]}," in text
        assert re.search(r"^r1 uptime is \d+ minute", text, re.M)
        assert re.search(r"^Processor board ID TBM\d{8}$", text, re.M)
        assert re.search(r"^cisco .* bytes of memory\.$", text, re.M)


def test_diag_names_the_engine_of_every_slot() -> None:
    session = device(GSR, engines={"1": "3", "2": "4+", "3": "0"}).open_session(privilege=15)
    text = session.execute("show diag")
    assert re.findall(r"^SLOT (\d)", text, re.M) == ["1", "2", "3"]
    assert "  L3 Engine: 3 - ISE OC48 (2.5 Gbps)" in text
    assert "  L3 Engine: 4 - " in text
    assert session.execute("show diag 1").count("SLOT") == 1
    assert "% Invalid" in at_exec(T3).execute("show diag")


def test_interfaces_show_the_bandwidth_that_percent_counts_from() -> None:
    session = at_exec()
    text = session.execute("show interfaces POS1/0")
    assert text.startswith("POS1/0 is up, line protocol is up \n")
    assert "  MTU 4470 bytes, BW 155000 Kbit, DLY 100 usec, \n" in text
    typed(session, "conf t\ninterface POS1/0\nbandwidth 100000\nshutdown\nend")
    text = session.execute("show interfaces pos 1/0")
    assert "POS1/0 is administratively down, line protocol is down" in text
    assert "BW 100000 Kbit" in text
    assert session.execute("show interfaces").count("line protocol") == len(session.config.interfaces)
    assert "% Invalid" in session.execute("show interfaces POS9/0")


def test_brief_tables() -> None:
    session = at_exec()
    assert re.search(
        r"^POS1/0 +unassigned +YES NVRAM +up +up$", session.execute("show ip interface brief"), re.M
    )
    assert "    2001:DB8:6::1\n" in session.execute("show ipv6 interface brief")
    assert "Default domain is practice.example.net" in session.execute("show hosts")


@pytest.mark.parametrize(("kind", "known"), [(GSR, False), (T2, False), (T3, True), (XE, True)])
def test_section_filter(kind: tuple[str, str], known: bool) -> None:
    text = at_exec(kind).execute("show running-config | section class-map")
    assert ("% Invalid" not in text) is known
    if known:
        assert text.splitlines()[:2] in (
            ["class-map match-all SCAVENGER", " match dscp cs1 "],
            ["class-map match-all GOLD", " match dscp ef "],
        )
        assert len(text.splitlines()) == 4


def test_other_filters() -> None:
    session = at_exec()
    assert (
        session.execute("show running-config | include ^class-map")
        == "class-map match-all SCAVENGER\nclass-map match-all GOLD\n"
    )
    assert session.execute("sh run | begin ^line vty").startswith("line vty 0 4\n")
    assert "class-map" not in session.execute("show running-config | exclude class-map")
    assert session.execute("show running-config | include") == "% Incomplete command.\n\n"


def test_running_config_of_one_interface() -> None:
    session = at_exec()
    attach(session)
    text = session.execute("show running-config interface POS1/0")
    assert text.startswith("Building configuration...\n\nCurrent configuration : ")
    assert "!\ninterface POS1/0\n" in text
    assert " service-policy input TRUSTED\n" in text
    assert text.endswith("end\n\n")
    assert "hostname" not in text
    assert "% Invalid" in session.execute("show running-config interface POS9/0")


@pytest.mark.parametrize(("kind", "known"), [(GSR, False), (T2, False), (T3, True), (HQF, True)])
def test_archive(kind: tuple[str, str], known: bool) -> None:
    """ios-facts 2.1, 3.8: in no list for 12.0S"""
    session = at_exec(kind)
    text = session.execute("show archive config differences")
    assert ("% Invalid" not in text) is known
    if known:
        assert "+class-map match-all GOLD" in text
        session.execute("write memory")
        assert "!No changes were found" in session.execute("show archive config differences")


def test_configure_replace_exists_where_the_list_says() -> None:
    for kind, known in ((GSR, False), (T2, False), (T3, True), (HQF, True)):
        reply = at_exec(kind).execute("configure replace disk0:x force")
        assert ("% Invalid" not in reply) is known


def test_inventory_of_the_trains_that_have_it() -> None:
    assert "SN: TBM" in at_exec(GSR).execute("show inventory")
    assert "% Invalid" in at_exec(T2).execute("show inventory")


def test_class_map_and_policy_map() -> None:
    session = at_exec()
    text = session.execute("show class-map GOLD")
    assert text == " Class Map match-all GOLD (id 1)\n   Match  dscp ef (46)\n\n"
    text = session.execute("show policy-map TRUSTED")
    assert text.splitlines()[:4] == [
        "  Policy Map TRUSTED",
        "    Class GOLD",
        "      police cir percent 5",
        "        conform-action transmit ",
    ]
    assert "% policy-map X not found" in session.execute("show policy-map X")


def test_access_lists() -> None:
    session = at_exec(
        load="ipv6 access-list L\n permit ipv6 any host 2001:db8::1\nip access-list extended F\n permit ip any any\n"
    )
    assert (
        session.execute("show ipv6 access-list L")
        == "IPv6 access list L\n    permit ipv6 any host 2001:DB8::1 sequence 10\n"
    )
    assert session.execute("show access-lists F") == "Extended IP access list F\n    10 permit ip any any\n"


def test_policy_on_an_interface_in_the_old_era() -> None:
    """samples S11"""
    session = at_exec(GSR)
    attach(session)
    text = session.execute("show policy-map interface POS1/0")
    for line in (
        " POS1/0", "  Service-policy input:TRUSTED", "    Class-map:GOLD (match-all)", "      Match:dscp 46 ",
        "          7750000 bps, 242187 limit", "          conformed 0 packets, 0 bytes; action:transmit",
        "          exceeded 0 packets, 0 bytes; action:drop", "          conformed 0 bps, exceed 0 bps",
    ):  # fmt: skip
        assert line in text.splitlines(), line


@pytest.mark.parametrize("kind", [T3, T4, HQF])
def test_policy_on_an_interface_in_the_new_era(kind: tuple[str, str]) -> None:
    """samples S3"""
    session = at_exec(kind)
    attach(session)
    lines = session.execute("show policy-map interface POS1/0 input").splitlines()
    at = lines.index("    Class-map: GOLD (match-all)")
    assert lines[at : at + 14] == [
        "    Class-map: GOLD (match-all)",
        "      0 packets, 0 bytes",
        "      5 minute offered rate 0 bps, drop rate 0 bps",
        "      Match:  dscp ef (46) ",
        "      police:",
        "          cir 5 %",
        "          cir 7750000 bps, bc 242187 bytes",
        "        conformed 0 packets, 0 bytes; actions:",
        "          transmit ",
        "        exceeded 0 packets, 0 bytes; actions:",
        "          drop ",
        "        conformed 0 bps, exceed 0 bps",
        "",
        "    Class-map: SCAVENGER (match-all)",
    ]


def test_queueing_per_era() -> None:
    llq = (
        BASELINE
        + "policy-map CORE\n class GOLD\n  priority percent 10\n class class-default\n  fair-queue\n  random-detect dscp-based\n"
    )
    for kind, line in (
        (T3, "        Bandwidth 15500 (kbps) Burst 387500 (Bytes)"),
        (HQF, "      Priority: 10% (15500 kbps), burst bytes 387500, b/w exceed drops: 0"),
    ):
        session = at_exec(kind, llq)
        attach(session, "CORE", "output")
        assert line in session.execute("show policy-map interface POS1/0 output").splitlines()
    session = at_exec(XE, BASELINE + "policy-map CORE\n class GOLD\n  priority\n")
    attach(session, "CORE", "output")
    assert "Priority: Strict, b/w exceed drops: 0" in session.execute("show policy-map interface POS1/0")


def test_marking_is_not_counted_on_xe() -> None:
    """ios-facts 2.4"""
    for kind, text in ((XE, "Marker statistics: Disabled"), (T3, "Packets marked 0")):
        session = at_exec(kind)
        attach(session, "UNTRUSTED")
        shown = session.execute("show policy-map interface POS1/0")
        assert "dscp default" in shown
        assert text in shown


def test_policy_on_a_pvc_and_selection() -> None:
    session = at_exec()
    attach(session)
    typed(session, "conf t\ninterface ATM5/0.1\npvc 0/32\nservice-policy input UNTRUSTED\nend")
    text = session.execute("show policy-map interface")
    assert " ATM5/0.1: VC 0/32 -" in text
    assert "TRUSTED" in session.execute("show policy-map interface ATM5/0.1")
    assert session.execute("show policy-map interface POS1/0 output") == ""


def test_clock_users_and_privilege() -> None:
    router = device(T3, Clock(1_100_000_000.25))
    session = router.open_session(privilege=15)
    router.open_session("other")
    assert session.execute("show clock") == "11:33:20.250 UTC Tue Nov 9 2004\n"
    users = session.execute("show users")
    assert re.search(r"^\* 2 vty 0 +noc", users, re.M)
    assert re.search(r"^  3 vty 1 +other", users, re.M)
    assert session.execute("show privilege") == "Current privilege level is 15\n"


@pytest.mark.parametrize("kind", ALL)
def test_every_train_boots_silently(kind: tuple[str, str]) -> None:
    router = device(kind)
    assert router.boot_messages == []
    assert not router.unsaved


@pytest.mark.parametrize("on", [False, True])
def test_timestamps_before_output(on: bool) -> None:
    """ios-facts 3.5"""
    session = device(T3, switches={"exec_timestamp": on}).open_session(privilege=15)
    assert session.execute("show privilege").startswith("Load for five secs: ") is on


@pytest.mark.parametrize("limit", [True, False])
def test_as_many_logins_as_vtys(limit: bool) -> None:
    router = device(T3, switches={"vty_limit": limit})
    for _ in range(4):
        router.open_session()
    assert not router.vty_full
    router.open_session()
    assert router.vty_full is limit
