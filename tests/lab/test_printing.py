"""How each train prints what was typed (ios-facts section 1)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.lab.routers import ALL, BASELINE, GSR, HQF, T2, T3, T4, XE, at_config, device, lines_of, typed


@pytest.mark.parametrize(
    ("kind", "switches", "printed"),
    [
        (GSR, {}, "  match dscp 46 "),  # N3b: numeric
        (GSR, {"dscp": "name"}, "  match dscp ef "),
        (T2, {}, "  match dscp ef "),  # N27: one blank to the right
        (T2, {"leading_blank": False}, " match dscp ef "),
        (T3, {}, " match dscp ef "),
        (T4, {}, " match  dscp ef "),  # N2: two blanks
        (HQF, {}, " match  dscp ef "),
        (HQF, {"match_blanks": 1}, " match dscp ef "),
        (XE, {}, " match dscp ef "),
        (XE, {"trailing_blank": False}, " match dscp ef"),  # N1
        (XE, {"indent": 2}, "  match dscp ef "),
    ],
)
def test_match_dscp(kind: tuple[str, str], switches: dict[str, Any], printed: str) -> None:
    session = at_config(kind, load="class-map GOLD\n match dscp 46\n", switches=switches)
    base = " " if kind == T2 and not switches else ""
    assert lines_of(session, f"{base}class-map") == [f"{base}class-map match-all GOLD", printed]  # N8


@pytest.mark.parametrize(
    ("kind", "switches", "printed"),
    [
        (GSR, {}, ["    police cir percent 5 conform-action transmit  exceed-action drop "]),
        (XE, {}, ["  police cir percent 5 conform-action transmit  exceed-action drop "]),
        (T3, {}, ["  police cir percent 5", "    conform-action transmit ", "    exceed-action drop "]),
        (HQF, {}, ["   police cir percent 5", "     conform-action transmit ", "     exceed-action drop "]),
        (T2, {}, ["   police cir percent 5", "     conform-action transmit ", "     exceed-action drop "]),
        (T3, {"police_shape": "C"}, ["  police cir percent 5"]),
        (
            GSR,
            {"police_shape": "A"},
            ["    police cir percent 5", "      conform-action transmit ", "      exceed-action drop "],
        ),
    ],
)
@pytest.mark.parametrize(
    "how", ["police cir percent 5", "police cir percent 5 conform-action transmit exceed-action drop"]
)
def test_three_shapes_of_police(
    kind: tuple[str, str], switches: dict[str, Any], printed: list[str], how: str
) -> None:
    """N14, N16: no bc, no be; the defaults filled in or left out, whatever was typed."""
    session = at_config(
        kind, load=f"class-map GOLD\n match dscp 46\npolicy-map P\n class GOLD\n  {how}\n", switches=switches
    )
    base = " " if kind == T2 else ""
    unit = "  " if kind == GSR else " "
    assert lines_of(session, f"{base}policy-map P") == [
        f"{base}policy-map P",
        f"{base}{unit}class GOLD",
        *printed,
    ]


@pytest.mark.parametrize(
    ("kind", "typed_line", "printed"),
    [
        (GSR, "police 10000000", "police 10000000 312500 312500 conform-action transmit  exceed-action drop "),
        (T3, "police 10000000", "police 10000000|  conform-action transmit |  exceed-action drop "),
        (HQF, "police 10000000", "police 10000000"),
        (T3, "police cir 128000 bc 8000", "police cir 128000 bc 8000|  conform-action transmit |  exceed-action drop "),
        (T3, "police cir percent 20 bc 300 ms be 400 ms",
         "police cir percent 20 bc 300 ms be 400 ms|  conform-action transmit |  exceed-action drop |  violate-action drop "),
        (XE, "police rate percent 5", "police rate percent 5 conform-action transmit  exceed-action drop "),
        (XE, "police cir percent 5 pir percent 10",
         "police cir percent 5 pir percent 10 conform-action transmit  exceed-action drop  violate-action drop "),
        (T3, "police cir 64000 exceed-action set-dscp-transmit 0",
         "police cir 64000|  conform-action transmit |  exceed-action set-dscp-transmit default"),
    ],
)  # fmt: skip
def test_other_policers(kind: tuple[str, str], typed_line: str, printed: str) -> None:
    """N15, N17-N19"""
    session = at_config(kind, load=f"policy-map P\n class class-default\n  {typed_line}\n")
    found = lines_of(session, "policy-map P")[2:]
    depth = len(found[0]) - len(found[0].lstrip())
    assert "|".join(line[depth:] for line in found) == printed


@pytest.mark.parametrize(
    ("typed_line", "printed"),
    [
        ("police cir percent 86 exceed-action set-dscp-transmit 0 violate-action drop",
         "police cir percent 86|  exceed-action set-dscp-transmit default|  violate-action drop "),
        ("police 10000000 8000 16000 conform-action transmit exceed-action transmit violate-action drop",
         "police 10000000 8000 16000|  exceed-action transmit |  violate-action drop "),
        ("police cir percent 20 be 400 ms violate-action drop", "police cir percent 20 be 400 ms"),
        ("police cir 64000 pir 128000 violate-action drop", "police cir 64000 pir 128000"),
    ],
)  # fmt: skip
def test_a_default_is_left_out_only_where_something_else_says_it(typed_line: str, printed: str) -> None:
    """N16: a third colour that is written nowhere would be gone at the next boot."""
    load = f"policy-map P\n class class-default\n  {typed_line}\n"
    session = at_config(T3, load=load, switches={"police_shape": "C"})
    found = lines_of(session, "policy-map P")[2:]
    depth = len(found[0]) - len(found[0].lstrip())
    assert "|".join(line[depth:] for line in found) == printed


def test_expanded_bursts_are_a_switch() -> None:
    """N15"""
    load = "policy-map P\n class class-default\n  police 10000000\n"
    assert (
        "police 10000000 conform"
        in at_config(GSR, load=load, switches={"expand_bursts": False}).device.body()
    )


@pytest.mark.parametrize("kind", ALL)
def test_values_are_sorted_and_two_blanks_apart(kind: tuple[str, str]) -> None:
    """N5, N6"""
    session = at_config(
        kind, load="class-map match-any X\n match ip precedence 5 2 4 3\n match dscp af22 18 22\n"
    )
    lines = [line.strip() for line in session.device.body().splitlines()]
    assert "match ip precedence 2  3  4  5" in lines
    wanted = "18  20  22" if kind == GSR else "af21  af22  af23"
    assert any(re.fullmatch(rf"match +dscp {wanted}", line) for line in lines)


def test_ip_dscp_keeps_its_ip_and_numbers_without_a_name_stay() -> None:
    """N3, N4, N12"""
    load = (
        "class-map X\n match ip dscp 46\nclass-map Y\n match dscp 45\n"
        "policy-map P\n class X\n  set ip dscp 0\n class Y\n  set dscp 8\n"
    )
    body = at_config(T3, load=load).device.body()
    for line in (" match ip dscp ef \n", " match dscp 45 \n", "  set ip dscp default\n", "  set dscp cs1\n"):
        assert line in body


def test_match_not() -> None:
    """N7"""
    load = "class-map O\n match not dscp 8\n match not dscp 46\n"
    assert lines_of(at_config(GSR, load=load), "class-map")[1:] == [
        "  match not dscp 8 ",
        "  match not dscp 46 ",
    ]
    assert lines_of(at_config(HQF, load=load), "class-map")[1:] == [
        " match not  dscp cs1 ",
        " match not  dscp ef ",
    ]


@pytest.mark.parametrize(("order", "names"), [("newest-first", ["C", "B", "A"]), ("entry", ["A", "B", "C"])])
def test_order_of_class_maps(order: str, names: list[str]) -> None:
    """N25"""
    load = "".join(f"class-map {name}\n match any\n" for name in "ABC")
    body = at_config(T3, load=load, switches={"class_map_order": order}).device.body()
    assert re.findall(r"class-map match-all (\w)", body) == names


def test_order_of_classes_is_kept_and_class_default_is_last() -> None:
    """N26"""
    session = at_config(T3, load=BASELINE)
    typed(session, "class-map NEW\n match dscp 10\npolicy-map TRUSTED\n class NEW\n  set dscp 0")
    assert re.findall(r"^ class (\S+)", "\n".join(lines_of(session, "policy-map TRUSTED")), re.M) == [
        "GOLD", "SCAVENGER", "NEW", "class-default",
    ]  # fmt: skip


@pytest.mark.parametrize(("order", "first"), [("entry", "set dscp ef"), ("fixed", "police cir percent 5")])
def test_order_of_actions(order: str, first: str) -> None:
    """N24"""
    load = "policy-map P\n class class-default\n  set dscp 46\n  police cir percent 5\n"
    session = at_config(T3, load=load, switches={"action_order": order})
    assert lines_of(session, "policy-map P")[2].strip() == first


def test_queueing_actions() -> None:
    """N20-N23, N30"""
    load = (
        "class-map A\n match dscp 46\nclass-map B\n match dscp 10\npolicy-map P\n class A\n  priority percent 10\n class B\n"
        "  bandwidth percent 10\n  random-detect dscp 10 20 40\n class class-default\n  fair-queue\n  random-detect\n"
        "policy-map S\n class class-default\n  shape average 2000000\n  service-policy P\n"
    )
    lines = [line.strip(" ") for line in at_config(T3, load=load).device.body().splitlines()]
    raw = at_config(T3, load=load).device.body()
    at = lines.index("bandwidth percent 10")
    assert lines[at + 1 : at + 3] == [
        "random-detect dscp-based",
        "random-detect dscp af11   20   40   10",
    ]  # N23
    assert "bandwidth percent 10 \n" in raw
    assert "shape average 2000000\n" in raw
    assert "shape average 2000000   \n" in at_config(HQF, load=load).device.body()
    assert "shape average 2000000 50000 50000\n" in at_config(T2, load=load).device.body()


def test_child_is_printed_before_its_parent() -> None:
    load = (
        "policy-map B\n class class-default\n  set dscp 0\npolicy-map A\n"
        " class class-default\n  shape average 64000\n  service-policy B\n"
    )
    session = at_config(T3, load=load)
    typed(
        session,
        "policy-map C\n class class-default\n  set dscp 8\npolicy-map A\n class class-default\n  service-policy C",
    )
    body = session.device.body()
    assert body.index("policy-map C") < body.index("policy-map A")


@pytest.mark.parametrize(
    ("kind", "printed"),
    [
        (GSR, [" permit ipv6 2001:DB8::/32 any",
             " sequence 15 permit udp any host 2001:DB8::1 eq ntp",
             " deny ipv6 any any dscp 46 flow-label 99 log"]),
        (T3, [" permit ipv6 2001:DB8::/32 any",
             " sequence 15 permit udp any host 2001:DB8::1 eq ntp",
             " deny ipv6 any any dscp ef flow-label 99 log"]),
        (XE, [" sequence 10 permit ipv6 2001:DB8::/32 any",
             " sequence 15 permit udp any host 2001:DB8::1 eq ntp",
             " sequence 25 deny ipv6 any any dscp ef flow-label 99 log"]),
    ],
)  # fmt: skip
def test_ipv6_access_list(kind: tuple[str, str], printed: list[str]) -> None:
    """N31, N32, N34"""
    session = at_config(kind)
    assert set(
        typed(
            session,
            "ipv6 access-list L\n permit ipv6 2001:db8:0::5/32 any\n sequence 15 permit 17 ::/0 2001:db8::1/128 eq 123",
        )
    ) == {""}
    session.execute(" deny ipv6 any any log flow-label 99 dscp 46")
    assert lines_of(session, "ipv6 access-list L")[1:] == printed


def test_flow_label_order_is_a_switch() -> None:
    """N34, U6"""
    load = "ipv6 access-list L\n permit ipv6 any any dscp 46 flow-label 7\n"
    session = at_config(T3, load=load, switches={"flow_label_order": "before-dscp"})
    assert lines_of(session, "ipv6 access-list")[1] == " permit ipv6 any any flow-label 7 dscp ef"


def test_ipv4_access_lists() -> None:
    """N33, N35"""
    load = (
        "ip access-list extended V4\n remark people\n permit ip 192.0.2.77 0.0.0.63 any\n"
        " deny ip any any\naccess-list 101 permit ip any any\n"
    )
    assert lines_of(at_config(T3, load=load), "ip access-list")[1:] == [
        " remark people", " permit ip 192.0.2.64 0.0.0.63 any", " deny   ip any any",
    ]  # fmt: skip
    assert "access-list 101 permit ip any any" in at_config(T3, load=load).device.body()
    xe = at_config(("cisco-iosxe", "17.3.4"), load=load)
    assert lines_of(xe, "ip access-list")[2:] == [
        " 20 permit ip 192.0.2.64 0.0.0.63 any",
        " 30 deny   ip any any",
    ]


def test_whole_running_config() -> None:
    router = device(T3)
    router.load(BASELINE)
    text = router.running_config()
    head, _, body = text.partition("\n!\n")
    assert head == f"Building configuration...\n\nCurrent configuration : {len(text) - len(head) - 2} bytes"
    assert "! Last configuration change at " in body
    assert text.endswith("\nend\n\n")
    for line in (
        "version 12.3",
        "hostname r1",
        "snmp-server community",
        "banner motd ^C",
        "ntp clock-period",
        "line vty 0 4",
    ):
        assert line in text


def test_clock_period_drifts_and_is_not_a_change() -> None:
    """N36"""
    router = device(T3)
    before = re.findall(r"clock-period (\d+)", router.body())
    router.clock.now += 33  # type: ignore[attr-defined]
    assert re.findall(r"clock-period (\d+)", router.body()) != before
    assert not router.unsaved


def test_interfaces_and_pvcs() -> None:
    """N29"""
    session = at_config(T3, load=BASELINE)
    typed(
        session,
        "interface ATM5/0.1\n pvc 0/32\n service-policy input TRUSTED\ninterface POS1/0\n service-policy input UNTRUSTED",
    )
    assert lines_of(session, "interface ATM5/0.1") == [
        "interface ATM5/0.1 point-to-point", " pvc 0/32 ", "  vbr-nrt 34368 34368", "  encapsulation aal5snap",
        "  service-policy input TRUSTED", " !",
    ]  # fmt: skip
    assert " service-policy input UNTRUSTED" in lines_of(session, "interface POS1/0")
    assert " ipv6 address 2001:DB8:6::1/64" in lines_of(session, "interface POS2/0")
