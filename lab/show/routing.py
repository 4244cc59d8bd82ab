"""``show bgp``, ``show clns neighbors``, ``show isis neighbors``, ``show ip ospf neighbor``: who the router speaks routing with.

BGP sessions are those of its ``neighbor ... remote-as`` lines; an adjacency stands on every interface that is up and runs the
protocol, with the neighbour that its description names. Formats are those of public outputs (test data of NAPALM and of
genieparser, Cisco's command references).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lab.cursor import Cursor
from lab.faults import Fault
from lab.mode import Login
from lab.names import parent_of

_REMOTE = re.compile(r"^neighbor (\S+) remote-as (\d+)$")
_FAMILIES = ("ipv4 unicast", "ipv6 unicast")
_TITLES = {"ipv4 unicast": "IPv4 Unicast", "ipv6 unicast": "IPv6 Unicast"}
_NOBODY = "0.0.0.0"  # noqa: S104 - what a router prints of a neighbour that never answered
_SHORT = (("TenGigabitEthernet", "Te"), ("GigabitEthernet", "Gi"), ("FastEthernet", "Fa"), ("Serial", "Se"),
          ("POS", "PO"), ("ATM", "AT"), ("Loopback", "Lo"), ("Tunnel", "Tu"))  # fmt: skip


@dataclass(frozen=True)
class Peer:
    """A BGP neighbour as configured."""

    address: str
    remote_as: str
    up: bool

    @property
    def family(self) -> str:
        return "ipv6 unicast" if ":" in self.address else "ipv4 unicast"


def lost(session: Login, name: str) -> bool:
    """Whether a fault keeps the neighbour away: for good, or while the policy it names is bound."""
    return any(item.neighbour.lower() == name.lower() for item in _at_work(session, "neighbour-lost"))


def _at_work(session: Login, kind: str) -> list[Fault]:
    """The faults of a kind that are permanent, or whose policy is bound."""
    bound = [policy for _point, policy in session.config.attachments()]
    return [
        item
        for item in session.device.faults.items
        if item.kind == kind and (item.match is None or any(item.match.search(policy) for policy in bound))
    ]


def _local_as(session: Login) -> str | None:
    headers = (header.split() for header in session.config.blocks)
    return next((words[2] for words in headers if words[:2] == ["router", "bgp"]), None)


def _peers(session: Login) -> list[Peer]:
    block = session.config.blocks[f"router bgp {_local_as(session)}"]
    found = [match.groups() for line in block.lines if (match := _REMOTE.match(line))]
    return [Peer(address, number, not lost(session, address)) for address, number in found]


def _router_id(session: Login) -> str:
    loopback = session.config.interfaces["Loopback0"].ip
    return loopback.split()[0] if loopback else "192.0.2.1"


def bgp(session: Login, cursor: Cursor) -> str:
    """``show bgp all summary`` (not on 12.0S), ``show bgp ipv4|ipv6 unicast summary|neighbors``."""
    word = cursor.keyword("ipv4", "ipv6", *(() if session.train.release.is_12_0s else ("all",)))
    if word == "all":
        cursor.keyword("summary")
        cursor.end()
        return _summaries(session, _FAMILIES, titled=True)
    family = f"{word} {cursor.keyword('unicast')}"
    what = cursor.keyword("summary", "neighbors")
    cursor.end()
    return _summaries(session, (family,)) if what == "summary" else _neighbours(session, family)


def ip_bgp(session: Login, cursor: Cursor) -> str:
    """``show ip bgp summary``."""
    cursor.keyword("summary")
    cursor.end()
    return _summaries(session, ("ipv4 unicast",))


def _summaries(session: Login, families: tuple[str, ...], *, titled: bool = False) -> str:
    number = _local_as(session)
    if number is None:
        return "% BGP not active\n"
    text = ""
    for family in families:
        peers = [peer for peer in _peers(session) if peer.family == family]
        if titled and not peers:
            continue
        lines = [f"For address family: {_TITLES[family]}"] if titled else []
        lines += [
            f"BGP router identifier {_router_id(session)}, local AS number {number}",
            "BGP table version is 2, main routing table version 2",
            "",
            "Neighbor        V           AS MsgRcvd MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd",
        ]
        for peer in peers:
            since, state = ("1d02h", "3142") if peer.up else ("00:00:04", "Active")
            row = f"4 {peer.remote_as:>12}    1336    1337        2    0    0 {since:8} {state:>8}"
            short = len(peer.address) < 16
            lines += [f"{peer.address:15} {row}"] if short else [peer.address, f"{'':16}{row}"]
        text += "\n".join(lines) + "\n\n"
    return text


def _neighbours(session: Login, family: str) -> str:
    if _local_as(session) is None:
        return "% BGP not active\n"
    text = ""
    for peer in (each for each in _peers(session) if each.family == family):
        own = peer.remote_as == _local_as(session)
        state = "Established, up for 1d02h" if peer.up else "Active"
        text += (
            f"BGP neighbor is {peer.address},  remote AS {peer.remote_as}, {'internal' if own else 'external'} link\n"
            f"  BGP version 4, remote router ID {'192.0.2.99' if peer.up else _NOBODY}\n"
            f"  BGP state = {state}\n"
            "  Last read 00:00:04, last write 00:00:26, hold time is 180, keepalive interval is 60 seconds\n"
            "  Default minimum time between advertisement runs is 30 seconds\n\n"
            f" For address family: {_TITLES[family]}\n"
            "  BGP table version 2, neighbor version 2/0\n"
            "                                 Sent       Rcvd\n"
            "  Prefix activity:               ----       ----\n"
            f"    Prefixes Current:             637       {3142 if peer.up else 0}\n\n"
            "                                   Outbound    Inbound\n"
            "  Local Policy Denied Prefixes:    --------    -------\n"
            "    Total:                                0          0\n\n"
        )
    return text


def _adjacent(session: Login, pattern: str) -> Iterator[tuple[int, str, str]]:
    """Number, neighbour and interface of each interface that is up and has such a line."""
    for number, item in enumerate(session.config.interfaces.values(), 1):
        parent = session.config.interfaces.get(parent_of(item.name))
        up = not item.shutdown and not (parent is not None and parent.shutdown)
        if (
            not up
            or item.name.startswith("Loopback")
            or not any(re.match(pattern, line) for line in item.other)
        ):
            continue
        name = (item.description or "").split()[-1:] or [f"0200.0000.{number:04d}"]
        if not lost(session, name[0]):
            yield number, name[0][:14], item.name


def _short(name: str) -> str:
    kind = next((pair for pair in _SHORT if name.startswith(pair[0])), ("", ""))
    return kind[1] + name.removeprefix(kind[0])


def clns(session: Login, cursor: Cursor) -> str:
    """``show clns neighbors``."""
    cursor.keyword("neighbors")
    cursor.end()
    tags = [header.split()[2] for header in session.config.blocks if re.match(r"router isis \S", header)]
    lines = [f"\nTag {tag}:" for tag in tags]
    lines.append("System Id      Interface   SNPA                State  Holdtime  Type Protocol")
    for _number, name, interface in _adjacent(session, r"ip(v6)? router isis"):
        snpa = "*HDLC*" if interface.startswith(("POS", "Serial")) else "aabb.cc00.0200"
        lines.append(f"{name:14} {_short(interface):11} {snpa:19} Up     25        L2   M-ISIS")
    return "\n".join(lines) + "\n"


def isis(session: Login, cursor: Cursor) -> str:
    """``show isis neighbors``; an adjacency without IPv4 has a blank where the address would be."""
    cursor.keyword("neighbors")
    cursor.end()
    lines = ["", "System Id      Type Interface   IP Address      State Holdtime Circuit Id"]
    for number, name, interface in _adjacent(session, r"ip(v6)? router isis"):
        lines.append(f"{name:14} L2   {_short(interface):11} {'':15} UP    25       {number:02X}")
    return "\n".join(lines) + "\n"


def ospf(session: Login, cursor: Cursor) -> str:
    """``show ip ospf neighbor``."""
    cursor.keyword("neighbor")
    cursor.end()
    lines = ["", "Neighbor ID     Pri   State           Dead Time   Address         Interface"]
    for number, _name, interface in _adjacent(session, r"ip ospf "):
        if not lost(session, f"192.0.2.{100 + number}"):
            address = f"198.51.100.{number}"
            lines.append(
                f"{f'192.0.2.{100 + number}':15}   0   FULL/  -        00:00:36    {address:15} {interface}"
            )
    return "\n".join(lines) + "\n"


def ospfv3(session: Login, cursor: Cursor) -> str:
    """``show ipv6 ospf neighbor``."""
    cursor.keyword("neighbor")
    cursor.end()
    lines = ["", "Neighbor ID     Pri   State           Dead Time   Interface ID    Interface"]
    for number, _name, interface in _adjacent(session, r"ipv6 ospf "):
        if not lost(session, f"192.0.2.{100 + number}"):
            lines.append(
                f"{f'192.0.2.{100 + number}':15}   1   FULL/  -        00:00:36    {number:<15} {interface}"
            )
    return "\n".join(lines) + "\n"


def processes(session: Login, cursor: Cursor) -> str:
    """``show processes cpu``: busy while a fault says so."""
    cursor.keyword("cpu")
    cursor.end()
    now = max((item.percent for item in _at_work(session, "busy")), default=3)
    return (
        f"CPU utilization for five seconds: {now}%/{now // 2}%; one minute: {now}%; five minutes: 2%\n"
        " PID Runtime(ms)   Invoked      uSecs   5Sec   1Min   5Min TTY Process \n"
        f"   1          16     18712          0  0.00%  0.00%  0.00%   0 Load Meter       \n"
        f"   2        5316      4021       1322  {now - 1}.00%  {now - 1}.00%  1.00%   0 IP Input         \n"
    )
