"""What a platform does with a burst nobody types, and what it takes when somebody does (ios-facts 1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.mqc import default_burst_bytes
from provisioning.pipeline.platforms import GSR, IOS_XE, Profile
from provisioning.pipeline.units import BitRate

_DOCUMENTED_MS: Final = 4
LEAST_POLICE_BYTES: Final = 1000
MOST_POLICE_BYTES: Final = 512_000_000
"""`police bc`: 1000 to 512,000,000 bytes (MWR 2941 command reference, IOS 15.1(3)MR, page 307)."""

_RANGE = "MWR 2941 command reference, IOS 15.1(3)MR, page 307"
_BEFORE_HQF = "Cisco IOS in a Nutshell, shape (policy-map): bursts of 10 to 2000 ms"
_HQF = "ASR 901 command reference, page 1-141: bursts of 4 to 200 ms, default 4 ms"


@dataclass(frozen=True)
class PlatformBursts:
    """A platform's bursts at one rate, in bytes.

    ``documented_bytes`` is the 4 ms of the manuals; ``observed_bytes`` what routers of the kind showed when nothing
    was typed, None where no router was seen; ``certain`` says whether that was this very platform.
    ``least_shape_ms`` is the shortest interval its shaper is known to take, None where that is not known: a
    shaper sends a whole burst at once, so the interval times the rate is the least it bursts.
    """

    platform: str
    release: str
    documented_bytes: int
    observed_bytes: int | None
    certain: bool
    evidence: str
    least_police_bytes: int
    most_police_bytes: int
    police_evidence: str
    least_shape_ms: int | None
    shape_evidence: str

    def least_shape_bits(self, rate: BitRate) -> int | None:
        """The smallest burst of the shaper at ``rate`` in bits, rounded up; None where it is not known."""
        return None if self.least_shape_ms is None else -(-rate.bps * self.least_shape_ms // 1000)


def platform_bursts(profile: Profile, rate: BitRate) -> PlatformBursts:
    """The bursts of ``profile`` at ``rate``."""
    documented = max(1, rate.bps * _DOCUMENTED_MS // 8000)
    observed: int | None = default_burst_bytes(rate.bps)
    if profile.name == GSR:
        observed, certain = None, False
        evidence = "no 12000 was seen: its default is not known (ios-facts 1.3, U7); read it from the router"
    elif profile.name == IOS_XE:
        certain = False
        evidence = (
            "a Catalyst 9000 shows rate/32 (250 ms); an ASR or ISR showed 83619 bytes at 445,500 bit/s, "
            "which is no such rule (ios-facts 1.3)"
        )
    else:
        certain = profile.hqf
        evidence = "a 7200 with 15.x shows rate/32, that is 250 ms, against the manual's 4 ms (ios-facts 1.3)"
        if not profile.hqf:
            evidence += "; older trains print rate/32 too (ios-facts N15)"
    hqf = profile.hqf and profile.name != GSR
    unknown = profile.name == GSR
    return PlatformBursts(
        platform=profile.name,
        release=str(profile.release),
        documented_bytes=documented,
        observed_bytes=observed,
        certain=certain,
        evidence=evidence,
        least_police_bytes=LEAST_POLICE_BYTES,
        most_police_bytes=MOST_POLICE_BYTES,
        police_evidence=_RANGE,
        least_shape_ms=None if unknown else 4 if hqf else 10,
        shape_evidence="not known for the 12000's line cards" if unknown else _HQF if hqf else _BEFORE_HQF,
    )
