"""The shaper of a pack: never slower than what was granted, never more at once than the edge's policer passes.

What conforms to its request (rate and bucket of layer 3) passes such a shaper and the policer behind it without a drop; what
does not is kept by the shaper to what the policer lets through. A shaper that cannot do both is left out, and the pack says
so: what conforms needs none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.advice import PlatformBursts, platform_bursts
from provisioning.pipeline.packs.edges import Excess
from provisioning.pipeline.packs.values import PackOrder
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.topology import Framing, framing_of, layer2_bps, layer2_bytes, layer3_bytes
from provisioning.pipeline.units import BitRate, rate_text

_STEP_BPS: Final = 8
"""The kernel keeps rates in bytes a second."""
_LEAST_SHAPE_MS: Final = 10
"""Where the shortest interval of a shaper is not known: the longest of the shortest that are."""
_LEAST_RATE_BPS: Final = 8000
_LEAST_BITS: Final = 256
_MOST_BITS: Final = 154_400_000
"""The least rate, and the least and most burst, that `shape` takes (`platforms.limits`)."""


@dataclass(frozen=True)
class LinuxShaper:
    """For tc, which is told to count layer 3: bit/s, bytes, packets. ``wait_ms``: no conforming packet waits longer."""

    rate_bps: int
    burst_bytes: int
    queue_packets: int
    wait_ms: int


@dataclass(frozen=True)
class IosShaper:
    """For `shape average`, which counts frames: bit/s and bits; each interval of burst / rate seconds adds ``burst_bits``.

    ``excess_bits`` is room for one packet more, without which an interval's rest, too small for the next packet, is lost.
    """

    rate_bps: int
    burst_bits: int
    excess_bits: int
    queue_packets: int
    wait_ms: int
    framing: Framing


def linux_shaper(order: PackOrder) -> LinuxShaper | None:
    """The shaper of tc, None where none is to be.

    HTB sends as long as it is not in debt, so it sends its burst and one packet at once: together what the policer passes.
    """
    sls, edge = order.sls, order.edge
    if not edge.shapes:
        return None
    rate = -(-sls.rate.bps // _STEP_BPS) * _STEP_BPS
    burst = max(1, edge.passes_at_once(sls) - sls.max_packet_bytes)
    # What conforms and waits is at most the request's bucket less what left at once, and the packet that is being sent.
    waiting = max(0, sls.bucket_bytes - burst)
    return LinuxShaper(rate, burst, _queue(order), _ms(waiting + sls.max_packet_bytes, rate))


def ios_shaper(order: PackOrder, profile: Profile, uplink: str | None) -> IosShaper | None:
    """The shaper of `profile` on `uplink`, None where none is to be or none fits (`why_no_ios_shaper`)."""
    sls = order.sls
    if not order.edge.shapes:
        return None
    framing, rate, frame, bursts = _in_frames(order, profile, uplink)
    most = (_room(order, framing) - frame) * 8 // 2
    if most < _least_bits(bursts, rate):
        return None
    # As much at once as the policer passes, and no interval longer than the longest that shapers are known to take.
    burst = min(most, _MOST_BITS, max(_LEAST_BITS, rate * _most_ms(bursts) // 1000))
    wait = _ms(sls.bucket_bytes, sls.rate.bps) + -(-burst * 1000 // rate)
    return IosShaper(rate, burst, frame * 8, _queue(order), wait, framing)


def why_no_shaper(order: PackOrder) -> str | None:
    """Why nothing is shaped on any platform; None where something is."""
    if order.edge.coloured:
        return (
            "Not shaped and not marked: your packets carry the colours of their class, which say what may be lost first, and a "
            "shaper that is blind to them drops the best as readily as the worst."
        )
    if order.edge.excess is Excess.LET_THROUGH:
        return (
            "Not shaped: what you send above the rate is let through with a mark of its own, and goes where there is room; a "
            "shaper would take that from you."
        )
    return None


def why_no_ios_shaper(order: PackOrder, profile: Profile, uplink: str | None) -> str:
    """What a bucket would have to be, for an order that `ios_shaper` has none for though it is to be shaped."""
    sls = order.sls
    framing, rate, frame, bursts = _in_frames(order, profile, uplink)
    least = -(-_least_bits(bursts, rate) // 8)
    needed = 2 * least + frame
    asked = layer3_bytes(needed, sls.smallest_packet_bytes, framing.header_bytes) + 1
    has = "has" if order.edge.written else "may have"
    return (
        f"NOT SHAPED. {profile.name} {profile.release} sends at least {least} bytes at once at {rate_text(rate)} "
        f"({bursts.shape_evidence}), up to twice that and a packet where two intervals meet, {needed} bytes; the policer behind "
        f"it {has} a bucket of {_room(order, framing)}, and would drop of traffic that conforms. What conforms needs no shaper; "
        f"if your hosts do not keep to the rate, shape on Linux or ask with a bucket of {asked} bytes"
        f"{'' if order.edge.written else ' once the policer has one'}."
    )


def _in_frames(
    order: PackOrder, profile: Profile, uplink: str | None
) -> tuple[Framing, int, int, PlatformBursts]:
    """How the uplink frames (where its name does not say it, as the backbone's end of the same line does), the granted rate in
    bit/s and the largest packet in bytes as frames, and what a shaper of the platform does at that rate.
    """
    sls = order.sls
    framing = (None if uplink is None else framing_of(uplink)) or order.edge.framing
    rate = max(_LEAST_RATE_BPS, layer2_bps(sls.rate.bps, sls.smallest_packet_bytes, framing.header_bytes))
    frame = sls.max_packet_bytes + framing.header_bytes
    return framing, rate, frame, platform_bursts(profile, BitRate(rate))


def _room(order: PackOrder, framing: Framing) -> int:
    """What may leave the uplink at once so that the policer passes it, bytes with the uplink's headers."""
    sls, edge = order.sls, order.edge
    smallest, behind = sls.smallest_packet_bytes, edge.framing.header_bytes
    passed = min(layer2_bytes(sls.bucket_bytes, smallest, behind), edge.bucket_bytes)
    if framing.header_bytes >= behind:
        return passed
    return passed * (smallest + framing.header_bytes) // (smallest + behind)


def _least_bits(bursts: PlatformBursts, rate_bps: int) -> int:
    known = bursts.least_shape_bits(BitRate(rate_bps))
    return max(_LEAST_BITS, -(-rate_bps * _LEAST_SHAPE_MS // 1000) if known is None else known)


def _most_ms(bursts: PlatformBursts) -> int:
    return 200 if bursts.least_shape_ms == 4 else 2000


def _queue(order: PackOrder) -> int:
    """As many as the advice has, and at least the whole bucket of the request in its smallest packets, and one more."""
    sls = order.sls
    return max(order.advice.shaper.queue_packets, -(-sls.bucket_bytes // sls.smallest_packet_bytes) + 1)


def _ms(size_bytes: int, rate_bps: int) -> int:
    """How long so many bytes take, whole milliseconds, rounded up."""
    return -(-size_bytes * 8000 // rate_bps)
