"""Interface names as IOS prints them, from whatever somebody typed: `pos1/0`, `PO1/0` and `POS 1/0` are POS1/0."""

from __future__ import annotations

import re
from typing import Final

_TYPES: Final = (
    *(
        "AppGigabitEthernet",
        "Async",
        "ATM",
        "BDI",
        "BRI",
        "Bundle-Ether",
        "BVI",
        "CEM",
        "CEM-ACR",
        "Cellular",
    ),
    *("CTunnel", "Dialer", "Dot11Radio", "Embedded-Service-Engine", "Ethernet", "FastEthernet", "Fddi"),
    *(
        "FiveGigabitEthernet",
        "FortyGigabitEthernet",
        "FourHundredGigE",
        "GigabitEthernet",
        "Group-Async",
        "Hssi",
    ),
    *(
        "HundredGigE",
        "HundredGigabitEthernet",
        "Integrated-Service-Engine",
        "Loopback",
        "LISP",
        "MFR",
        "Multilink",
    ),
    *(
        "Null",
        "NVI",
        "Overlay",
        "Port-channel",
        "POS",
        "POS-channel",
        "Pseudowire",
        "Serial",
        "Service-Engine",
    ),
    *(
        "SM",
        "SRP",
        "SDH",
        "SONET",
        "TenGigabitEthernet",
        "TokenRing",
        "Tunnel",
        "Tunnel-tp",
        "TwentyFiveGigE",
    ),
    *(
        "TwoGigabitEthernet",
        "UCSE",
        "Virtual-Access",
        "Virtual-Dot11Radio",
        "Virtual-PPP",
        "Virtual-Template",
        "Vlan",
    ),
    *("VirtualPortGroup", "Voice-port", "vasileft", "vasiright", "Vif", "Wlan-GigabitEthernet", "wlan-ap"),
)
_BY_LOWER: Final = {name.lower(): name for name in _TYPES}
_KEPT: Final = {"ucse": "ucse", "pseudowire": "pseudowire"}
"""Types that routers print in small letters."""
_PREFERRED: Final = {
    "e": "Ethernet",
    "f": "FastEthernet",
    "g": "GigabitEthernet",
    "gi": "GigabitEthernet",
    "h": "Hssi",
    "hu": "HundredGigE",
    "s": "Serial",
    "se": "Serial",
    "t": "Tunnel",
    "tu": "Tunnel",
    "fo": "FortyGigabitEthernet",
    "tw": "TwentyFiveGigE",
}
"""Abbreviations of several types that routers take for this one, since few have the others."""
_NAME: Final = re.compile(r"(?P<type>[A-Za-z][A-Za-z-]*?)(?P<number>[0-9][0-9/.:]*)?\Z")


def interface_named(text: str) -> str:
    """The name as IOS prints it. What begins like no type that is known, or like several, stays as it is."""
    found = _NAME.match(text)
    if found is None or found["number"] is None:
        return text
    return _type_of(found["type"], found["number"]) + found["number"]


def _type_of(word: str, number: str) -> str:
    low = word.lower()
    if low in _KEPT:
        return _KEPT[low]
    exact = _BY_LOWER.get(low)
    if exact is not None:
        return exact
    if low in ("p", "po"):  # a channel has one number, a port of a card several
        return "POS" if "/" in number else "Port-channel"
    preferred = _PREFERRED.get(low)
    if preferred is not None:
        return preferred
    meant = [name for lower, name in _BY_LOWER.items() if lower.startswith(low)]
    return meant[0] if len(meant) == 1 else word
