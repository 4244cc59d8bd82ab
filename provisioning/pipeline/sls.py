"""Sls: what one direction of a request asks of the network, as D4.4.2v2 section 2.2 and 2.4.1 name its parts.

One Sls is simplex; a request for both ways is two of them. It says where traffic enters and leaves, how fast
it may come, how deep its token bucket is, and which packets it is about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network

from provisioning.errors import InvalidFields, InvalidInput
from provisioning.pipeline.units import HIGHEST_RATE_BPS, BitRate, TimeWindow, shown

Prefix = IPv4Network | IPv6Network

HIGHEST_FLOW_LABEL = 2**20 - 1
"""A flow label has 20 bits; 0 means "none" (D4.4.2v2 section 6)."""

LARGEST_PACKET_BYTES = 65575
"""An IPv6 header and the largest payload without the jumbo option; no documents' link carries more."""

LEAST_PACKET_BYTES = 20
LEAST_IPV6_PACKET_BYTES = 40
"""A header and nothing else (RFC 791 section 3.1, RFC 8200 section 3)."""

LARGEST_BUCKET_BYTES = 512_000_000
"""The largest ``bc`` that the policers of the documents' platforms take."""


@dataclass(frozen=True)
class Sls:
    """One direction: ``rate`` in bit/s of layer 3, bucket and packets in bytes of layer 3, ``excess`` what happens to the
    rest.

    ``min_packet_bytes`` is the smallest packet that is sent; None when nobody said, and then what is promised is promised
    for packets of ``max_packet_bytes``: smaller ones have more headers to each byte than a policer was given room for.

    ``destination_link`` may be None only for a class whose scheme allows it; ``destination_prefixes`` empty
    means any destination. Raises InvalidInput naming the field, InvalidFields when several are wrong.
    """

    id: str
    source_link: str
    destination_link: str | None
    service_class: str
    rate: BitRate
    window: TimeWindow
    bucket_bytes: int
    max_packet_bytes: int
    source_prefixes: tuple[Prefix, ...]
    destination_prefixes: tuple[Prefix, ...] = ()
    flow_label: int | None = None
    excess: str = "drop"
    min_packet_bytes: int | None = None

    def __post_init__(self) -> None:
        faults = [InvalidInput(reason, field=field) for field, reason in self._faults().items()]
        if len(faults) > 1:
            raise InvalidFields(faults)
        if faults:
            raise faults[0]

    def _faults(self) -> dict[str, str]:
        """The first thing wrong in each field."""
        faults: dict[str, str] = {}
        if not 1 <= self.rate.bps <= HIGHEST_RATE_BPS:
            faults["rate"] = f"a rate lies between 1 and {HIGHEST_RATE_BPS} bit/s: {shown(self.rate.bps)}"
        if self.source_link == self.destination_link:
            faults["destination_link"] = "source and destination are the same access link"
        if not _within(self.max_packet_bytes, LARGEST_PACKET_BYTES):
            faults["max_packet_bytes"] = _outside_of(self.max_packet_bytes, LARGEST_PACKET_BYTES)
        if self.min_packet_bytes is not None:
            faults |= self._smallest_faults(self.min_packet_bytes)
        if not _within(self.bucket_bytes, LARGEST_BUCKET_BYTES):
            faults["bucket_bytes"] = _outside_of(self.bucket_bytes, LARGEST_BUCKET_BYTES)
        elif "max_packet_bytes" not in faults and self.bucket_bytes <= self.max_packet_bytes:
            faults["bucket_bytes"] = (
                f"a bucket of {self.bucket_bytes} bytes passes no packet of {self.max_packet_bytes}: "
                "it must be larger than one (D4.4.2v2 section 2.2)"
            )
        if self.flow_label is not None and not _within(self.flow_label, HIGHEST_FLOW_LABEL):
            faults["flow_label"] = _outside_of(self.flow_label, HIGHEST_FLOW_LABEL)
        elif self.flow_label is not None and self.source_prefixes and not self.is_ipv6:
            faults["flow_label"] = "IPv4 has no flow label"
        if not self.source_prefixes:
            faults["source_prefixes"] = "at least one source prefix is needed"
        missing = {p.version for p in self.source_prefixes} - {p.version for p in self.destination_prefixes}
        if self.destination_prefixes and missing:
            family = ", ".join(f"IPv{version}" for version in sorted(missing))
            faults["destination_prefixes"] = f"no {family} destination for an {family} source"
        if self.excess != "drop":
            faults["excess"] = f"traffic above the rate is dropped; {self.excess!r:.40} is not offered"
        return faults

    def _smallest_faults(self, smallest: int) -> dict[str, str]:
        least = LEAST_IPV6_PACKET_BYTES if self.only_ipv6 else LEAST_PACKET_BYTES
        if not _within(smallest, LARGEST_PACKET_BYTES) or smallest < least:
            return {
                "min_packet_bytes": f"a whole number between {least} (a header) and {LARGEST_PACKET_BYTES} is needed: "
                f"{shown(smallest)}"
            }
        if _within(self.max_packet_bytes, LARGEST_PACKET_BYTES) and smallest > self.max_packet_bytes:
            return {
                "min_packet_bytes": f"the smallest packet ({smallest} bytes) is larger than the largest "
                f"({self.max_packet_bytes} bytes)"
            }
        return {}

    @property
    def smallest_packet_bytes(self) -> int:
        """The packet that rates and buckets are converted with: the smallest named, else the largest; never less than a header,
        for headers are counted in proportion, and a packet of one byte would make a policer of many times what was granted.
        """
        return reckoned_packet_bytes(self.min_packet_bytes, self.max_packet_bytes, only_ipv6=self.only_ipv6)

    @property
    def only_ipv6(self) -> bool:
        """True when none of the traffic is IPv4."""
        return bool(self.source_prefixes) and all(prefix.version == 6 for prefix in self.source_prefixes)

    @property
    def is_ipv6(self) -> bool:
        """True when any of the traffic is IPv6, which is what line cards differ about."""
        return any(prefix.version == 6 for prefix in self.source_prefixes)


def reckoned_packet_bytes(smallest: int | None, largest: int, *, only_ipv6: bool) -> int:
    """`Sls.smallest_packet_bytes` of what is named, without an Sls."""
    least = LEAST_IPV6_PACKET_BYTES if only_ipv6 else LEAST_PACKET_BYTES
    return max(least, largest if smallest is None else smallest)


def prefixes(values: Iterable[str], *, field: str) -> tuple[Prefix, ...]:
    """The prefixes written in ``values``, sorted, each once; raises InvalidInput naming ``field`` and the
    first bad one.

    Host bits below the prefix length are refused: whoever writes ``2001:630::1/32`` has meant something
    narrower.
    """
    found: set[Prefix] = set()
    for value in values:
        if not isinstance(value, str) or len(value) > 64 or "%" in value:
            raise InvalidInput(f"not a prefix: {value!r:.60}", field=field)
        try:
            found.add(_read(value.strip()))
        except ValueError as error:
            raise InvalidInput(f"not a prefix: {value.strip()!r} ({error})", field=field) from error
    return tuple(
        sorted(found, key=lambda prefix: (prefix.version, prefix.network_address.packed, prefix.prefixlen))
    )


_read = lru_cache(maxsize=10_000)(ip_network)
"""The same few prefixes are asked for again and again."""


def outside(asked: Iterable[Prefix], own: Iterable[Prefix]) -> tuple[Prefix, ...]:
    """Those of ``asked`` that lie in none of ``own``; an empty answer means that all are the NREN's own."""
    owned = tuple(own)
    return tuple(prefix for prefix in asked if not any(_inside(prefix, owner) for owner in owned))


def asks_no_more(asked: Sls, agreed: Sls) -> bool:
    """Whether who agreed to receive ``agreed`` has agreed to ``asked`` too: on the same link no larger rate, no instant
    outside the window, no destination outside the prefixes (none named is any).
    """
    if asked.destination_link != agreed.destination_link or asked.rate.bps > agreed.rate.bps:
        return False
    inside = asked.window.start >= agreed.window.start and (
        agreed.window.end is None or (asked.window.end is not None and asked.window.end <= agreed.window.end)
    )
    if not inside or not agreed.destination_prefixes:
        return inside
    return bool(asked.destination_prefixes) and not outside(
        asked.destination_prefixes, agreed.destination_prefixes
    )


def warnings(sls: Sls) -> tuple[str, ...]:
    """Sentences about an Sls that is allowed and wider than it need be (FILTERED-IN authorises all an entry
    matches).
    """
    found: list[str] = []
    if not sls.destination_prefixes or any(prefix.prefixlen == 0 for prefix in sls.destination_prefixes):
        found.append(
            "destination is any: on a filtered link everything the sources send, to anybody, is marked "
            "and counted against this rate"
        )
    return tuple(found)


def _inside(prefix: Prefix, owner: Prefix) -> bool:
    if isinstance(prefix, IPv6Network) and isinstance(owner, IPv6Network):
        return prefix.subnet_of(owner)
    if isinstance(prefix, IPv4Network) and isinstance(owner, IPv4Network):
        return prefix.subnet_of(owner)
    return False


def _within(value: object, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= high


def _outside_of(value: object, high: int) -> str:
    return f"a whole number between 1 and {high} is needed: {shown(value)}"
