"""Access lists: which addresses a filtered class authorises (D4.4.2v2 section 2.6, third occasion; ios-facts N31-N35,
2.7).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc.aces import canonical_ace
from provisioning.pipeline.mqc.names import checked_name

_DECIDING: Final = frozenset({"permit", "deny", "evaluate", "dynamic"})


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """One entry. ``text`` is canonical (``permit ipv6 2001:db8::/32 any``, ``remark ...``), without its
    sequence number.

    The sequence number is where the entry stands, for editing; only the order it makes is part of what a
    list means, so it is not compared (classic IOS does not even print it on the 10-20-30 grid, ios-facts
    N32).
    """

    sequence: int = field(compare=False)
    text: str

    def __post_init__(self) -> None:
        if isinstance(self.sequence, bool) or not isinstance(self.sequence, int) or self.sequence < 1:
            raise InvalidInput(f"{self.sequence!r} is not a sequence number", field="access-list")
        object.__setattr__(self, "text", canonical_ace(self.text))

    @property
    def action(self) -> str:
        """``permit``, ``deny``, ``remark`` or another first word of an entry."""
        return self.text.split(" ", 1)[0]

    @property
    def decides(self) -> bool:
        """Whether packets are matched against it: not a remark, nor a line of an unknown kind."""
        return self.action in _DECIDING

    @property
    def remark(self) -> str | None:
        """The text of a remark; None for an entry that decides."""
        return self.text[len("remark") :].strip() if self.action == "remark" else None


_IN_IPV6: Final = {
    "58": "icmp",
    "igmp": "2",
    "ipinip": "4",
    "gre": "47",
    "eigrp": "88",
    "ospf": "89",
    "nos": "94",
    "pim": "103",
}
"""Protocols that an IPv6 list names otherwise: ``icmp`` is 58 there, and those of IPv4 alone have their numbers
(Cisco-IOS-XE-acl.yang 2021-07-01, ``ipv6-acl-grouping``: ahp, esp, hbh, icmp, ipv6, pcp, sctp, tcp, udp).
"""


def _of_ipv6(entry: AccessEntry) -> AccessEntry:
    words = entry.text.split(" ", 2)
    if len(words) < 2 or words[1] not in _IN_IPV6 or words[0] not in ("permit", "deny"):
        return entry
    renamed = AccessEntry(entry.sequence, entry.text)
    object.__setattr__(renamed, "text", " ".join([words[0], _IN_IPV6[words[1]], *words[2:]]))
    return renamed


@dataclass(frozen=True, slots=True)
class AccessList:
    """A named or numbered access list; ``family`` is 4 or 6; ``standard`` for IPv4 lists of sources only.

    Entries are in the order of their sequence numbers, which is part of the list. In an IPv4 list remarks
    may share the number of the entry they stand before, as IOS-XE prints them (ios-facts N35). Raises
    InvalidInput on a number used twice otherwise.
    """

    name: str
    family: int
    entries: tuple[AccessEntry, ...] = ()
    standard: bool = False

    def __post_init__(self) -> None:
        checked_name(self.name, "access-list")
        if self.family not in (4, 6) or (self.standard and self.family == 6):
            raise InvalidInput(f"no access list of family {self.family!r}", field="access-list")
        entries = tuple(sorted(self.entries, key=lambda entry: entry.sequence))
        if self.family == 6:
            entries = tuple(map(_of_ipv6, entries))
        numbers = [entry.sequence for entry in entries if self.family == 6 or entry.decides]
        if len(set(numbers)) != len(numbers):
            raise InvalidInput(f"{self.name} uses a sequence number twice", field="access-list")
        object.__setattr__(self, "entries", entries)

    @classmethod
    def of(cls, name: str, family: int, texts: tuple[str, ...], *, standard: bool = False) -> AccessList:
        """A list of these entries on IOS's default grid 10, 20, 30."""
        entries = tuple(AccessEntry(10 * place, text) for place, text in enumerate(texts, start=1))
        return cls(name, family, entries, standard)

    @property
    def numbered(self) -> bool:
        """Whether the list goes by a number (``access-list 101 ...``)."""
        return self.name.isascii() and self.name.isdigit()


DENIES_THE_REST: Final = {4: "deny ip any any", 6: "deny ipv6 any any"}
"""By IP version the entry that says in so many words what stands behind every list."""
LAST_PLACE: Final = 65000
"""Where such an entry of ours stands: far behind any that will be added before it."""


def closes(access_list: AccessList) -> bool:
    """Whether the list ends by denying the rest in so many words."""
    return bool(access_list.entries) and access_list.entries[-1].text in DENIES_THE_REST.values()


def permits(entries: Iterable[AccessEntry]) -> tuple[str, ...]:
    """The texts of those entries that authorise somebody."""
    return tuple(entry.text for entry in entries if entry.action == "permit")
