"""The knee: the smallest bucket with which a policer hardly costs TCP any throughput.

Siris & Fotiadis, "A test-bed investigation of QoS mechanisms for supporting SLAs in IPv6", slide "Variable
policing rates (3/3)": throughput against burst size has a knee at Bc*, "approximately" 0.6 Mbit + 0.03 sec x Rate
below 40 Mbit/s and 1.5 Mbit + 0.01 sec x Rate above. Measured with TCP at RTT < 4 ms ("IPv6 test-bed"), policing
rates of 10 to 70 Mbit/s ("Variable policing rates (2/3)"). It does not depend on the number of flows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from provisioning.pipeline.units import BitRate, rate_text


@dataclass(frozen=True)
class Branch:
    """``constant_bits`` + ``seconds`` x rate."""

    constant_bits: int
    seconds: Fraction

    def bits(self, rate: BitRate) -> int:
        """The knee in bits at ``rate``, rounded up."""
        return self.constant_bits + -(-rate.bps * self.seconds.numerator // self.seconds.denominator)

    @property
    def formula(self) -> str:
        """As the slide writes it."""
        return f"Bc* = {_mbit(self.constant_bits)} + {float(self.seconds)} s × rate"

    def worked(self, rate: BitRate) -> str:
        """With the numbers put in."""
        return (
            f"{_mbit(self.constant_bits)} + {float(self.seconds)} s × {rate_text(rate.bps)} "
            f"= {_mbit(self.bits(rate))} = {-(-self.bits(rate) // 8)} bytes"
        )


CROSSOVER: Final = BitRate(40_000_000)
"""Where one branch takes over from the other. The slide says "<" and ">": at the rate itself we take the larger."""

MEASURED: Final = (BitRate(10_000_000), BitRate(70_000_000))
"""The lowest and the highest policing rate of which the slides give a throughput."""

BELOW: Final = Branch(600_000, Fraction(3, 100))
ABOVE: Final = Branch(1_500_000, Fraction(1, 100))


def branch_of(rate: BitRate) -> Branch:
    """The branch that holds at ``rate``."""
    return BELOW if rate < CROSSOVER else ABOVE


def knee_bits(rate: BitRate) -> int:
    """Bc* in bits."""
    return branch_of(rate).bits(rate)


def _mbit(bits: int) -> str:
    return f"{bits / 10**6:.6f}".rstrip("0").rstrip(".") + " Mbit"
