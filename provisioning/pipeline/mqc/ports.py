"""Protocol and port names that IOS prints in access lists instead of numbers (ios-facts N31)."""

from __future__ import annotations

from typing import Final

PROTOCOLS: Final[dict[str, str]] = {
    "1": "icmp",
    "2": "igmp",
    "4": "ipinip",
    "6": "tcp",
    "17": "udp",
    "47": "gre",
    "50": "esp",
    "51": "ahp",
    "88": "eigrp",
    "89": "ospf",
    "94": "nos",
    "103": "pim",
    "108": "pcp",
    "132": "sctp",
}
_BOTH: Final = {
    "discard": 9,
    "domain": 53,
    "echo": 7,
    "pim-auto-rp": 496,
    "sunrpc": 111,
    "tacacs": 49,
    "talk": 517,
}
_BOTH_TIME: Final = {**_BOTH, "time": 37, "syslog": 514}
TCP_PORTS: Final[dict[str, int]] = {
    **_BOTH_TIME,
    "bgp": 179,
    "chargen": 19,
    "cmd": 514,
    "daytime": 13,
    "exec": 512,
    "finger": 79,
    "ftp": 21,
    "ftp-data": 20,
    "gopher": 70,
    "hostname": 101,
    "ident": 113,
    "irc": 194,
    "klogin": 543,
    "kshell": 544,
    "login": 513,
    "lpd": 515,
    "msrpc": 135,
    "nntp": 119,
    "pop2": 109,
    "pop3": 110,
    "smtp": 25,
    "telnet": 23,
    "uucp": 540,
    "whois": 43,
    "www": 80,
}
UDP_PORTS: Final[dict[str, int]] = {
    **_BOTH_TIME,
    "biff": 512,
    "bootpc": 68,
    "bootps": 67,
    "dnsix": 195,
    "isakmp": 500,
    "mobile-ip": 434,
    "nameserver": 42,
    "netbios-dgm": 138,
    "netbios-ns": 137,
    "netbios-ss": 139,
    "non500-isakmp": 4500,
    "ntp": 123,
    "rip": 520,
    "ripv6": 521,
    "snmp": 161,
    "snmptrap": 162,
    "tftp": 69,
    "who": 513,
    "xdmcp": 177,
}


def port(protocol: str, word: str) -> str:
    """The port number as text for a number or a name of that protocol; an unknown name stays itself."""
    table = UDP_PORTS if protocol == "udp" else TCP_PORTS
    return str(table.get(word.lower(), word))
