"""Which entry lets in all that another does, beside an oracle that asks address by address."""

from __future__ import annotations

from ipaddress import IPv6Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline import ios
from provisioning.pipeline.intent import Role
from provisioning.pipeline.mqc import AccessEntry
from provisioning.pipeline.safety import InterfaceQos, Marker, check
from provisioning.pipeline.safety.coverage import covers, uncovered
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
    ],
)
def test_covered(wide: str, narrow: str) -> None:
    assert covers(wide, narrow)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (V6, "permit ipv6 any any"),
        (V6, "permit ipv6 2001:db8::/32 any"),
        ("permit ipv6 any 2001:db8:f::/48", V6),
        ("permit ip any any", V6),
        ("permit ipv6 any any", "permit tcp any any"),  # of which family, the entry does not say
        ("permit udp any any", "permit udp any any eq 5004"),
        ("permit ipv6 any any dscp 46", V6),
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


def test_where_a_list_denies_only_the_same_entry_counts() -> None:
    def state(denies: bool) -> InterfaceQos:
        authorised = ("permit ipv6 any any",)
        return InterfaceQos(
            *("POS1/0", None, Role.ACCESS, "IN", None, Marker.ACL, "percent 5", True, False, authorised),
            authorised if denies else (),
        )

    assert uncovered([V6], state(False)) == frozenset()
    assert uncovered([V6], state(True)) == {V6}
    assert uncovered([V6], state(True), state(False)) == frozenset()
    assert uncovered(["permit ipv6 any any"], state(True)) == frozenset()


CLASSES = """\
ipv6 access-list narrow
 permit ipv6 host 2001:db8:b::7 any
 permit ipv6 host 2001:db8:c::8 any
ipv6 access-list wide
 permit ipv6 2001:db8::/32 any
class-map match-all HOSTS
 match access-group name narrow
class-map match-all NETWORK
 match access-group name wide
class-map match-all NETWORK-EF
 match access-group name wide
 match dscp ef
class-map match-any LOOSE
 match access-group name wide
 match dscp ef
class-map match-all NESTED
 match class-map NETWORK-EF
class-map match-any EITHER
 match class-map NETWORK
 match dscp ef
class-map match-none NEITHER
 match access-group name wide
class-map match-all LBE
 match dscp cs1
policy-map IN
"""


@pytest.mark.parametrize(
    ("order", "cut_off"),
    [
        ("HOSTS NETWORK", False),
        ("HOSTS LOOSE", False),
        ("HOSTS EITHER", False),  # a class within it takes all it lists
        ("LBE HOSTS NETWORK", False),  # cs1 of the host went to LBE before as well
        ("HOSTS LBE NETWORK", True),  # ... and here only while its own entry is away
        ("HOSTS NETWORK-EF", True),  # the wider entry takes what is marked already, the host's own everything
        ("HOSTS NESTED", True),
        ("HOSTS NEITHER NETWORK", True),
    ],
)
def test_a_wider_entry_counts_only_where_it_meets_the_same_fate(order: str, cut_off: bool) -> None:
    text = CLASSES
    for name in order.split():
        mark = "cs1" if name == "LBE" else "ef"
        text += f" class {name}\n  police cir percent 5 conform-action transmit exceed-action drop\n  set dscp {mark}\n"
    text += " class class-default\n  set dscp default\ninterface POS1/0\n service-policy input IN\n"
    lines = [
        "ipv6 access-list narrow",
        "no permit ipv6 host 2001:db8:b::7 any",
        "permit ipv6 host 2001:db8:b::7 any",
    ]
    running = ios.parse(f"hostname r1\n{text}")
    (_, _, away, back) = check(running, lines, {"POS1/0": Role.ACCESS})
    assert [("cut off" in said) for said in away.violations] == [True] * cut_off
    assert back.violations == ()
