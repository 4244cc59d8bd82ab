"""Rates, bursts and windows of time: integers and aware instants, never floats, never a clock.

Rates are bits per second of layer 3 (D4.4.2v2 section 2.2: a policer's "agreed sending rate"), bursts are
bytes (the unit of IOS ``police bc``), windows are half-open: ``[start, end)``, so that two that only touch do
not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final

from provisioning.errors import InvalidInput

HIGHEST_RATE_BPS = 10**12
"""The largest rate a request may name: a thousand times the fastest card of the documents, so only a slip
exceeds it.
"""

_RATE_TEXT = re.compile(
    r"(?P<number>[0-9]{1,24}(?:\.[0-9]{1,15})?)\s*(?P<prefix>[kKMGT]?)(?:bit/s|bps|b/s)?", re.ASCII
)
_FACTOR = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_STEPS = ((10**12, "Tbit/s"), (10**9, "Gbit/s"), (10**6, "Mbit/s"), (10**3, "kbit/s"))


@dataclass(frozen=True, order=True)
class BitRate:
    """A rate of ``bps`` bits per second, zero or more; whole numbers only."""

    bps: int

    def __post_init__(self) -> None:
        if isinstance(self.bps, bool) or not isinstance(self.bps, int):
            raise InvalidInput(
                f"a rate is a whole number of bit/s, not {type(self.bps).__name__}", field="rate"
            )
        if self.bps < 0:
            raise InvalidInput(f"a rate is never negative: {shown(self.bps)} bit/s", field="rate")

    @classmethod
    def parse(cls, value: object, *, field: str = "rate") -> BitRate:
        """The rate in ``2000000``, ``"2M"``, ``"7.75 Mbit/s"`` or ``"64 kbit/s"``; prefixes are powers of
        ten.

        Raises InvalidInput naming ``field`` for anything else, for a negative one, and when the number is not
        whole in bit/s (a rate is never rounded on the way in).
        """
        if isinstance(value, BitRate):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            if value < 0:
                raise InvalidInput(f"a rate is never negative: {shown(value)} bit/s", field=field)
            return cls(value)
        if not isinstance(value, str):
            raise InvalidInput(
                f"a rate is a whole number of bit/s or text such as '2 Mbit/s', not {shown(value)}",
                field=field,
            )
        text = value.strip()
        found = _RATE_TEXT.fullmatch(text) if len(text) <= 60 else None
        if found is None:
            raise InvalidInput(f"not a rate: {text[:60]!r} (write 2000000, 2M or '2 Mbit/s')", field=field)
        exact = Fraction(found["number"]) * _FACTOR[found["prefix"]]
        if exact.denominator != 1:
            raise InvalidInput(f"{text!r} is not a whole number of bit/s", field=field)
        return cls(exact.numerator)

    def __add__(self, other: BitRate) -> BitRate:
        return BitRate(self.bps + other.bps)

    def __sub__(self, other: BitRate) -> BitRate:
        """The difference; raises InvalidInput when it would be negative."""
        return BitRate(self.bps - other.bps)

    def __str__(self) -> str:
        return rate_text(self.bps)


def shown(value: object) -> str:
    """``value`` for an error message: its first 40 characters, or the size of a number too long to print."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"a number of {value.bit_length()} bits"
    return f"{value!r:.40}"


def rate_text(bps: int) -> str:
    """``bps`` in words, exact and never rounded: ``7750001`` is ``7.750001 Mbit/s``; negative numbers keep
    their sign.
    """
    for factor, unit in _STEPS:
        if abs(bps) >= factor:
            return f"{(Decimal(bps) / factor).normalize():f} {unit}"
    return f"{bps} bit/s"


def first_few(names: Sequence[str], most: int) -> str:
    """``a, b and 3 more``: names as a sentence says them, so many at most."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def how_many(number: int, noun: str) -> str:
    """``1 line``, ``2 lines``: a count as people read it; ``noun`` takes an s."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


@lru_cache(maxsize=4096)
def share_of(base_bps: int, percent: Decimal | Fraction | int) -> int:
    """``percent`` per cent of ``base_bps`` in bit/s, floored (D4.4.2v2 section 2.4.1: a maximum is never
    rounded up).

    Raises InvalidInput for a negative base and for a percentage outside 0..100.
    """
    exact = Fraction(percent)
    if base_bps < 0:
        raise InvalidInput(f"the base of a share is never negative: {base_bps} bit/s", field="base_bps")
    if not 0 <= exact <= 100:
        raise InvalidInput(f"a share lies between 0 and 100 per cent: {percent}", field="percent")
    return int(base_bps * exact / 100)


@dataclass(frozen=True, order=True)
class Burst:
    """A token bucket's depth in bytes (D4.4.2v2 section 2.2); IOS ``police bc`` takes the same unit."""

    size_bytes: int

    def __post_init__(self) -> None:
        if isinstance(self.size_bytes, bool) or not isinstance(self.size_bytes, int) or self.size_bytes <= 0:
            raise InvalidInput(
                f"a burst is a whole number of bytes above 0: {shown(self.size_bytes)}", field="bucket_bytes"
            )

    def __str__(self) -> str:
        return f"{self.size_bytes} bytes"


@dataclass(frozen=True)
class TimeWindow:
    """The half-open interval ``[start, end)``; ``end`` None is open. Kept in UTC, so that equal instants are
    equal.

    Raises InvalidInput naming ``window_start`` or ``window_end`` for an instant without a time zone and for
    an end that is not after the start.
    """

    start: datetime
    end: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", _in_utc(self.start, "window_start"))
        if self.end is not None:
            object.__setattr__(self, "end", _in_utc(self.end, "window_end"))
            if self.end <= self.start:
                raise InvalidInput(
                    f"the end {instant_text(self.end)} is not after the start {instant_text(self.start)}",
                    field="window_end",
                )

    @property
    def length(self) -> timedelta | None:
        """The time from start to end; None when the end is open."""
        return None if self.end is None else self.end - self.start

    def contains(self, instant: datetime) -> bool:
        """True from the start on and before the end."""
        return self.start <= instant and (self.end is None or instant < self.end)

    def overlaps(self, other: TimeWindow) -> bool:
        """True when the two share an instant; windows that only touch do not."""
        return (other.end is None or self.start < other.end) and (self.end is None or other.start < self.end)

    def __str__(self) -> str:
        return f"{instant_text(self.start)} .. {'open' if self.end is None else instant_text(self.end)}"


def covering(windows: Iterable[TimeWindow]) -> TimeWindow:
    """The window from the first start to the last end of ``windows``, one at least."""
    every = list(windows)
    ends = [window.end for window in every]
    last = None if None in ends else max(end for end in ends if end is not None)
    return TimeWindow(min(window.start for window in every), last)


OPEN_TICKS: Final = 1 << 62
"""In microseconds since 1970, after every instant: no end."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)


def ticks_of(instant: datetime) -> int:
    """The microseconds from 1970 until an instant: what is added up by the hundred thousand is an integer."""
    return (instant - _EPOCH) // _TICK


def instant_of(ticks: int) -> datetime:
    """The instant after so many microseconds, in UTC."""
    return _EPOCH + ticks * _TICK


def instant_text(instant: datetime) -> str:
    """An instant for people: ``2026-11-21 03:40:58 UTC``. Values keep their fractions, sentences do not."""
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _in_utc(instant: datetime, field: str) -> datetime:
    if not isinstance(instant, datetime):
        raise InvalidInput(f"not an instant: {instant!r:.60}", field=field)
    if instant.utcoffset() is None:
        raise InvalidInput("an instant needs its time zone", field=field)
    try:
        return instant.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"out of the range of the calendar: {instant.isoformat()}", field=field) from error
