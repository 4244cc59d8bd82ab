"""Traffic through an attachment: classification, token buckets, marking (ios-facts 1.3, 4.1, 4.2)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from lab import policies
from lab.errors import SpecError
from tests.lab.routers import BASELINE, GSR, T3, at_config, typed

HTTP = {"dscp": 0, "bytes": 1000, "rate_bps": 1_000_000}


def run(
    policy: str,
    packets: list[dict[str, Any]],
    load: str = BASELINE,
    seconds: float = 10,
    interface: str = "POS1/0",
    **more: Any,
):
    session = at_config(more.pop("kind", T3), load=load, **more)
    replies = typed(session, f"interface {interface}\nservice-policy input {policy}\nend")
    assert set(replies) == {""}
    return policies.traffic(session.device, (interface, None, "input"), packets, seconds), session


def test_within_the_share_everything_conforms() -> None:
    table, _ = run("TRUSTED", [{"dscp": 46, "bytes": 996, "rate_bps": 5_000_000}])
    gold = table["GOLD"]
    assert gold.packets == gold.conformed.packets
    assert gold.bytes == gold.packets * 1000  # four bytes of HDLC on a POS line
    assert gold.exceeded.packets == 0
    assert gold.drop_rate == 0


def test_above_the_share_the_rest_exceeds_after_the_burst() -> None:
    table, _ = run("TRUSTED", [{"dscp": 46, "bytes": 996, "rate_bps": 9_960_000}])
    gold = table["GOLD"]
    allowed = 7_750_000 * 10 // 8 + 242_187
    assert allowed - 2000 <= gold.conformed.bytes <= allowed
    assert gold.conformed.bytes + gold.exceeded.bytes == gold.bytes
    assert gold.drop_rate == gold.exceed_rate > 2_000_000


def test_the_default_burst_is_a_switch() -> None:
    packets = [{"dscp": 46, "bytes": 996, "rate_bps": 20_000_000}]
    large, _ = run("TRUSTED", packets, seconds=1)
    small, _ = run("TRUSTED", packets, seconds=1, switches={"default_burst": "4ms"})
    assert large["GOLD"].conformed.bytes - small["GOLD"].conformed.bytes == pytest.approx(
        242_187 - 3_875, abs=2000
    )


def test_first_class_wins_and_the_rest_is_marked() -> None:
    table, session = run("TRUSTED", [{"dscp": 8, "bytes": 500, "rate_bps": 4_000_000}, HTTP])
    assert table["SCAVENGER"].exceeded.packets > 0
    assert table["SCAVENGER"].drop_rate == 0  # exceed-action transmit: it only counts (ios-facts 0.3)
    assert table["class-default"].marked == table["class-default"].packets == 1250
    text = session.execute("show policy-map interface POS1/0") if not session.stack else ""
    assert "Packets marked 1250" in text
    assert f"conformed {table['SCAVENGER'].conformed.packets} packets" in text


FILTERED = """\
ipv6 access-list AUTH
 permit ipv6 2001:db8:1::/48 2001:db8:2::/48 flow-label 5
class-map match-any F
 match access-group name AUTH
policy-map FILTERED
 class F
  set dscp 46
  police cir percent 5 conform-action transmit exceed-action drop
 class class-default
  set dscp 0
"""


@pytest.mark.parametrize(
    ("flow", "name"),
    [
        ({"src": "2001:db8:1::1", "dst": "2001:db8:2::1", "flow_label": 5}, "F"),
        ({"src": "2001:db8:1::1", "dst": "2001:db8:2::1"}, "class-default"),
        ({"src": "2001:db8:9::1", "dst": "2001:db8:2::1", "flow_label": 5}, "class-default"),
        ({"src": "192.0.2.1", "dst": "192.0.2.2"}, "class-default"),
    ],
)
def test_access_list_decides(flow: dict[str, Any], name: str) -> None:
    table, _ = run("FILTERED", [HTTP | flow], load=FILTERED)
    assert list(table) == [name]
    assert table[name].marked == table[name].packets


@pytest.mark.parametrize(("manner", "name"), [("nothing", "class-default"), ("everything", "F")])
def test_a_missing_access_list_is_a_switch(manner: str, name: str) -> None:
    """ios-facts 2.7, U4"""
    load = FILTERED.replace("name AUTH", "name GONE")
    table, _ = run("FILTERED", [HTTP], load=load, switches={"missing_acl": manner})
    assert list(table) == [name]


def test_ip_dscp_does_not_see_ipv6() -> None:
    """ios-facts N4"""
    load = BASELINE.replace("match dscp 46", "match ip dscp 46")
    ef = {"dscp": 46, "bytes": 100, "rate_bps": 80_000}
    assert "GOLD" not in run("TRUSTED", [ef | {"src": "2001:db8::1"}], load=load)[0]
    assert "GOLD" in run("TRUSTED", [ef | {"src": "192.0.2.1"}], load=load)[0]


def test_two_rates_and_three_colours() -> None:
    load = (
        "policy-map P\n class class-default\n"
        "  police cir 1000000 bc 10000 pir 2000000 be 10000 conform-action transmit"
        " exceed-action set-dscp-transmit 0 violate-action drop\n"
    )
    table, _ = run("P", [{"dscp": 0, "bytes": 996, "rate_bps": 3_000_000}], load=load)
    seen = table["class-default"]
    assert seen.conformed.bytes == pytest.approx(1_000_000 / 8 * 10 + 10_000, abs=2000)
    assert seen.exceeded.bytes == pytest.approx(1_000_000 / 8 * 10, abs=12_000)
    assert seen.violated.bytes > 1_000_000
    assert seen.drop_rate == seen.violate_rate


def test_a_child_sees_what_its_parent_lets_through() -> None:
    load = (
        BASELINE
        + "policy-map PARENT\n class class-default\n  police cir 2000000 bc 62500\n  service-policy TRUSTED\n"
    )
    table, session = run("PARENT", [{"dscp": 46, "bytes": 996, "rate_bps": 3_984_000}], load=load)
    parent, child = table["class-default"], table["class-default/GOLD"]
    assert child.packets == parent.conformed.packets
    assert child.conformed.bytes == pytest.approx(100_000 * 10 // 8 + 3125, abs=2000)  # 5 % of 2 Mbit/s
    assert f"{child.packets} packets, {child.bytes} bytes" in session.execute(
        "show policy-map interface POS1/0"
    )


def test_clear_counters() -> None:
    table, session = run("TRUSTED", [HTTP], kind=GSR)
    session.execute("clear counters")
    session.execute("")
    assert "Packets marked 0" in session.execute("show policy-map interface POS1/0")
    assert table["class-default"].packets == 1250


@pytest.mark.parametrize(
    "packets",
    [
        [],
        [{"dscp": 46, "bytes": 100}],
        [HTTP | {"dscp": 64}],
        [HTTP | {"rate_bps": 10**12}],
        [HTTP | {"src": "nowhere"}],
    ],
)
def test_wrong_traffic(packets: list[dict[str, Any]]) -> None:
    with pytest.raises(SpecError):
        run("TRUSTED", packets)


def test_traffic_where_nothing_is_attached() -> None:
    session = at_config(T3)
    with pytest.raises(SpecError):
        policies.traffic(session.device, ("POS1/0", None, "input"), [HTTP], 1)


def test_each_match_line_of_a_match_any_class_counts_its_own() -> None:
    session = at_config(T3)
    lines = "class-map match-any BOTH\nmatch dscp 46\nmatch dscp 8\nclass-map match-all ONE\nmatch dscp 0"
    policy = "policy-map P\nclass BOTH\nset dscp 46\nclass ONE\nset dscp 0"
    bind = "interface POS1/0\nservice-policy input P\nend"
    assert set(typed(session, f"{lines}\n{policy}\n{bind}")) == {""}
    packets = [
        {"dscp": 46, "bytes": 996, "rate_bps": 800_000},
        {"dscp": 8, "bytes": 496, "rate_bps": 100_000},
    ]
    policies.traffic(session.device, ("POS1/0", None, "input"), packets, 10)
    shown = session.execute("show policy-map interface POS1/0")
    both = shown.partition("BOTH")[2].partition("ONE")[0]
    counted = [int(each) for each in re.findall(r"^ +(\d+) packets, \d+ bytes", both, re.MULTILINE)]
    assert counted[0] == counted[1] + counted[2]
    assert counted[1] == pytest.approx(1004, abs=2)
    assert counted[2] == pytest.approx(252, abs=2)
    assert len(counted) == 3
