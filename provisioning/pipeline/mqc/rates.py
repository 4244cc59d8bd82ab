"""Rates and bursts as MQC writes them. A percentage is never a rate in bit/s, whatever the interface
(ios-facts 1.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from provisioning.errors import InvalidInput
from provisioning.pipeline.units import share_of


def _whole(value: int, field: str, least: int = 0) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidInput(f"{value!r} is not a whole number of at least {least}", field=field)


@dataclass(frozen=True, slots=True, order=True)
class Bps:
    """A rate in bit/s."""

    value: int

    def __post_init__(self) -> None:
        _whole(self.value, "rate", 1)


@dataclass(frozen=True, slots=True, order=True)
class Percent:
    """A rate in percent of the interface's bandwidth (ios-facts 1.4), above 0 and at most 100."""

    value: Decimal

    def __post_init__(self) -> None:
        try:
            value = Decimal(self.value)
        except (InvalidOperation, TypeError, ValueError):
            raise InvalidInput(f"{self.value!r} is not a percentage", field="percent") from None
        if not 0 < value <= 100:
            raise InvalidInput(f"{value} is not within 0..100 percent", field="percent")
        object.__setattr__(self, "value", value)

    def __str__(self) -> str:
        return format(self.value.normalize(), "f")


@dataclass(frozen=True, slots=True, order=True)
class BurstBytes:
    """A policer's bucket in bytes."""

    value: int

    def __post_init__(self) -> None:
        _whole(self.value, "burst")


@dataclass(frozen=True, slots=True, order=True)
class BurstBits:
    """A shaper's bucket in bits: ``shape`` counts bits where ``police`` counts bytes."""

    value: int

    def __post_init__(self) -> None:
        _whole(self.value, "burst")


@dataclass(frozen=True, slots=True, order=True)
class BurstMs:
    """A bucket in milliseconds at the rate it belongs to (ios-facts N18)."""

    value: int

    def __post_init__(self) -> None:
        _whole(self.value, "burst")


Rate = Bps | Percent


def in_bps(rate: Rate, bandwidth_bps: int | None) -> int | None:
    """The rate in bit/s, a percentage floored; None for a percentage of a bandwidth that is not known."""
    if isinstance(rate, Bps):
        return rate.value
    return None if bandwidth_bps is None else share_of(bandwidth_bps, rate.value)


def default_burst_bytes(rate_bps: int) -> int:
    """The bucket in bytes that trains which expand defaults print for a rate: rate/32, at least 1500
    (ios-facts N15).
    """
    return max(1500, rate_bps // 32)
