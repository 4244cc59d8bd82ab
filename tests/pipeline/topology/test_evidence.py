"""The forms in which somebody hands in a path: tables and traceroutes as they are printed, clocks, and what is none of them."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.topology import (
    LARGEST_TEXT,
    Seen,
    Table,
    Trace,
    printed_at,
    read_evidence,
    read_isis_database,
    read_table,
    read_trace,
)

# After the form of IOS 12.2 to 15 (`show ip route`, as the templates of ntc-templates have it).
IP_ROUTE = """uk6#sh ip route
Codes: C - connected, S - static, R - RIP, M - mobile, B - BGP
       i - IS-IS, su - IS-IS summary, L1 - IS-IS level-1, L2 - IS-IS level-2

Gateway of last resort is 194.0.0.2 to network 0.0.0.0

     172.16.0.0/26 is subnetted, 1 subnets
i L2    172.16.1.0 [115/10] via 10.0.1.2, Serial0/0
                   [115/10] via 10.0.2.2, Serial0/1
     10.0.0.0/8 is variably subnetted, 2 subnets, 2 masks
C       10.0.1.0/24 is directly connected, Serial0/0
i L2    10.0.5.0/26 [115/20] via 10.0.1.2, 00:12:03, POS2/1
B    192.0.2.0/24 [200/0] via 10.0.5.1, 2w3d
S    198.51.100.0/24 is directly connected, Null0
O*E2 0.0.0.0/0 [110/1] via 194.0.0.2, 00:05:35, FastEthernet0/0
uk6#
"""
IPV6_ROUTE = """IPv6 Routing Table - default - 5 entries
Codes: C - Connected, L - Local, S - Static, U - Per-user Static route
       I1 - ISIS L1, I2 - ISIS L2, IA - ISIS interarea
I2  2001:648::/32 [115/40]
     via FE80::A8BB:CCFF:FE00:110, POS2/0
     via FE80::A8BB:CCFF:FE00:310, POS2/1
I2  2001:798:17::1/128 [115/30]
     via FE80::A8BB:CCFF:FE00:110, POS2/0
B   2001:660::/32 [200/0]
     via 2001:798:17::1
C   2001:798:0:6::/64 [0/0]
     via POS2/0, directly connected
L   FF00::/8 [0/0]
     via Null0, receive
"""
CEF = """Prefix               Next Hop             Interface
0.0.0.0/0            172.17.40.1          Tunnel0
0.0.0.0/8            drop
10.0.0.0/16          172.17.40.1          POS2/0
                     172.17.41.1          POS2/1
10.191.64.0/24       attached             GigabitEthernet0/0
10.191.64.0/32       receive              GigabitEthernet0/0
"""
IPV6_CEF = """2001:648::/32
  nexthop FE80::2 POS2/0
  nexthop FE80::3 POS2/1
2001:630::/32
  attached to POS1/0
"""
# Table 2 of "QoS experiences in native IPv6 networks".
TRACE = """traceroute to 2001:648:0:1002:20c:6eff:fec7:9160
(2001:648:0:1002:20c:6eff:fec7:9160)
from 2001:630:8:4:204:23ff:fe52:1b4a, 30 hops max, 16 byte packets

 1 2001:630:8:4::1 (2001:630:8:4::1) 0.446 ms 0.367 ms 0.361 ms
 2 po3-1.rtr1.ipv6.ja.net (2001:630:0:1::31) 0.607 ms 0.641 ms 0.476 ms
 3 janet.uk6.uk.6net.org (2001:798:28:200::1) 0.736 ms 0.94 ms 0.605 ms
 4 uk.nl6.nl.6net.org (2001:798:0:6::1) 9.354 ms 9.425 ms 9.225 ms
 5 nl.de6.de.6net.org (2001:798:0:5::1) 18.099 ms 109.866 ms 17.851 ms
 6 de.gr6.gr.6net.org (2001:798:0:b::2) 58.321 ms 58.293 ms 58.202 ms
 7 2001:798:17:200::2 (2001:798:17:200::2) 58.075 ms 58.167 ms 58.072 ms
 8 2001:648:0:1002:20c:6eff:fec7:9160 (2001:648:0:1002:20c:6eff:fec7:9160)
58.568 ms 58.205 ms *
"""
CLOCK = "Load for five secs: 1%/0%; one minute: 2%; five minutes: 3%\nTime source is NTP, 18:56:04.554 UTC Mon Oct 17 2016\n"


def out(table: Table, prefix: str) -> set[str] | None:
    found = table.out_of(ipaddress.ip_network(prefix))
    return None if found is None else set(found)


def test_a_table_of_ipv4() -> None:
    table = read_table(IP_ROUTE)
    assert table.router == "uk6"
    assert out(table, "172.16.1.0/28") == {"serial0/0", "serial0/1"}
    assert out(table, "10.0.5.1/32") == {"pos2/1"}
    assert out(table, "192.0.2.0/25") == {"pos2/1"}, "where its next hop goes"
    assert out(table, "203.0.113.0/24") == {"fastethernet0/0"}, "by default"
    assert out(table, "198.51.100.0/24") == {"fastethernet0/0"}, "a route to nowhere is none"


def test_a_table_of_ipv6() -> None:
    table = read_table(IPV6_ROUTE, "UK6")
    assert table.router == "uk6"
    assert out(table, "2001:648:2::/48") == {"pos2/0", "pos2/1"}
    assert out(table, "2001:660::/32") == {"pos2/0"}
    assert out(table, "2001:db8::/32") is None


def test_what_a_router_forwards_by() -> None:
    table = read_table(CEF, "uk6")
    assert out(table, "10.0.7.0/24") == {"pos2/0", "pos2/1"}
    assert out(table, "10.191.64.7/32") == {"gigabitethernet0/0"}
    six = read_evidence("uk6#show ipv6 cef\n" + IPV6_CEF)
    assert isinstance(six, Table)
    assert out(six, "2001:648::/32") == {"pos2/0", "pos2/1"}
    assert out(six, "2001:630::/32") == {"pos1/0"}


def test_the_traceroute_of_the_document() -> None:
    trace = read_trace(TRACE)
    assert str(trace.goal) == "2001:648:0:1002:20c:6eff:fec7:9160"
    assert str(trace.source) == "2001:630:8:4:204:23ff:fe52:1b4a"
    assert [str(hop) for hop in trace.hops][3:6] == ["2001:798:0:6::1", "2001:798:0:5::1", "2001:798:0:b::2"]


@pytest.mark.parametrize(
    ("text", "kind"), [(IP_ROUTE, Table), ("x6#sh ip cef\n" + CEF, Table), (TRACE, Trace)]
)
def test_each_is_known_by_its_form(text: str, kind: type) -> None:
    assert isinstance(read_evidence(text), kind)
    assert isinstance(read_evidence(CLOCK + text), kind)


@pytest.mark.parametrize(
    ("text", "router", "said"),
    [
        (IPV6_ROUTE, "", "of which router"),
        (IP_ROUTE, "nl6", "of uk6"),
        ("Codes: x\nRouting Table: Mgmt\nB*    0.0.0.0/0 [20/0] via 10.1.1.1, 6d15h\n", "uk6", "VRF"),
        ("Codes: C - connected\n", "uk6", "no route"),
        (TRACE + TRACE, "", "more than one"),
        ("traceroute to 2001:db8::1 (2001:db8::1), 30 hops max\n 1  * * *\n", "", "nobody answered"),
        ("traceroute to nowhere\n 1 2001:db8::1 1 ms\n", "", "which address"),
        ("\x00\x01ELF", "", "no text"),
        ("\ufffd" * 50, "", "no text"),
        ("x" * (LARGEST_TEXT + 1), "", "longer"),
        ("", "", "show isis database detail"),
        ("y" * LARGEST_TEXT, "", "show isis database detail"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, router: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_evidence(text, router)


def database(names: str = "abcd") -> str:
    lines = []
    for name in names:
        lines += [f"{name}.00-00   * 0x00000C1A   0x5F4C   1034   0/0/0", f"  Hostname: {name}"]
        lines += [f"  Metric: 10         IS-Extended {other}.00" for other in names if other != name]
    return "\n".join(lines) + "\n"


def test_a_database_cut_off_anywhere_is_refused_or_as_good_as_whole() -> None:
    whole = database()
    known = read_isis_database(whole)
    for length in range(len(whole)):
        try:
            part = read_evidence(whole[:length])
        except InvalidInput:
            continue
        assert isinstance(part, Seen) and part == known, whole[:length][-60:]


def test_when_it_was_printed() -> None:
    assert printed_at(CLOCK + IP_ROUTE) == datetime(2016, 10, 17, 18, 56, 4, tzinfo=UTC)
    later = CLOCK.replace("18:56", "19:56")
    assert printed_at(later + CLOCK) == datetime(2016, 10, 17, 18, 56, 4, tzinfo=UTC)
    assert printed_at(CLOCK.replace("UTC", "JST")) is None
    assert printed_at(CLOCK.replace("18:56", "*18:56")) is None, "it does not trust its clock"
    assert printed_at(CLOCK.replace("Oct 17", "Feb 31")) is None
    assert printed_at(IP_ROUTE) is None
