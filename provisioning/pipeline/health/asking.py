"""Which routing protocols a router runs, by its running-config: only those are asked about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.health.values import Protocol

_PROTOCOLS: Final[tuple[tuple[Protocol, re.Pattern[str]], ...]] = (
    ("BGP", re.compile(r"^ ?router bgp \d", re.M)),
    ("IS-IS", re.compile(r"^ ?router isis\b", re.M)),
    ("OSPF", re.compile(r"^ ?router ospf \d", re.M)),
    ("OSPFv3", re.compile(r"^ ?(?:ipv6 router ospf|router ospfv3) \d", re.M)),
)
_FAMILY: Final = re.compile(
    r"^\s+address-family (?P<family>ipv4 mdt|ipv[46] multicast|vpnv[46])(?: unicast)?\s*$", re.M
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The protocols to ask about, and the address families of BGP beside IPv4 and IPv6 unicast, as IOS writes them in full."""

    protocols: frozenset[Protocol]
    families: tuple[str, ...] = ()


def asked(running: str) -> Asked:
    """What a router is asked about, from the text of its running-config."""
    runs = frozenset(protocol for protocol, pattern in _PROTOCOLS if pattern.search(running))
    found = {match["family"] for match in _FAMILY.finditer(running)} if "BGP" in runs else set()
    return Asked(runs, tuple(sorted(f"{each} unicast" if each.startswith("vpn") else each for each in found)))
