"""Rate, traffic, packet size, platform -> bursts for policer and shaper, each with its formula and its source."""

from provisioning.pipeline.advice.advising import advise
from provisioning.pipeline.advice.knee import CROSSOVER, MEASURED, knee_bits
from provisioning.pipeline.advice.platform_bursts import PlatformBursts, platform_bursts
from provisioning.pipeline.advice.values import (
    Advice,
    Finding,
    PolicerAdvice,
    Provenance,
    ShaperAdvice,
    Traffic,
)

__all__ = [
    "Advice",
    "CROSSOVER",
    "Finding",
    "MEASURED",
    "PlatformBursts",
    "PolicerAdvice",
    "Provenance",
    "ShaperAdvice",
    "Traffic",
    "advise",
    "knee_bits",
    "platform_bursts",
]
