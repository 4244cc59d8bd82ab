"""``show interfaces``, ``show ip ...``, ``show ipv6 ...``: BW is the percent base (ios-facts 1.4)."""

from __future__ import annotations

from lab.cursor import Cursor
from lab.errors import InvalidInput
from lab.mode import Login
from lab.names import parent_of
from lab.show import configuration, routing
from lab.store import Interface

_HARDWARE = {
    "ATM": ("ENHANCED ATM PA", "ATM", 4470), "FastEthernet": ("i82543", "ARPA", 1500),
    "GigabitEthernet": ("GigMac 4 Port GigabitEthernet", "ARPA", 1500), "Loopback": ("Loopback", "LOOPBACK", 1514),
    "POS": ("Packet over SONET", "HDLC", 4470), "Serial": ("M4T", "HDLC", 1500), "Tunnel": ("Tunnel", "TUNNEL", 1514),
}  # fmt: skip


def _is_up(session: Login, item: Interface) -> bool:
    parent = session.config.interfaces.get(parent_of(item.name))
    return not item.shutdown and not (parent is not None and parent.shutdown)


def interfaces(session: Login, cursor: Cursor) -> str:
    """All interfaces or one."""
    items = list(session.config.interfaces.values())
    if cursor.more:
        at = cursor.at
        name = cursor.interface()
        cursor.end()
        items = [item for item in items if item.name == name]
        if not items:
            raise InvalidInput(cursor.words[at].column)
    return "".join(_shown(session, item) for item in items)


def _shown(session: Login, item: Interface) -> str:
    kind = item.name.rstrip("0123456789/.")
    hardware, encapsulation, mtu = _HARDWARE.get(kind, ("Virtual", "HDLC", 1500))
    up = _is_up(session, item)
    state = "up" if up else "administratively down"
    bandwidth = session.config.bandwidth_kbit(item.name)
    lines = [
        f"{item.name} is {state}, line protocol is {'up' if up else 'down'} ",
        f"  Hardware is {hardware}",
    ]
    if item.description:
        lines.append(f"  Description: {item.description}")
    if item.ip:
        lines.append(f"  Internet address is {item.ip.split()[0]}/{_length(item.ip.split()[1])}")
    lines += [
        f"  MTU {mtu} bytes, BW {bandwidth} Kbit{'/sec' if session.train.release.is_xe else ''}, DLY 100 usec, ",
        "     reliability 255/255, txload 1/255, rxload 1/255",
        f"  Encapsulation {encapsulation}, crc 32, loopback not set" if kind == "POS" else
        f"  Encapsulation {encapsulation}, loopback not set",
    ]  # fmt: skip
    if not item.is_subinterface:
        lines += [
            "  Keepalive set (10 sec)",
            "  Last input 00:00:01, output 00:00:00, output hang never",
            '  Last clearing of "show interface" counters never',
            "  Queueing strategy: fifo",
            "  5 minute input rate 0 bits/sec, 0 packets/sec",
            "  5 minute output rate 0 bits/sec, 0 packets/sec",
            "     0 packets input, 0 bytes, 0 no buffer",
            "     0 packets output, 0 bytes, 0 underruns",
        ]
    return "\n".join(lines) + "\n"


def _length(mask: str) -> int:
    return sum(bin(int(part)).count("1") for part in mask.split("."))


def ip(session: Login, cursor: Cursor) -> str:
    """``show ip interface brief``, ``show ip bgp summary``, ``show ip ospf neighbor``."""
    word = cursor.keyword("interface", "access-lists", "bgp", "ospf")
    if word in ("bgp", "ospf"):
        return routing.ip_bgp(session, cursor) if word == "bgp" else routing.ospf(session, cursor)
    if word == "access-lists":
        return configuration.access_lists(session, cursor)
    cursor.keyword("brief")
    cursor.end()
    lines = [f"{'Interface':26} {'IP-Address':15} OK? Method {'Status':21} Protocol"]
    for item in session.config.interfaces.values():
        address = item.ip.split()[0] if item.ip else "unassigned"
        up = _is_up(session, item)
        status = "up" if up else "administratively down"
        lines.append(f"{item.name:26} {address:15} YES NVRAM  {status:21} {'up' if up else 'down'}")
    return "\n".join(lines) + "\n"


def ipv6(session: Login, cursor: Cursor) -> str:
    """``show ipv6 access-list``, ``show ipv6 interface brief`` and ``show ipv6 ospf neighbor``."""
    word = cursor.keyword("access-list", "interface", "ospf")
    if word == "ospf":
        return routing.ospfv3(session, cursor)
    if word == "access-list":
        return configuration.ipv6_access_lists(session, cursor)
    cursor.keyword("brief")
    cursor.end()
    lines: list[str] = []
    for item in session.config.interfaces.values():
        up = _is_up(session, item)
        lines.append(f"{item.name:26} [{'up' if up else 'administratively down'}/{'up' if up else 'down'}]")
        lines += [f"    {line.split('/')[0]}" for line in item.ipv6] or ["    unassigned"]
    return "\n".join(lines) + "\n"
