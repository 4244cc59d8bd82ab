"""What two permit entries have in common, beside an oracle that asks address by address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.mqc import AccessEntry, common, share, sharing
from tests.pipeline.mqc.test_coverage import PLACE
from tests.pipeline.properties import PROPERTY

V6 = "permit ipv6 2001:db8:b::/48 any"
TO_F = "permit ipv6 any 2001:db8:f::/48"


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (V6, V6, V6),
        (V6, TO_F, "permit ipv6 2001:db8:b::/48 2001:db8:f::/48"),
        (V6, "permit ipv6 any any", V6),
        (V6, "permit udp 2001:db8::/32 2001:db8:f::/48", "permit udp 2001:db8:b::/48 2001:db8:f::/48"),
        (
            V6,
            "permit ipv6 any host 2001:db8:f::7 flow-label 5",
            "permit ipv6 2001:db8:b::/48 host 2001:db8:f::7 flow-label 5",
        ),
        (
            "permit ip 192.0.2.0 0.0.0.127 any",
            "permit ip any 203.0.113.0 0.0.0.255",
            "permit ip 192.0.2.0 0.0.0.127 203.0.113.0 0.0.0.255",
        ),
        (
            "permit udp 2001:db8:b::/48 any dscp 46",
            "permit udp any 2001:db8:f::/48 dscp 46",
            "permit udp 2001:db8:b::/48 2001:db8:f::/48 dscp 46",
        ),
        # a standard list looks at the source alone
        (
            "permit 192.0.2.0 0.0.0.255",
            "permit udp any 203.0.113.0 0.0.0.255",
            "permit udp 192.0.2.0 0.0.0.255 203.0.113.0 0.0.0.255",
        ),
        ("permit 192.0.2.0 0.0.0.255", "permit ip any any", "permit ip 192.0.2.0 0.0.0.255 any"),
        (V6, "permit ipv6 2001:db8:a::/48 any", None),
        ("permit tcp 2001:db8:b::/48 any established", "permit tcp any 2001:db8:f::/48", None),
        ("permit udp 2001:db8:b::/48 any dscp 46", "permit udp any 2001:db8:f::/48 dscp 8", None),
        # shared, and by which packets is not said
        ("permit udp 2001:db8:b::/48 any eq 5004", "permit udp any 2001:db8:f::/48", None),
        ("permit ip 192.0.2.0 0.0.255.0 any", "permit ip any 203.0.113.0 0.0.0.255", None),
    ],
)
def test_what_both_let_in(one: str, other: str, both: str | None) -> None:
    assert common(one, other) == common(other, one) == both
    assert both is None or AccessEntry(10, both).text == both


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (V6, TO_F),
        (V6, "permit udp any any"),  # of which family, the entry does not say
        ("permit ip any any", "permit udp any any"),
        ("permit tcp any any", "permit tcp any any"),
        ("permit udp 192.0.2.0 0.0.0.255 any eq 5004", "permit ip host 192.0.2.7 any"),
        ("permit ip 192.0.2.0 0.0.255.0 any", "permit ip host 192.0.2.7 any"),  # no network: not decided
        ("permit udp any eq 5004 www any", "permit udp any eq 80 any"),
        ("permit udp any any eq 5004 80", "permit udp any any eq 80"),
        ("permit udp any any range 80 90", "permit udp any any eq 80"),
        ("permit udp any eq 80 any", "permit udp any any eq 443"),
        ("permit ip any any dscp ef", "permit ip any any dscp 46 unknown words"),
        ("permit ip any any dscp 46", "permit ip any any precedence 5"),
        ("permit ipv6 any any flow-label 5", "permit ipv6 any any dscp 46 flow-label 5"),
        ("permit 192.0.2.0 0.0.0.255", "permit host 192.0.2.7"),
        ("permit any", "permit host 192.0.2.7"),
        ("permit any", "permit tcp any any"),
        ("permit 192.0.2.0 0.0.0.255", "permit tcp any any"),
        ("permit host 192.0.2.7", "permit ip any any"),
        ("permit host 192.0.2.7", "permit tcp any any"),
        ("permit object-group A any any", "permit tcp any any"),
        ("permit ip object-group A any", "permit ip host 192.0.2.7 any"),
        ("permit ip any object-group A", "permit ip host 192.0.2.7 any"),
        ("permit icmp any any 8", "permit icmp any any"),
        ("deny ipv6 2001:db8:b::/48 any", V6),
    ],
)
def test_shared_or_not_decided(one: str, other: str) -> None:
    assert share(one, other)
    assert share(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (V6, "permit ipv6 2001:db8:a::/48 any"),
        (V6, "permit ip any any"),
        (V6, "permit udp host 2001:db8:a::7 any eq 5004"),
        ("permit ipv6 any 2001:db8:b::/48", "permit ipv6 any 2001:db8:a::/48"),
        ("permit udp any any", "permit tcp any any"),
        ("permit udp any any eq 5004", "permit udp any any eq 5006"),
        ("permit udp any eq 5004 any", "permit udp any eq 5006 any"),
        ("permit ipv6 any any flow-label 5", "permit ipv6 any any flow-label 6"),
        ("permit ipv6 any any dscp 46 flow-label 5", "permit ipv6 any any dscp 46 flow-label 6"),
        ("permit ip any any dscp 46", "permit ip any any dscp 8"),
        ("permit host 192.0.2.7", "permit host 192.0.2.8"),
        ("permit host 192.0.2.7", V6),
        ("permit ip 192.0.2.0 0.0.255.0 any", V6),
        ("permit ipv6 any any", "permit ip any any"),
        ("permit any", "permit ipv6 object-group A object-group B"),
        ("permit object-group A 192.0.2.0 0.0.0.255 any", "permit ipv6 any any"),
        ("permit ip host 192.0.2.7 object-group A", "permit ip host 192.0.2.8 any"),
    ],
)
def test_nothing_in_common(one: str, other: str) -> None:
    assert not share(one, other)
    assert not share(other, one)
    assert common(one, other) is None


@PROPERTY
@given(PLACE, PLACE, PLACE, PLACE)
def test_what_is_common_is_every_packet_of_both(source, destination, other_source, other_destination) -> None:
    one = AccessEntry(10, f"permit ip {source[0]} {destination[0]}").text
    other = AccessEntry(10, f"permit ip {other_source[0]} {other_destination[0]}").text
    sources = set(source[1]) & set(other_source[1])
    destinations = set(destination[1]) & set(other_destination[1])
    both = common(one, other)
    assert share(one, other) == (both is not None) == bool(sources and destinations)
    if both is not None:
        size = {"host": 1}.get
        words = both.split(" ")[2:]
        hosts = [size(words[at], 0) or int(words[at + 1].rpartition(".")[2]) + 1 for at in (0, 2)]
        assert hosts == [len(sources), len(destinations)]
        assert AccessEntry(10, both).text == both


WHERE = st.sampled_from(
    [
        "any",
        "host 2001:db8:b::7",
        *(f"2001:db8:{net}::/{bits}" for net in ("b", "b0", "c") for bits in (32, 44, 48, 64)),
    ]
)
WORDS = st.builds(
    "permit {} {} {}{}".format,
    st.sampled_from(["ipv6", "udp"]),
    WHERE,
    WHERE,
    st.sampled_from(["", " dscp 46"]),
)
ENTRY = st.one_of(
    WORDS, st.sampled_from(["permit ip 192.0.2.0 0.0.0.255 any", "permit ip any any", "permit udp any any"])
)


@PROPERTY
@given(entries=st.lists(ENTRY, max_size=6), others=st.lists(ENTRY, max_size=6))
def test_whoever_has_packets_in_common_with_one_of_many_is_found(entries, others):
    assert sharing(entries, others) == {
        entry for entry in entries if any(share(entry, other) for other in others)
    }
