"""Layer 3 and layer 2: the header that a router counts with each packet, and what rates and buckets become with it.

This is the one room where that is reckoned. Requests, grants and the book are at layer 3 (D4.4.2v2 section 2.3, "at the IP
layer"); policers and shapers of routers count frames (section 4.1.2, "at the physical level"). What conforms at layer 3 in
packets of at least m bytes has at most one header for each m bytes: with it every rate and every bucket grows by (m + header)
/ m, and no traffic needs more.

No frame is counted with its check sequence; ATM is counted without cells and AAL5 trailer (ios-facts 1.4).
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
    "PPP or HDLC",
    4,
    "RFC 2615 and RFC 1662 section 3.1: address, control, protocol; Cisco HDLC has four too, and so has Frame Relay: "
    "RFC 2427 section 3.1, address 2, control and NLPID",
)
LLC_SNAP: Final = Framing("LLC/SNAP", 8, "RFC 2684 section 5.1: LLC 3, OUI 3, PID 2")
ETHERNET: Final = Framing("Ethernet", 14, "IEEE 802.3 section 3.1: two addresses of 6, type 2")
VLAN: Final = Framing("Ethernet with a VLAN tag", 18, "IEEE 802.1Q section 9: the tag has 4 bytes")
LONGEST: Final = Framing(
    "not known; reckoned with the longest of the access links, Ethernet with a VLAN tag", 18, VLAN.source
)
"""For an interface whose name does not say its framing: what is let through is then rather too much than too little."""

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


def framing_or_longest(interface: str | None) -> Framing:
    """The framing of an interface, LONGEST where it is not known."""
    return (None if interface is None else framing_of(interface)) or LONGEST


def layer3_bps(layer2_rate_bps: int, packet_bytes: int, header_bytes: int) -> int:
    """What of `layer2_rate_bps` is IP when every packet has `packet_bytes`, bit/s, floored."""
    return layer2_rate_bps * packet_bytes // (packet_bytes + header_bytes)


def layer2_bps(layer3_rate_bps: int, packet_bytes: int, header_bytes: int) -> int:
    """What `layer3_rate_bps` of IP in packets of `packet_bytes` or more is with its headers at most, bit/s, rounded up."""
    return -(-layer3_rate_bps * (packet_bytes + header_bytes) // packet_bytes)


def layer3_bytes(layer2_bucket_bytes: int, packet_bytes: int, header_bytes: int) -> int:
    """How many bytes of IP a bucket that counts frames surely passes at once in packets of `packet_bytes` or more, floored."""
    return layer2_bucket_bytes * packet_bytes // (packet_bytes + header_bytes)


def layer2_bytes(layer3_bucket_bytes: int, packet_bytes: int, header_bytes: int) -> int:
    """How deep a bucket that counts frames has to be to pass what one of layer 3 passes, in packets of `packet_bytes` or
    more; bytes, rounded up.
    """
    return -(-layer3_bucket_bytes * (packet_bytes + header_bytes) // packet_bytes)
