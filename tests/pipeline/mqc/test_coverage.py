"""Which entry lets in all that another does, beside an oracle that asks address by address."""

from __future__ import annotations

from ipaddress import IPv6Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.mqc import AccessEntry, beyond, covers, share
from tests.pipeline.properties import PROPERTY

V6 = "permit ipv6 2001:db8:b::/48 any"


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("permit ipv6 any any", V6),
        (V6, V6),
        (V6, "permit ipv6 2001:db8:b:1::/64 2001:db8:f::/48"),
        (V6, "permit ipv6 host 2001:db8:b::7 any"),
        (V6, "permit udp 2001:db8:b:1::/64 any eq 5004"),
        ("permit ip 192.0.2.0 0.0.0.255 any", "permit tcp host 192.0.2.7 203.0.113.0 0.0.0.3 established"),
        ("permit ip any any", "permit ip 192.0.2.0 0.0.0.127 any dscp ef"),
        ("permit ip 192.0.2.0 0.0.0.255 any", "permit ip 192.0.2.128 0.0.0.127 any"),
        (f"{V6} flow-label 77", "permit ipv6 2001:db8:b:1::/64 any flow-label 77"),
        ("permit udp 192.0.2.0 0.0.0.255 any eq 5004", "permit udp host 192.0.2.7 any eq 5004"),
    ],
)
def test_covered(wide: str, narrow: str) -> None:
    assert covers(wide, narrow)


def test_two_entries_share_sources_when_one_contains_the_other() -> None:
    assert share(V6, V6)
    assert share(V6, "permit ipv6 any any")
    assert share("permit ipv6 any any", V6)
    assert share("permit tcp any any", "permit tcp any any")
    assert not share(V6, "permit ipv6 2001:db8:a::/48 any")


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (V6, "permit ipv6 any any"),
        (V6, "permit ipv6 2001:db8::/32 any"),
        ("permit ipv6 any 2001:db8:f::/48", V6),
        ("permit ip any any", V6),
        ("permit ipv6 any any", "permit tcp any any"),  # of which family, the entry does not say
        ("permit ip any any", "permit tcp any any"),
        ("permit udp any any", "permit udp any any eq 5004"),
        ("permit ipv6 any any dscp 46", V6),
        (f"{V6} flow-label 77", "permit ipv6 2001:db8:b:1::/64 any flow-label 78"),
        ("permit udp 2001:db8::/32 any", "permit tcp 2001:db8:b::/48 any"),
        ("permit ip 192.0.2.0 0.0.255.0 any", "permit ip 192.0.2.0 0.0.0.255 any"),
        ("permit ipv6 any any", "permit udp 2001:db8:b::/48 eq 1 any"),
        ("permit 192.0.2.0 0.0.0.255", "permit host 192.0.2.7"),
        ("deny ipv6 any any", V6),
        ("permit ipv6 any any", "deny ipv6 any any"),
        ("permit ip object-group A any", "permit ip host 192.0.2.7 any"),
    ],
)
def test_not_covered_or_not_decided(wide: str, narrow: str) -> None:
    assert not covers(wide, narrow)


def _address(value: int, bits: int) -> tuple[str, range]:
    """An IPv4 network of the last 4 bits of 192.0.2.0, as an entry writes it, and the hosts in it."""
    size = 1 << bits
    first = value // size * size
    text = f"host 192.0.2.{first}" if bits == 0 else f"192.0.2.{first} 0.0.0.{size - 1}"
    return text, range(first, first + size)


PLACE = st.builds(_address, st.integers(0, 15), st.integers(0, 4))


@PROPERTY
@given(PLACE, PLACE, PLACE, PLACE)
def test_covering_is_containment_of_every_packet(
    source, destination, other_source, other_destination
) -> None:
    wide = AccessEntry(10, f"permit ip {source[0]} {destination[0]}").text
    narrow = AccessEntry(10, f"permit ip {other_source[0]} {other_destination[0]}").text
    inside = set(other_source[1]) <= set(source[1]) and set(other_destination[1]) <= set(destination[1])
    assert covers(wide, narrow) == inside


@PROPERTY
@given(st.integers(0, 2**128 - 1), st.integers(0, 128), st.integers(0, 2**128 - 1), st.integers(0, 128))
def test_prefixes_contain_prefixes(value: int, bits: int, other: int, more: int) -> None:
    wide = IPv6Network((value >> (128 - bits) << (128 - bits), bits))
    near = int(wide.network_address) | other & ((1 << (128 - bits)) - 1)
    length = max(bits, more)
    inner = IPv6Network((near >> (128 - length) << (128 - length), length))
    entry = AccessEntry(10, f"permit ipv6 {wide} any").text
    assert covers(entry, AccessEntry(10, f"permit ipv6 {inner} any").text)
    assert covers(AccessEntry(10, f"permit ipv6 {inner} any").text, entry) == (inner == wide)


def test_who_is_beyond_others_is_who_none_of_them_covers() -> None:
    entries = [
        *(V6, "permit ipv6 any any", "permit ipv6 host 2001:db8:b::7 any", "permit ipv6 2001:db8:a::/48 2001:db8:f::/48"),
        *("permit ip host 192.0.2.7 any", "permit ip any any", "permit tcp any any", "permit udp any any eq 5004"),
        *("permit ip 192.0.2.0 0.0.255.0 any", "permit ipv6 ::/1 any", "permit ipv6 8000::/1 any"),
        *("permit ipv6 any 2001:db8:f::/48", "permit ip any 203.0.113.0 0.0.0.255"),
    ]  # fmt: skip
    for others in ([each] for each in entries):
        assert beyond(entries, others) == tuple(each for each in entries if not covers(others[0], each))
    assert beyond(entries, entries[1:2]) == tuple(each for each in entries if not covers(entries[1], each))
    assert beyond(entries, ()) == tuple(entries)
