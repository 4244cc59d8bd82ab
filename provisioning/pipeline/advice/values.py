"""What the burst advisor answers: numbers in the units in which they are typed, and why each is what it is.

Three units meet here: Siris & Fotiadis write Mbit, IOS ``police bc`` takes bytes, IOS ``shape`` takes bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from provisioning.errors import InvalidInput
from provisioning.pipeline.advice.platform_bursts import PlatformBursts
from provisioning.pipeline.units import BitRate, Burst, shown


class Traffic(StrEnum):
    """How the traffic behaves: TCP that fills what it gets, or audio and video that comes as it comes."""

    ELASTIC = "elastic"
    REAL_TIME = "real-time"

    @classmethod
    def parse(cls, text: object) -> Traffic:
        """The kind of that name; raises InvalidInput naming ``traffic``."""
        try:
            return cls(str(text))
        except ValueError:
            names = " or ".join(kind.value for kind in cls)
            raise InvalidInput(f"traffic is {names}, not {shown(text)}", field="traffic") from None


class Provenance(StrEnum):
    """Where a number stands: in a document, in what follows from one, in a manual, or with us."""

    DOCUMENT = "document"
    DERIVED = "derived"
    MANUAL = "manual"
    CHOICE = "our choice"


@dataclass(frozen=True)
class Finding:
    """One number: what it is, the formula, the same with the numbers put in, and who says so."""

    about: str
    formula: str
    worked: str
    source: str
    provenance: Provenance
    reason: str


@dataclass(frozen=True)
class PolicerAdvice:
    """The policer at the edge: its rate and its bucket in bytes, the unit of ``police bc``."""

    rate: BitRate
    bucket: Burst

    @property
    def bucket_ms(self) -> int:
        """The bucket in milliseconds at the rate, rounded up: what ``police cir percent N bc M ms`` takes."""
        return -(-self.bucket.size_bytes * 8 * 1000 // self.rate.bps)


@dataclass(frozen=True)
class ShaperAdvice:
    """The shaper in front of it: rate, burst in bits (the unit of ``shape``), the range around it, the queue.

    ``least_bits`` and ``most_bits`` are the ends of the range in which throughput is kept; ``queue_packets``
    is how many packets may wait.
    """

    rate: BitRate
    burst_bits: int
    least_bits: int
    most_bits: int
    queue_packets: int

    @property
    def burst_bytes(self) -> int:
        """The burst in bytes, rounded down: what ``tc`` takes."""
        return self.burst_bits // 8


@dataclass(frozen=True)
class Advice:
    """Bursts for one flow of ``rate`` whose largest packet has ``max_packet_bytes`` at layer 3."""

    traffic: Traffic
    rate: BitRate
    max_packet_bytes: int
    policer: PolicerAdvice
    shaper: ShaperAdvice
    findings: tuple[Finding, ...]
    warnings: tuple[str, ...]
    platform: PlatformBursts | None = None
