"""The burst advisor against the numbers of the slides, worked by hand, and against a token bucket that counts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.errors import InvalidInput
from provisioning.pipeline.advice import CROSSOVER, Provenance, Traffic, advise, knee_bits
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.units import HIGHEST_RATE_BPS, BitRate

M = 10**6
RATES = st.integers(1, HIGHEST_RATE_BPS).map(BitRate)
PACKETS = st.integers(1, 9000)


@pytest.mark.parametrize(
    ("rate", "bits"),
    [
        (10 * M, 900_000),  # 0.6 + 0.3
        (5 * M, 750_000),  # 0.6 + 0.15
        (39_999_999, 1_800_000),  # 0.6 + 1.19999997, rounded up
        (40 * M, 1_900_000),  # the slide says < and >: the larger
        (50 * M, 2_000_000),  # 1.5 + 0.5: the bucket of the slides' own shaping tests
        (70 * M, 2_200_000),
    ],
)
def test_the_knee_of_the_slides(rate: int, bits: int) -> None:
    assert knee_bits(BitRate(rate)) == bits


def test_the_branches_do_not_leave_a_hole() -> None:
    assert knee_bits(BitRate(CROSSOVER.bps - 1)) < knee_bits(CROSSOVER)


def test_elastic_traffic_at_the_rate_of_the_slides() -> None:
    found = advise(BitRate(50 * M), Traffic.ELASTIC, 1500)
    assert found.policer.bucket.size_bytes == 250_000  # 2 Mbit
    assert found.policer.bucket_ms == 40
    assert found.shaper.rate.bps == 51 * M
    assert found.shaper.burst_bits == (250_000 - 1518) * 8
    assert found.shaper.queue_packets == 1000
    knee = found.findings[0]
    assert knee.provenance is Provenance.DOCUMENT
    assert knee.formula == "Bc* = 1.5 Mbit + 0.01 s × rate"
    assert knee.worked == "1.5 Mbit + 0.01 s × 50 Mbit/s = 2 Mbit = 250000 bytes"
    assert found.warnings == (
        "the knee was measured with TCP at RTT under 4 ms: over longer paths nobody has measured it",
    )


def test_a_rate_that_was_not_measured_is_said_to_be_extrapolated() -> None:
    assert "extrapolated" in advise(BitRate(2 * M), Traffic.ELASTIC, 1500).warnings[1]
    assert "extrapolated" in advise(BitRate(70 * M + 1), Traffic.ELASTIC, 1500).warnings[1]


def test_real_time_traffic() -> None:
    found = advise(BitRate(5 * M), Traffic.REAL_TIME, 1500)
    assert found.policer.bucket.size_bytes == 4 * 1518
    assert found.shaper.rate == found.policer.rate == BitRate(5 * M)
    assert found.shaper.burst_bits == 2 * 1518 * 8
    assert found.shaper.queue_packets == 41
    assert found.warnings == ()


@given(RATES, st.sampled_from(Traffic), PACKETS)
def test_a_bucket_always_passes_more_than_one_packet(rate: BitRate, traffic: Traffic, packet: int) -> None:
    found = advise(rate, traffic, packet)
    assert found.policer.bucket.size_bytes >= 2 * packet
    assert found.shaper.burst_bytes > packet
    assert found.shaper.least_bits <= found.shaper.burst_bits <= found.shaper.most_bits
    assert found.shaper.most_bits < found.policer.bucket.size_bytes * 8
    assert found.policer.rate == rate


@given(RATES, PACKETS, st.sampled_from(["cisco-12000", "cisco-7200", "cisco-iosxe", None]))
def test_real_time_is_never_shaped_above_the_policer(
    rate: BitRate, packet: int, platform: str | None
) -> None:
    found = advise(rate, Traffic.REAL_TIME, packet, profile=profile(platform) if platform else None)
    assert found.shaper.rate <= found.policer.rate
    if found.policer.bucket.size_bytes < 512_000_000:
        assert found.shaper.burst_bits < found.policer.bucket.size_bytes * 8


@given(RATES, PACKETS)
def test_elastic_is_shaped_a_little_above(rate: BitRate, packet: int) -> None:
    found = advise(rate, Traffic.ELASTIC, packet)
    assert rate < found.shaper.rate <= BitRate(rate.bps + rate.bps * 2 // 100 + 1)


class Bucket:
    """A token bucket in exact arithmetic: tokens in bits, time in seconds."""

    def __init__(self, rate: int, depth_bits: int) -> None:
        self.rate, self.depth, self.tokens, self.at = (
            rate,
            Fraction(depth_bits),
            Fraction(depth_bits),
            Fraction(0),
        )

    def fill(self, now: Fraction) -> None:
        self.tokens = min(self.depth, self.tokens + (now - self.at) * self.rate)
        self.at = now

    def passes(self, bits: int, now: Fraction) -> bool:
        self.fill(now)
        if self.tokens < bits:
            return False
        self.tokens -= bits
        return True

    def wait(self, bits: int, now: Fraction) -> Fraction:
        """When the packet may leave."""
        self.fill(now)
        when = now + max(Fraction(0), (bits - self.tokens) / self.rate)
        self.fill(when)
        self.tokens -= bits
        return when


@given(
    st.integers(64_000, 100 * M),
    st.lists(st.tuples(st.integers(0, 50), st.integers(20, 1500)), min_size=1, max_size=60),
)
def test_what_the_shaper_lets_through_the_policer_never_drops(
    rate: int, arrivals: list[tuple[int, int]]
) -> None:
    found = advise(BitRate(rate), Traffic.REAL_TIME, 1500)
    shaper = Bucket(found.shaper.rate.bps, found.shaper.burst_bits)
    policer = Bucket(found.policer.rate.bps, found.policer.bucket.size_bytes * 8)
    now = left = Fraction(0)
    for gap_ms, size in arrivals:
        now += Fraction(gap_ms, 1000)
        left = shaper.wait((size + 18) * 8, max(now, left))
        assert policer.passes((size + 18) * 8, left)


def test_the_same_burst_unshaped_is_dropped() -> None:
    found = advise(BitRate(5 * M), Traffic.REAL_TIME, 1500)
    policer = Bucket(found.policer.rate.bps, found.policer.bucket.size_bytes * 8)
    assert [policer.passes(1518 * 8, Fraction(0)) for _ in range(6)] == [True] * 4 + [False] * 2


def test_what_a_7200_would_do_by_itself() -> None:
    found = advise(BitRate(1_500_000), Traffic.REAL_TIME, 1500, profile=profile("cisco-7200", "15.2(4)M3"))
    assert found.platform is not None
    assert (found.platform.documented_bytes, found.platform.observed_bytes) == (750, 46875)
    assert found.platform.certain
    assert any("would pass no packet of 1518 bytes" in text for text in found.warnings)


def test_nobody_knows_what_a_12000_would_do() -> None:
    found = advise(BitRate(7_750_000), Traffic.REAL_TIME, 1500, profile=profile("cisco-12000"))
    assert found.platform is not None and found.platform.observed_bytes is None
    assert any("do not leave the burst to the router" in text for text in found.warnings)


def test_a_shaper_that_cannot_send_less_needs_a_deeper_policer() -> None:
    found = advise(BitRate(50 * M), Traffic.REAL_TIME, 1500, profile=profile("cisco-7200", "12.3(14)T"))
    assert found.shaper.burst_bits == 500_000  # 10 ms
    assert found.policer.bucket.size_bytes == 62_500 + 1518
    assert any("or shape on Linux" in text for text in found.warnings)


def test_a_bucket_that_no_policer_takes_is_cut_to_what_it_takes() -> None:
    low = advise(BitRate(64_000), Traffic.REAL_TIME, 40, profile=profile("cisco-7200", "15.2(4)M3"))
    assert low.policer.bucket.size_bytes == 1000
    high = advise(BitRate(HIGHEST_RATE_BPS), Traffic.ELASTIC, 1500, profile=profile("cisco-iosxe"))
    assert high.policer.bucket.size_bytes == 512_000_000


@pytest.mark.parametrize(
    ("rate", "packet", "field"),
    [
        (0, 1500, "rate"),
        (HIGHEST_RATE_BPS + 1, 1500, "rate"),
        (M, 0, "max_packet_bytes"),
        (M, 65576, "max_packet_bytes"),
    ],
)
def test_what_cannot_be_meant_is_named(rate: int, packet: int, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        advise(BitRate(rate), Traffic.ELASTIC, packet)
    assert caught.value.field == field


def test_traffic_is_one_of_two() -> None:
    assert Traffic.parse("real-time") is Traffic.REAL_TIME
    with pytest.raises(InvalidInput, match="elastic or real-time"):
        Traffic.parse("bulk")
