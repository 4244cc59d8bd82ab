"""Where one router sends: its routing table, or what it forwards by, as text.

Four forms are read, as IOS prints them: `show ip route`, `show ipv6 route` (a line with the prefix, its next hops on lines
of their own), `show ip cef` and `show ipv6 cef`. A route without an interface (BGP) goes where its next hop goes.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from provisioning.errors import InvalidInput

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Prefix = ipaddress.IPv4Network | ipaddress.IPv6Network

_PROMPT = re.compile(r"(?P<router>[A-Za-z0-9][A-Za-z0-9._-]{0,62})[>#]\s*sh")
_CODE = re.compile(r"[A-Za-z][A-Za-z*+%]{0,2}[ A-Za-z0-9*+%]{0,5}\s+(?P<rest>[0-9A-Fa-f]{1,4}[.:].*)$")
_MASKED = re.compile(r"\s+(?P<prefix>\d{1,3}(?:\.\d{1,3}){3}/\d{1,2}) is subnetted,")
_VIA = re.compile(r"\b(?:via|nexthop)\s+(?P<hop>[0-9A-Fa-f.:]{3,45})(?P<rest>.*)$")
_INTERFACE = re.compile(r"(?P<name>[A-Za-z][A-Za-z-]{1,30}\d[\d/.:]{0,20})\s*$")
_CEF = re.compile(r"(?P<prefix>[0-9A-Fa-f.:]{2,45}/\d{1,3})(?P<rest>(?:\s.*)?)$")
_LISTED = re.compile(r"(?P<hop>\S{1,45})\s+(?P<interface>[A-Za-z][A-Za-z-]{1,30}\d\S{0,20})\s*$")
_DEEPEST = 8
"""Next hops behind next hops that are followed."""


@dataclass(frozen=True)
class Table:
    """By prefix the interfaces that `router` sends out of, and next hops whose interface is another route's matter."""

    router: str
    routes: Mapping[Prefix, tuple[frozenset[str], frozenset[Address]]] = field(hash=False)

    def out_of(self, prefix: Prefix) -> frozenset[str] | None:
        """The interfaces (in small letters) that packets to `prefix` leave by; None where the table does not say."""
        found = self._best(prefix)
        return None if found is None else self._resolved(found, _DEEPEST)

    def _best(self, wanted: Prefix) -> tuple[frozenset[str], frozenset[Address]] | None:
        for length in range(wanted.prefixlen, -1, -1):
            found = self.routes.get(wanted.supernet(new_prefix=length))
            if found is not None:
                return found
        return None

    def _resolved(self, found: tuple[frozenset[str], frozenset[Address]], left: int) -> frozenset[str] | None:
        interfaces, hops = found
        every = set(interfaces)
        for hop in hops:
            behind = self._best(ipaddress.ip_network(hop)) if left else None
            resolved = None if behind is None else self._resolved(behind, left - 1)
            if resolved is None:
                return None
            every |= resolved
        return frozenset(every) or None


def is_table(text: str) -> bool:
    """Whether it looks like one of the four forms."""
    return re.search(
        r"^(Codes: |IPv6 Routing Table|Prefix +Next Hop)|^\S+[>#] *sh\S* ipv?6? (route|cef)", text, re.M
    ) is not None or (
        re.search(r"^(?:[0-9A-Fa-f:]+|\d+(?:\.\d+){3})/\d+ *\n +nexthop ", text, re.M) is not None
    )


def read_table(text: str, router: str = "") -> Table:
    """The table in a text. The router is the one that the prompt names, or `router`.

    Raises InvalidInput where nobody says whose it is, for the table of a VRF, and for one without any route.
    """
    lines = text.splitlines()
    named = next((found["router"] for line in lines if (found := _PROMPT.match(line))), "")
    if router and named and router.lower() != named.lower():
        raise InvalidInput(f"the prompt in it is of {named}", field="router")
    whose = (router or named).lower()
    if not whose:
        raise InvalidInput("say of which router it is: there is no prompt in it", field="router")
    if any(line.startswith("Routing Table: ") for line in lines):
        raise InvalidInput("it is the table of a VRF: what is promised goes by the global one", field="file")
    routes: dict[Prefix, tuple[set[str], set[Address]]] = {}
    masks: list[ipaddress.IPv4Network] = []
    here: Prefix | None = None
    for line in lines:
        if found := _MASKED.match(line):
            mask = _prefix(found["prefix"])
            masks = [mask] if isinstance(mask, ipaddress.IPv4Network) else []
            here = None
            continue
        prefix, rest = _begins(line, masks)
        if prefix is not None:
            here = prefix
            routes.setdefault(here, (set(), set()))
        elif not line.startswith(" "):
            here = None
        if here is not None:
            _hop(rest, routes[here])
    kept = {
        prefix: (frozenset(out), frozenset(hops)) for prefix, (out, hops) in routes.items() if out or hops
    }
    if not kept:
        raise InvalidInput("there is no route in it that goes anywhere", field="file")
    return Table(whose, kept)


def _begins(line: str, masks: Iterable[ipaddress.IPv4Network]) -> tuple[Prefix | None, str]:
    """The prefix that a line begins to speak of, and the rest of the line; without one the line itself."""
    found = _CEF.match(line) or _CODE.match(line)
    if found is None:
        return None, line
    said = found.groupdict().get("prefix") or found["rest"].split()[0].rstrip(",")
    rest = found["rest"]
    if "/" not in said:  # its mask stands in the line "is subnetted" before it
        said = next((f"{said}/{mask.prefixlen}" for mask in masks), f"{said}/{_classful(said)}")
    return _prefix(said), rest


def _hop(said: str, route: tuple[set[str], set[Address]]) -> None:
    """Note where a line sends to: an interface where it names one, else the next hop."""
    interfaces, hops = route
    via = _VIA.search(said)
    interface = _INTERFACE.search(said)
    listed = _LISTED.match(said.strip()) if via is None else None
    if interface is not None and (via or listed or "directly connected" in said or "attached" in said):
        if not interface["name"].lower().startswith("null"):
            interfaces.add(interface["name"].lower())
    elif "directly connected" in said and (found := re.search(r"via (\S+?),", said)):
        interfaces.add(found[1].lower())
    elif via is not None:
        try:
            hops.add(ipaddress.ip_address(via["hop"]))
        except ValueError:
            return


def _prefix(text: str) -> Prefix | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def _classful(address: str) -> int:
    """The length that IOS leaves out of a network of its class (RFC 791 section 3.2)."""
    first = address.split(".", 1)[0]
    number = int(first) if first.isdecimal() else 0
    return 8 if number < 128 else 16 if number < 192 else 24
