"""Entries that stand in their canonical form are only looked at: what is made of them is what reading them makes."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.mqc import aces, canonical_ace
from tests.pipeline.properties import PROPERTY

GROUP = st.sampled_from(["0", "1", "a", "DB8", "2001", "ffff", "10", "0db8", "00a"])
OCTET = st.sampled_from(["0", "1", "10", "99", "100", "192", "249", "250", "255", "256", "01", "300"])


@st.composite
def ipv6_words(draw: st.DrawFn) -> str:
    """An IPv6 address or prefix in any spelling, the shortest among them; some are none."""
    groups = draw(st.lists(GROUP, min_size=0, max_size=8))
    if draw(st.booleans()) and len(groups) == 8:
        address = ":".join(groups)
    else:
        cut = draw(st.one_of(st.just(len(groups)), st.integers(0, len(groups))))
        address = f"{':'.join(groups[:cut])}::{':'.join(groups[cut:])}"
    return draw(st.sampled_from([address, f"{address}/{draw(st.integers(0, 130))}"]))


@st.composite
def ipv4_words(draw: st.DrawFn) -> str:
    """Four octets, with a wildcard or without."""
    address = ".".join(draw(st.lists(OCTET, min_size=4, max_size=4)))
    wildcards = [
        "0.0.0.0",
        "0.0.0.255",
        "0.0.255.255",
        "0.255.255.255",
        "255.255.255.255",
        "0.0.0.3",
        "0.0.255.0",
    ]
    return draw(st.sampled_from([address, *(f"{address} {wildcard}" for wildcard in wildcards)]))


WORDS = st.one_of(
    st.sampled_from(["any", "ANY", "eq 80", "log", "object-group G"]), ipv6_words(), ipv4_words()
)
ADDRESSES = st.one_of(WORDS, WORDS.map(lambda word: f"host {word}"))
ACTIONS = st.sampled_from(["permit", "permit", "deny", "PERMIT", "remark", "evaluate"])
PROTOCOLS = st.sampled_from(["ip", "ipv6", "IPV6", "tcp", "udp", "icmp", "gre", "17", ""])


@PROPERTY
@given(ACTIONS, PROTOCOLS, ADDRESSES, ADDRESSES, st.sampled_from(["", "", " ", " log", "\n", "\u00a0"]))
def test_looked_at_is_read(action: str, protocol: str, source: str, destination: str, after: str) -> None:
    text = f"{action} {protocol} {source} {destination}{after}"
    assert canonical_ace(text) == canonical_ace(f" {text}"), (
        text
    )  # what begins with a blank is read word by word


@PROPERTY
@given(ipv6_words())
def test_a_prefix_is_as_rfc_5952_has_it(word: str) -> None:
    try:
        network = ipaddress.IPv6Network(word, strict=False) if "/" in word else None
    except ValueError:
        network = None
    if network is not None and network.prefixlen not in (0, 128):
        assert canonical_ace(f"permit ipv6 {word} any") == f"permit ipv6 {network} any"


@pytest.mark.parametrize(
    "text",
    [
        "permit ipv6 2001:DB8:4:5::/64 2001:DB8:FFFF::/48",
        "deny ipv6 any 2001:db8::/32",
        "permit ip 198.51.100.0 0.0.0.255 host 203.0.113.9",
        "permit tcp 10.0.0.0 0.255.255.255 172.16.0.0 0.0.255.255",
        "deny ip any any",
    ],
)
def test_common_entries_are_not_read_word_by_word(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(words: list[str]) -> list[str]:
        raise AssertionError(words)

    monkeypatch.setattr(aces, "_after_action", never)
    assert canonical_ace(text) == text.lower()
