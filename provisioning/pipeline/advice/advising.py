"""The advice itself: elastic traffic by Siris & Fotiadis, real-time traffic by D4.4.2v2 section 2.2."""

from __future__ import annotations

from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.advice.knee import MEASURED, branch_of, knee_bits
from provisioning.pipeline.advice.platform_bursts import PlatformBursts, platform_bursts
from provisioning.pipeline.advice.values import (
    Advice,
    Finding,
    PolicerAdvice,
    Provenance,
    ShaperAdvice,
    Traffic,
)
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.sls import LARGEST_PACKET_BYTES
from provisioning.pipeline.units import HIGHEST_RATE_BPS, BitRate, Burst, rate_text, shown

FRAMING_BYTES: Final = 18
"""What a policer counts beside the packet: the Ethernet header with a VLAN tag, the longest of the access links."""

QUEUE_PACKETS: Final = 1000
PACKETS_IN_BUCKET: Final = 4
PACKETS_IN_SHAPER: Final = 2
FASTER_PERCENT: Final = 2

_SIRIS = "Siris & Fotiadis, A test-bed investigation of QoS mechanisms for supporting SLAs in IPv6"
_DELIVERABLE = "6NET D4.4.2v2, section 2.2"
_OURS = "Expedite"


def advise(
    rate: BitRate, traffic: Traffic, max_packet_bytes: int, *, profile: Profile | None = None
) -> Advice:
    """Bursts for policer and shaper at `rate` (bit/s, layer 3) for packets of up to `max_packet_bytes` (layer 3).

    With a `profile` they are kept within what that platform takes, and what it would do by itself is told.
    Raises InvalidInput naming ``rate`` or ``max_packet_bytes``.
    """
    if not 1 <= rate.bps <= HIGHEST_RATE_BPS:
        raise InvalidInput(
            f"a rate lies between 1 and {HIGHEST_RATE_BPS} bit/s: {shown(rate.bps)}", field="rate"
        )
    if isinstance(max_packet_bytes, bool) or not 1 <= max_packet_bytes <= LARGEST_PACKET_BYTES:
        raise InvalidInput(
            f"a whole number between 1 and {LARGEST_PACKET_BYTES} is needed: {shown(max_packet_bytes)}",
            field="max_packet_bytes",
        )
    platform = None if profile is None else platform_bursts(profile, rate)
    frame = max_packet_bytes + FRAMING_BYTES
    found = _elastic(rate, frame) if traffic is Traffic.ELASTIC else _real_time(rate, frame)
    policer, shaper, findings, warnings = found
    if platform is not None:
        policer, shaper, more = _on(platform, policer, shaper, frame)
        warnings += more
    return Advice(traffic, rate, max_packet_bytes, policer, shaper, findings, warnings, platform)


_Found = tuple[PolicerAdvice, ShaperAdvice, tuple[Finding, ...], tuple[str, ...]]


def _elastic(rate: BitRate, frame: int) -> _Found:
    branch = branch_of(rate)
    knee_bytes = -(-knee_bits(rate) // 8)
    bucket = max(knee_bytes, 2 * frame)
    shaping = BitRate(rate.bps + -(-rate.bps * FASTER_PERCENT // 100))
    most = (bucket - frame) * 8
    least = min(most, max(frame * 8, bucket * 8 // 4))
    findings = (
        Finding(
            "policer bucket",
            branch.formula,
            branch.worked(rate),
            f"{_SIRIS}, slide Variable policing rates (3/3)",
            Provenance.DOCUMENT,
            "below the knee TCP loses throughput to the policer, above it hardly gains; it is the same for any "
            "number of flows, and more than RTT × rate",
        ),
        Finding(
            "shaper rate",
            f"a little above the policer: rate × {100 + FASTER_PERCENT} %",
            f"{rate_text(rate.bps)} × {100 + FASTER_PERCENT} % = {rate_text(shaping.bps)}",
            f"{_SIRIS}, slide Throughput vs. shaping rate (2/2); the per cent are {_OURS}'s",
            Provenance.CHOICE,
            "the slides say a little higher and give no number; far above, the shaper lets through the bursts that "
            "the policer then drops",
        ),
        Finding(
            "shaper burst",
            "the policer's bucket less one largest packet",
            f"({bucket} − {frame}) bytes × 8 = {most} bits",
            f"{_SIRIS}, slides Throughput vs. burst size (2/4) and Delay jitter tests (3/3); the ends are {_OURS}'s",
            Provenance.DERIVED,
            "jitter falls as the burst grows, so the largest burst that the policer still passes whole; more than "
            f"that is dropped several packets at a time, less than about {least} bits overflows the shaper's queue",
        ),
        Finding(
            "shaper queue",
            "as in the tests",
            f"{QUEUE_PACKETS} packets",
            f"{_SIRIS}, slide Throughput vs. burst size (1/4): Buffer Limit = 1000pkts",
            Provenance.DOCUMENT,
            "the buffer with which the slides' throughput was measured",
        ),
    )
    warnings = ["the knee was measured with TCP at RTT under 4 ms: over longer paths nobody has measured it"]
    if not MEASURED[0] <= rate <= MEASURED[1]:
        warnings.append(
            f"{rate_text(rate.bps)} lies outside the measured rates of {rate_text(MEASURED[0].bps)} to "
            f"{rate_text(MEASURED[1].bps)}: the formula is extrapolated"
        )
    shaper = ShaperAdvice(shaping, most, least, most, QUEUE_PACKETS)
    return PolicerAdvice(rate, Burst(bucket)), shaper, findings, tuple(warnings)


def _real_time(rate: BitRate, frame: int) -> _Found:
    bucket = PACKETS_IN_BUCKET * frame
    burst = PACKETS_IN_SHAPER * frame * 8
    findings = (
        Finding(
            "policer bucket",
            f"{PACKETS_IN_BUCKET} × (largest packet + {FRAMING_BYTES} bytes of framing)",
            f"{PACKETS_IN_BUCKET} × {frame} = {bucket} bytes",
            f"{_DELIVERABLE}; how many packets is {_OURS}'s",
            Provenance.CHOICE,
            "the depth is chosen larger than one MTU, and smaller for high priority services to keep jitter low",
        ),
        Finding(
            "shaper rate",
            "the policer's rate, not above it",
            rate_text(rate.bps),
            f"{_DELIVERABLE}: shaping keeps the rate within the limit so that nothing is dropped by policing",
            Provenance.DERIVED,
            "what is dropped of audio and video is not sent again, so nothing may exceed the policer",
        ),
        Finding(
            "shaper burst",
            f"{PACKETS_IN_SHAPER} × (largest packet + {FRAMING_BYTES} bytes of framing)",
            f"{PACKETS_IN_SHAPER} × {frame} × 8 = {burst} bits",
            f"{_DELIVERABLE}; how many packets is {_OURS}'s",
            Provenance.CHOICE,
            "more than one packet, and less than the policer's bucket, so that jitter on the way finds room there",
        ),
        Finding(
            "shaper queue",
            "as many largest packets as leave in 100 ms, at least 10",
            f"{_queue(rate, frame)} packets",
            _OURS,
            Provenance.CHOICE,
            "real-time traffic that has waited longer is of no use any more",
        ),
    )
    shaper = ShaperAdvice(rate, burst, frame * 8 + 8, (bucket - frame) * 8, _queue(rate, frame))
    return PolicerAdvice(rate, Burst(bucket)), shaper, findings, ()


def _queue(rate: BitRate, frame: int) -> int:
    """Largest packets that leave in 100 ms at `rate`, at least 10."""
    return min(QUEUE_PACKETS, max(10, rate.bps // (10 * 8 * frame)))


def _on(
    platform: PlatformBursts, policer: PolicerAdvice, shaper: ShaperAdvice, frame: int
) -> tuple[PolicerAdvice, ShaperAdvice, tuple[str, ...]]:
    """Both within what the platform takes; what had to give way is said."""
    warnings: list[str] = []
    burst = shaper.burst_bits
    least = platform.least_shape_bits(shaper.rate)
    bucket = policer.bucket.size_bytes
    if least is not None and least > burst:
        burst = least
        warnings.append(
            f"a shaper of {platform.platform} {platform.release} sends at least {platform.least_shape_ms} ms at once, "
            f"{least} bits at this rate ({platform.shape_evidence})"
        )
        wanted = -(-least // 8) + frame
        if wanted > bucket:
            warnings.append(
                f"behind such a shaper the policer needs a bucket of {wanted} bytes instead of {bucket}: more jitter, "
                "or shape on Linux"
            )
            bucket = wanted
    kept = min(max(bucket, platform.least_police_bytes), platform.most_police_bytes)
    if kept != bucket:
        warnings.append(
            f"`police bc` takes {platform.least_police_bytes} to {platform.most_police_bytes} bytes "
            f"({platform.police_evidence}): {kept} instead of {bucket}"
        )
    if platform.observed_bytes is None:
        warnings.append(f"do not leave the burst to the router: {platform.evidence}")
    elif platform.documented_bytes < frame:
        warnings.append(
            f"the manual's default of 4 ms, {platform.documented_bytes} bytes here, would pass no packet of "
            f"{frame} bytes"
        )
    most = max(shaper.most_bits, burst)
    return (
        PolicerAdvice(policer.rate, Burst(kept)),
        ShaperAdvice(shaper.rate, burst, shaper.least_bits, most, shaper.queue_packets),
        tuple(warnings),
    )
