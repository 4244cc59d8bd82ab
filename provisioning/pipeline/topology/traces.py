"""The way of one packet: what `traceroute` prints, on a host (Linux, BSD) or a router (IOS).

A router answers with the address of the interface that the packet came in by, so each answer names the link that was crossed by
the prefix of that link (`prefix` of a core link in the network file).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from provisioning.errors import InvalidInput
from provisioning.pipeline.topology.isis import Pair
from provisioning.pipeline.topology.tables import Address, Prefix
from provisioning.pipeline.topology.values import Network

_TO = re.compile(r"^(?:traceroute6? to|Tracing the route to)\s+(?P<rest>.{1,200})$", re.M)
_FROM = re.compile(
    r"^\s*from\s+(?P<source>[0-9A-Fa-f.:]{2,45}),|\bfrom\s+(?P<here>[0-9A-Fa-f.:]{2,45}),", re.M
)
_PROMPT = re.compile(r"^(?P<router>[A-Za-z0-9][A-Za-z0-9._-]{0,62})[>#]\s*trace", re.M)
_HOP = re.compile(r"^\s{0,4}(?P<number>\d{1,3})\s+(?P<rest>\S.{0,400})$", re.M)
_ADDRESS = re.compile(r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}|\d{1,3}(?:\.\d{1,3}){3}")


@dataclass(frozen=True)
class Trace:
    """From where (an address, or a router's name) to where, and who answered on the way; None for a hop without an answer."""

    goal: Address
    source: Address | None
    router: str
    hops: tuple[Address | None, ...]

    def crossed(self, network: Network, links: Mapping[Prefix, str], start: str) -> frozenset[Pair]:
        """The hops between routers that are known to have been crossed, from the router `start` on. `links` are core links by
        the prefix of their addresses. After a hop that did not answer the next link counts where its direction is certain.
        """
        names = [None if hop is None else _link(hop, links) for hop in self.hops]
        here: str | None = start.lower()
        found: set[Pair] = set()
        for place, name in enumerate(names):
            link = None if name is None else network.core_link(name)
            if link is None:
                if found and self.hops[place] is None:
                    here = None  # somebody did not answer: where it is now nobody knows
                continue
            ends = (link.a_router.lower(), link.z_router.lower())
            if here not in ends:
                here = _tail(ends, _ends(network, names[place + 1 :]))
            if here is None:
                continue
            there = ends[1] if here == ends[0] else ends[0]
            found.add((here, there))
            here = there
        return frozenset(found)


def is_trace(text: str) -> bool:
    """Whether it looks like one."""
    return _TO.search(text) is not None


def read_trace(text: str) -> Trace:
    """The one traceroute in a text. Raises InvalidInput for two, for one without a goal's address, and without any answer."""
    begins = list(_TO.finditer(text))
    if len(begins) != 1:
        raise InvalidInput("there is more than one traceroute in it: compare one at a time", field="file")
    after = text[begins[0].end() :]
    below = after.lstrip().split("\n", 1)[0]
    goal = next(_addresses(begins[0]["rest"]), None)
    if goal is None and below.startswith("("):
        goal = next(_addresses(below), None)
    if goal is None:
        raise InvalidInput("the traceroute does not say to which address", field="file")
    source = _FROM.search(text)
    prompt = _PROMPT.search(text)
    hops: dict[int, Address | None] = {}
    for line in _HOP.finditer(after):
        hops[int(line["number"])] = next(_addresses(line["rest"]), None)
    if not any(hops.values()):
        raise InvalidInput("nobody answered: there is no path in it", field="file")
    ordered = tuple(hops.get(number) for number in range(1, max(hops) + 1))
    said = (source["source"] or source["here"]) if source else None
    return Trace(goal, _address(said) if said else None, prompt["router"].lower() if prompt else "", ordered)


def _link(hop: Address, links: Mapping[Prefix, str]) -> str | None:
    return next((name for prefix, name in links.items() if hop in prefix), None)


def _ends(network: Network, names: Iterable[str | None]) -> frozenset[str]:
    name = next(iter(names), None)
    link = None if name is None else network.core_link(name)
    return frozenset() if link is None else frozenset((link.a_router.lower(), link.z_router.lower()))


def _tail(ends: tuple[str, str], after: frozenset[str]) -> str | None:
    """Where a link was entered, told by the link after it; None where that does not say."""
    heads = [end for end in ends if end in after]
    if len(heads) != 1:
        return None
    return ends[1] if heads[0] == ends[0] else ends[0]


def _addresses(text: str) -> Iterator[Address]:
    for found in _ADDRESS.finditer(text):
        address = _address(found[0])
        if address is not None:
            yield address


def _address(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
