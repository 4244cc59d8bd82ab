"""Names the router knows: DSCP code points, interface types, port names."""

from __future__ import annotations

import re

# ios-facts N3
DSCP_NAMES: dict[int, str] = {
    0: "default", 8: "cs1", 16: "cs2", 24: "cs3", 32: "cs4", 40: "cs5", 48: "cs6", 56: "cs7",
    10: "af11", 12: "af12", 14: "af13", 18: "af21", 20: "af22", 22: "af23",
    26: "af31", 28: "af32", 30: "af33", 34: "af41", 36: "af42", 38: "af43", 46: "ef",
}  # fmt: skip
DSCP_NUMBERS = {name: number for number, name in DSCP_NAMES.items()}

PRECEDENCE_NAMES = {
    0: "routine", 1: "priority", 2: "immediate", 3: "flash", 4: "flash-override",
    5: "critical", 6: "internet", 7: "network",
}  # fmt: skip
PRECEDENCE_NUMBERS = {name: number for number, name in PRECEDENCE_NAMES.items()}

INTERFACE_TYPES = (
    "ATM", "Async", "Dialer", "Ethernet", "FastEthernet", "GigabitEthernet", "Loopback", "Null", "POS",
    "Serial", "TenGigabitEthernet", "Tunnel", "Bundle-Ether", "Port-channel", "Multilink", "Hssi", "SRP",
)  # fmt: skip
CREATABLE_TYPES = ("Loopback", "Tunnel", "Dialer", "Multilink", "Port-channel")

# ios-facts N31: ports print by name
PORT_NAMES = {
    "tcp": {7: "echo", 20: "ftp-data", 21: "ftp", 22: "22", 23: "telnet", 25: "smtp", 49: "tacacs", 53: "domain",
            70: "gopher", 79: "finger", 80: "www", 110: "pop3", 119: "nntp", 143: "143", 179: "bgp", 514: "cmd"},
    "udp": {7: "echo", 53: "domain", 67: "bootps", 68: "bootpc", 69: "tftp", 123: "ntp", 161: "snmp", 162: "snmptrap",
            500: "isakmp", 514: "syslog", 520: "rip"},
}  # fmt: skip

_INTERFACE = re.compile(r"^([A-Za-z-]+)\s*(\d+(?:/\d+)*(?::\d+)?(?:\.\d+)?)$")


def interface_type(word: str) -> list[str]:
    """The interface types a (possibly abbreviated) word may mean; an exact name means itself."""
    low = word.lower()
    exact = [name for name in INTERFACE_TYPES if name.lower() == low]
    return exact or [name for name in INTERFACE_TYPES if name.lower().startswith(low)]


def interface_name(text: str) -> str | None:
    """The full spelling of ``pos2/0`` or ``Gi 1/0``: ``POS2/0``, ``GigabitEthernet1/0``; None when it is none."""
    found = _INTERFACE.match(text.strip())
    if not found:
        return None
    types = interface_type(found.group(1))
    return types[0] + found.group(2) if len(types) == 1 else None


def slot_of(name: str) -> int | None:
    """The slot of a physical interface: 2 for POS2/0; None for Loopback0."""
    found = re.match(r"^[A-Za-z-]+(\d+)/", name)
    return int(found.group(1)) if found else None


def parent_of(name: str) -> str:
    """The main interface of a subinterface; itself otherwise."""
    return name.split(".", 1)[0]
