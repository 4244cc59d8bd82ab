"""How deep a bucket may be: at least a frame, of a real-time class at most a delay, alone and in sum (issue 9, i)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission import Admitted, Refused, SharedBucket, admit, admit_all
from provisioning.pipeline.scheme import (
    BucketDelay,
    Buckets,
    Policers,
    Scheme,
    TooShallow,
    Word,
    from_mapping,
)
from provisioning.pipeline.topology import Network
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.networks import GRNET, JANET, RENATER, at, sixnet, sls, window
from tests.pipeline.scheme.test_reference import data

SCHEME = load_scheme("6net")
NETWORK = sixnet()
STRICT = replace(
    SCHEME, buckets=replace(SCHEME.buckets, delay=BucketDelay(50, 100, "a person said so", False))
)
HEADERS = {"POS1/0": 4, "Serial1/0": 4, "ATM2/0.1": 8, "GigabitEthernet1/0": 14, "FastEthernet1/0.7": 18}


def entering_by(interface: str) -> Network:
    links = tuple(
        replace(link, interface=interface) if link.id == JANET else link for link in NETWORK.access_links
    )
    return replace(NETWORK, access_links=links)


def asked(size: int, scheme: Scheme = SCHEME, network: Network = NETWORK, **more: Any) -> Admitted | Refused:
    return admit(network, scheme, sls(JANET, GRNET, 1_000_000, bucket_bytes=size, **more), ())


def codes(verdict: Admitted | Refused) -> list[str]:
    return [reason.code for reason in verdict.reasons] if isinstance(verdict, Refused) else []


@pytest.mark.parametrize(("interface", "header"), sorted(HEADERS.items()))
def test_a_bucket_holds_the_largest_packet_in_the_frame_of_its_ingress(interface: str, header: int) -> None:
    network = entering_by(interface)
    assert codes(asked(1501, network=network)) == ["bucket"]
    assert codes(asked(1500 + header - 1, network=network)) == ["bucket"]
    assert isinstance(asked(1500 + header, network=network), Admitted)


def test_it_says_what_is_needed_and_why() -> None:
    verdict = asked(1501)
    assert isinstance(verdict, Refused)
    assert verdict.reasons[0].text == (
        "a bucket of 1,501 bytes passes no packet of 1500 bytes on JANET@uk6:POS1/0: its router counts the frame, 4 bytes more "
        "(PPP or HDLC); at least 1,504 bytes are needed (D4.4.2v2 section 2.2: the depth is chosen larger than one MTU; a "
        "router counts the frame)"
    )


def test_an_interface_whose_framing_is_not_known_needs_the_packet_alone() -> None:
    assert isinstance(asked(1501, network=entering_by("Tunnel1")), Admitted)


def test_6net_warns_of_half_a_gigabyte_and_grnet_refuses_it() -> None:
    warned = asked(512_000_000)
    assert isinstance(warned, Admitted)
    assert any("a full bucket of 512,000,000 bytes keeps " in said for said in warned.warnings)
    assert load_scheme("grnet").buckets.delay.refuse_above_ms == 100


def test_half_a_gigabyte_is_no_ef() -> None:
    verdict = asked(512_000_000, STRICT)
    assert isinstance(verdict, Refused)
    assert codes(verdict) == ["bucket"]
    assert "a full bucket of 512,000,000 bytes keeps " in verdict.reasons[0].text
    assert (
        "for 26,4" in verdict.reasons[0].text and "which IP Premium may for 100 ms" in verdict.reasons[0].text
    )


@pytest.mark.parametrize("slowest", [155_000_000, 2_048_000])
def test_the_delay_is_exact_on_the_slowest_link_of_the_path(slowest: int) -> None:
    """50 ms warn and 100 ms refuse, to the byte; the slowest link is the destination's."""
    links = tuple(
        replace(link, usable_bps=slowest) if link.id == GRNET else link for link in NETWORK.access_links
    )
    network = replace(NETWORK, access_links=links)
    slow = min(seen.base_bps for seen in asked(15_000, network=network).evidence)
    assert slow == slowest
    rate = 1000

    def judged(size: int) -> Admitted | Refused:
        return admit(network, grants(), sls(JANET, GRNET, rate, bucket_bytes=size, max_packet_bytes=100), ())

    fifty, hundred = slow // 160, slow // 80
    assert judged(fifty).warnings == ()
    assert [f"at most {fifty:,} bytes" in said for said in judged(fifty + 1).warnings] == [True]
    assert isinstance(judged(hundred), Admitted)
    assert codes(judged(hundred + 1)) == ["bucket"]


def test_a_class_that_is_not_real_time_may_be_deep() -> None:
    classes = tuple(replace(each, phb="AF1") if each.pool else each for each in SCHEME.classes)
    verdict = asked(200_000_000, replace(SCHEME, classes=classes))
    assert isinstance(verdict, Admitted)


@pytest.mark.parametrize(("word", "found"), [("admit", (0, 0)), ("warn", (0, 1)), ("refuse", (1, 0))])
def test_the_schemes_word_decides(word: Word, found: tuple[int, int]) -> None:
    scheme = replace(SCHEME, buckets=Buckets(TooShallow(word, "x", False), BucketDelay(None, None)))
    verdict = asked(1501, scheme)
    assert (len(codes(verdict)), len(verdict.warnings)) == found
    assert isinstance(asked(4_000_000, scheme), Admitted)


def grants() -> Scheme:
    return replace(STRICT, policer="grants")


def test_those_that_share_a_policer_are_judged_in_sum_and_only_warned_of() -> None:
    """Ten buckets of 100,000 bytes are 52 ms of an STM-1 in sum; each alone is 5."""
    others = [SharedBucket(JANET, "ip-premium", 100_000, window(0, 1)) for _ in range(9)]
    wanted = sls(JANET, GRNET, 1_000_000, bucket_bytes=100_000)
    verdict = admit(NETWORK, grants(), wanted, (), sharing=others)
    assert isinstance(verdict, Admitted)
    (said,) = verdict.warnings
    assert "the buckets that share its policer are 1,000,000 bytes in sum" in said and "for 52 ms" in said
    assert admit(NETWORK, grants(), wanted, (), sharing=others[1:]).warnings == ()


def test_who_comes_by_another_link_class_or_time_shares_nothing() -> None:
    wanted = sls(JANET, GRNET, 1_000_000, window(1, 2), bucket_bytes=100_000)
    strangers = [
        SharedBucket(RENATER, "ip-premium", 10**8, window(0, 9)),
        SharedBucket(JANET, "best-effort", 10**8, window(0, 9)),
        SharedBucket(JANET, "ip-premium", 10**8, window(0, 1)),
        SharedBucket(JANET, "ip-premium", 10**8, window(2, 3)),
    ]
    assert admit(NETWORK, grants(), wanted, (), sharing=strangers).warnings == ()
    one_after_another = [
        SharedBucket(JANET, "IPP", 500_000, TimeWindow(at(1 + n / 8), at(1 + (n + 1) / 8))) for n in range(8)
    ]
    assert admit(NETWORK, grants(), wanted, (), sharing=one_after_another).warnings == ()


def test_several_judged_together_share_too() -> None:
    group = [sls(JANET, GRNET, 100_000, identifier=f"s{n}", bucket_bytes=500_000) for n in range(3)]
    verdict = admit_all(NETWORK, grants(), group, ())
    assert isinstance(verdict, tuple)
    assert [len(each.warnings) for each in verdict] == [0, 1, 1]


def test_a_packet_that_the_caps_bucket_may_not_hold_is_warned_of() -> None:
    """Issue 12, row h: 4 ms of 7.75 Mbit/s are 3,875 bytes, and a packet of 4470 with its header never passes them."""

    def warned(packet: int, scheme: Scheme = SCHEME) -> list[str]:
        found = asked(9000, scheme, max_packet_bytes=packet).warnings
        return [each for each in found if "its largest packet" in each]

    (said,) = warned(4470)
    assert said.startswith(f"{JANET}: ")
    assert "4 ms of its policer, 3,875 bytes" in said and "with its header 4,474 bytes" in said
    assert warned(3871) == [] and len(warned(3872)) == 1
    assert warned(4470, replace(SCHEME, policer="grants")) == [], (
        "a policer to grants has the bucket that was asked for"
    )
    assert warned(4470, replace(SCHEME, policers=Policers())) == [], "what an older text was, it stays"
    trusted = SCHEME.policies["TRUSTED-IN"]
    entry = trusted.classes[0]
    assert entry.police is not None
    for size, said_of in ((4474, 0), (4473, 1)):
        police = replace(entry.police, burst_bytes=size)
        classes = (replace(entry, police=police), *trusted.classes[1:])
        written = replace(
            SCHEME, policies={**SCHEME.policies, "TRUSTED-IN": replace(trusted, classes=classes)}
        )
        found = warned(4470, written)
        assert len(found) == said_of
        assert all("4,473 bytes, as its scheme writes it" in each for each in found)


def test_a_cap_has_the_routers_own_bucket_and_more_than_it_holds_is_said() -> None:
    """5 % of 155 Mbit/s are 7.75 Mbit/s, of which 250 ms are 242,187 bytes."""
    fits, over = asked(242_187), asked(242_188)
    assert fits.warnings == ()
    (said,) = over.warnings
    assert "with a bucket of the router's own, at most 242,187 bytes" in said and "may be dropped" in said


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(1, 4), st.integers(1, 300_000)), max_size=8),
    st.integers(0, 8),
    st.integers(1, 4),
)
def test_the_sum_is_the_most_at_any_instant(
    others: list[tuple[int, int, int]], start: int, length: int
) -> None:
    """Against adding up at every half hour."""
    own = 100_000
    sharing = [SharedBucket(JANET, "ip-premium", size, window(at_, at_ + long)) for at_, long, size in others]
    wanted = sls(JANET, GRNET, 1_000, window(start, start + length), bucket_bytes=own)
    halves = [start + half / 2 for half in range(2 * length)]
    most = own + max(sum(size for at_, long, size in others if at_ <= hour < at_ + long) for hour in halves)
    verdict = admit(NETWORK, grants(), wanted, (), sharing=sharing)
    assert isinstance(verdict, Admitted)
    told = [said for said in verdict.warnings if f"{most:,} bytes in sum" in said]
    assert bool(told) == (most * 8000 > 50 * 155_000_000) == bool(verdict.warnings)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"too_shallow": {"then": "never", "choice": "x"}}, "buckets.too_shallow.then"),
        ({"too_shallow": {"choice": "x"}}, "buckets.too_shallow"),
        ({"delay": {"warn_above_ms": 0, "choice": "x"}}, "buckets.delay.warn_above_ms"),
        ({"delay": {"warn_above_ms": "50", "choice": "x"}}, "buckets.delay.warn_above_ms"),
        (
            {"delay": {"warn_above_ms": 60, "refuse_above_ms": 50, "choice": "x"}},
            "buckets.delay.warn_above_ms",
        ),
        ({"delay": {"warn_above_ms": 60}}, "buckets.delay"),
        ({"depth": 5}, "buckets.depth"),
    ],
)
def test_what_a_scheme_says_wrongly_is_refused_by_name(wrong: object, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        from_mapping({**data("6net"), "buckets": wrong})
    assert caught.value.field == field
