"""The layer 2 header that a router counts with each packet, by the kind of interface.

None is counted with its frame check sequence; ATM is counted without cells and AAL5 trailer (ios-facts 1.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Framing:
    """The layer 2 header that is counted with each packet, bytes, and where the number is from."""

    name: str
    header_bytes: int
    source: str = ""


HDLC: Final = Framing(
    "PPP or HDLC", 4, "RFC 2615 and RFC 1662 section 3.1: address, control, protocol; Cisco HDLC has four too"
)
LLC_SNAP: Final = Framing("LLC/SNAP", 8, "RFC 2684 section 5.1: LLC 3, OUI 3, PID 2")
ETHERNET: Final = Framing("Ethernet", 14, "IEEE 802.3 section 3.1: two addresses of 6, type 2")
VLAN: Final = Framing("Ethernet with a VLAN tag", 18, "IEEE 802.1Q section 9: the tag has 4 bytes")

_KINDS: Final = {
    "POS": HDLC,
    "Serial": HDLC,
    "Hssi": HDLC,
    "ATM": LLC_SNAP,
    "Ethernet": ETHERNET,
    "FastEthernet": ETHERNET,
    "GigabitEthernet": ETHERNET,
    "TenGigabitEthernet": ETHERNET,
}


def framing_of(interface: str) -> Framing | None:
    """The framing by the kind of interface; None where the name does not say (Tunnel, Loopback). A subinterface of an
    Ethernet has a VLAN tag.
    """
    found = _KINDS.get(interface.rstrip("0123456789/.:"))
    return VLAN if found is ETHERNET and "." in interface else found
