"""What was used beside what was reserved, as rates at layer 3 and as one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.units import rate_text
from provisioning.pipeline.usage.counting import Count

LOST_SHARE: Final = 0.001
"""A share of packets dropped that is worth a word: one in a thousand (D4.4.2v2 table 3 lost 0.082 %, and called it none)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Rates in bit/s at layer 3 over an interval, None where not known; ``lost`` is the share of packets that the policer
    dropped, 0 to 1. ``is_at_least``: something of the interval is not known.
    """

    sent_bps: int | None
    passed_bps: int | None
    reserved_bps: int
    lost: float | None
    is_at_least: bool = False

    @property
    def loses(self) -> bool:
        """Whether packets were dropped in numbers worth a word."""
        return self.lost is not None and self.lost >= LOST_SHARE

    @property
    def is_over(self) -> bool:
        """Whether more was sent than is reserved."""
        return self.sent_bps is not None and self.sent_bps > self.reserved_bps

    @property
    def share(self) -> float | None:
        """Sent in parts of reserved; None where nothing is reserved or nothing known."""
        return None if self.sent_bps is None or not self.reserved_bps else self.sent_bps / self.reserved_bps

    def __str__(self) -> str:
        if self.sent_bps is None:
            return "What is sent is not known."
        most = "at least " if self.is_at_least else ""
        said = f"{most}{rounded(self.sent_bps)} of {rate_text(self.reserved_bps)}"
        return f"{said}; {percent(self.lost or 0.0)} dropped" if self.loses else said


def judge(
    count: Count,
    seconds: float | None,
    header_bytes: int | None,
    reserved_bps: int,
    *,
    at_least: bool = False,
) -> Verdict:
    """Return the verdict on what was counted in so many seconds. Bytes become those of layer 3 by the packets: each was counted
    with a header of `header_bytes`.
    """
    sent = _layer3_bps(count.bytes, count.packets, seconds, header_bytes)
    passed = _layer3_bps(count.passed_bytes, count.passed_packets, seconds, header_bytes)
    if sent is None and passed is not None:
        over = _layer3_bps(count.dropped_bytes, count.dropped_packets, seconds, header_bytes)
        sent = passed + (over or 0)
    return Verdict(sent, passed, reserved_bps, _lost(count), at_least)


def _layer3_bps(
    size: int | None, packets: int | None, seconds: float | None, header_bytes: int | None
) -> int | None:
    if size is None or packets is None or header_bytes is None or not seconds or seconds <= 0:
        return None
    return round(max(size - packets * header_bytes, 0) * 8 / seconds)


def _lost(count: Count) -> float | None:
    if count.passed_packets is None or count.dropped_packets is None:
        return None
    every = count.passed_packets + count.dropped_packets
    return count.dropped_packets / every if every else 0.0


def rounded(bps: int) -> str:
    """A measured rate with three digits: 2.31M, 640k."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if bps >= size:
            number = bps / size
            digits = 2 if number < 10 else 1 if number < 100 else 0
            text = f"{number:.{digits}f}"
            return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {letter}bit/s"
    return f"{bps} bit/s"


def percent(share: float) -> str:
    """A share as people say it: 13 %, 0.3 %."""
    return f"{share * 100:.0f} %" if share >= 0.1 else f"{share * 100:.1f} %"
