"""What a platform does with a burst nobody types, and what it takes when somebody does (ios-facts 1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.mqc import default_burst_bytes
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.units import BitRate

_DOCUMENTED_MS: Final = 4
LEAST_POLICE_BYTES: Final = 1000
MOST_POLICE_BYTES: Final = 512_000_000
"""`police bc`: 1000 to 512,000,000 bytes (MWR 2941 command reference, IOS 15.1(3)MR, page 307)."""

_RANGE = "MWR 2941 command reference, IOS 15.1(3)MR, page 307"


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
    known = profile.kind.bursts
    return PlatformBursts(
        platform=profile.name,
        release=str(profile.release),
        documented_bytes=documented,
        observed_bytes=default_burst_bytes(rate.bps) if known.observed else None,
        certain=known.certain,
        evidence=known.evidence,
        least_police_bytes=LEAST_POLICE_BYTES,
        most_police_bytes=MOST_POLICE_BYTES,
        police_evidence=_RANGE,
        least_shape_ms=known.least_shape_ms,
        shape_evidence=known.shape_evidence,
    )
