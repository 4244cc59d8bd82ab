"""What would have fitted: less for the whole window, the same later, the same for as long as it fits from the start.

An offer can be taken: it begins no sooner than now, its rate is one that a policer can be given, and it lasts long enough to
be of use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from provisioning.pipeline.admission.demands import Demand, Taken, taken
from provisioning.pipeline.admission.values import CounterOffer
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Segment
from provisioning.pipeline.units import TimeWindow, instant_text, rate_text


@dataclass(frozen=True)
class Offerable:
    """What is offered at all: rates of ``least_bps`` or more in whole ``step_bps``, windows of ``least_length`` or more;
    later starts unless ``later`` is False, as where nothing is known of a later time.

    8000 bit/s is the lowest rate of a policer that any platform is known to take; rates are typed in bit/s, and queues are
    told whole kbit/s (`pipeline.platforms.limits`). Five minutes are our choice.
    """

    least_bps: int = 8000
    step_bps: int = 1000
    least_length: timedelta = timedelta(minutes=5)
    later: bool = True

    def rate(self, most_bps: int) -> int:
        """The highest rate that is offered of `most_bps`, bit/s; 0 where none is."""
        floored = most_bps - most_bps % self.step_bps
        return floored if floored >= max(self.least_bps, 1) else 0

    def long_enough(self, window: TimeWindow) -> bool:
        return window.length is None or window.length >= self.least_length


OFFERABLE = Offerable()


def counter_offers(
    slss: Sequence[Sls],
    demands: Sequence[Demand],
    *,
    now: datetime | None = None,
    offerable: Offerable = OFFERABLE,
) -> tuple[CounterOffer, ...]:
    """Offers that fit all of ``slss`` at once; none when they differ in rate or window, or when nothing fits.

    Each is exact: one step more of rate does not fit, no earlier start does, nor a later end. Where the asked start is before
    ``now`` they begin now (None: there is no now, and they begin when it was asked).
    """
    rate, window = slss[0].rate.bps, slss[0].window
    if any(sls.rate.bps != rate or sls.window != window for sls in slss):
        return ()
    loads = taken(demands)
    begin = window.start if now is None else max(window.start, now)
    left = TimeWindow(begin, window.end) if window.end is None or begin < window.end else None
    blocked = _blocked(rate, begin, loads)
    found = [_less(rate, left, loads, offerable) if left is not None else None]
    if blocked is not None:
        moved = _starting(window, begin)
        found.append(None if moved is None or not offerable.later else _later(rate, moved, blocked))
        found.append(None if left is None else _shorter(rate, left, blocked, window, offerable))
    return tuple(offer for offer in found if offer is not None)


def lower_rate(
    slss: Sequence[Sls], excesses: Sequence[int | None], now: datetime | None, offerable: Offerable
) -> tuple[CounterOffer, ...]:
    """The rate that is less by the worst of ``excesses``, for the whole window; none where one of them is no amount (no path is
    left), the sls differ, or nothing is left.
    """
    rate, window = slss[0].rate.bps, slss[0].window
    known = [excess for excess in excesses if excess is not None]
    if len(known) < len(excesses) or any(sls.rate.bps != rate or sls.window != window for sls in slss):
        return ()
    largest = offerable.rate(max(rate - max(known, default=0), 0))
    begin = window.start if now is None else max(window.start, now)
    if not largest or (window.end is not None and begin >= window.end):
        return ()
    left = TimeWindow(begin, window.end)
    if not offerable.long_enough(left):
        return ()
    text = f"{rate_text(largest)} fits the whole window, after any single failure too"
    return (CounterOffer(largest, left.start, left.end, text, "lower-rate"),)


def _less(rate: int, window: TimeWindow, loads: Sequence[Taken], offerable: Offerable) -> CounterOffer | None:
    """The highest rate that fits the whole window, or what is left of it; none where what was asked fits all that is left."""
    free = min(load.most(load.share_bps - load.committed.peak(window).rate_bps) for load in loads)
    largest = offerable.rate(free)
    if free >= rate or not largest or not offerable.long_enough(window):
        return None
    return CounterOffer(
        largest, window.start, window.end, f"{rate_text(largest)} fits the whole window", "lower-rate"
    )


def _later(rate: int, window: TimeWindow, blocked: Sequence[Sequence[Segment]]) -> CounterOffer | None:
    """The earliest window of the same length, from the start of `window` on."""
    moved = _earliest(window, blocked)
    if moved is None:
        return None
    text = f"{rate_text(rate)} fits from {instant_text(moved.start)} on, for the same length"
    return CounterOffer(rate, moved.start, moved.end, text, "later-start")


def _shorter(
    rate: int,
    left: TimeWindow,
    blocked: Sequence[Sequence[Segment]],
    asked: TimeWindow,
    offerable: Offerable,
) -> CounterOffer | None:
    """The longest window from the start on, within what was asked; none that is all of it."""
    first = min((spans[0].start for spans in blocked if spans), default=None)
    if first is not None and first <= left.start:
        return None
    ends = [end for end in (first, left.end) if end is not None]
    window = TimeWindow(left.start, min(ends, default=None))
    if window == asked or not offerable.long_enough(window):
        return None
    until = "" if window.end is None else f" to {instant_text(window.end)}"
    text = f"{rate_text(rate)} fits from {instant_text(window.start)}{until}"
    return CounterOffer(rate, window.start, window.end, text, "shorter-window")


def _blocked(rate: int, begin: datetime, loads: Sequence[Taken]) -> list[tuple[Segment, ...]] | None:
    """The stretches from `begin` on in which the rate does not fit, by what it loads; None when it never does."""
    found: list[tuple[Segment, ...]] = []
    for load in loads:
        limit = load.share_bps - load.of(rate)
        if limit < 0:
            return None
        found.append(load.committed.above(limit, TimeWindow(begin)))
    return found


def _earliest(window: TimeWindow, blocked: Sequence[Sequence[Segment]]) -> TimeWindow | None:
    """The earliest window of the same length, no earlier than `window`, that no blocked stretch overlaps.

    Whatever blocks a window blocks every start up to its own end, so the search jumps from end to end.
    """
    candidate = window
    cursors = [0] * len(blocked)
    moved = True
    while moved:
        moved = False
        for index, spans in enumerate(blocked):
            while cursors[index] < len(spans):
                span = spans[cursors[index]]
                if candidate.end is not None and span.start >= candidate.end:
                    break
                if span.end is None:
                    return None
                cursors[index] += 1
                if span.end > candidate.start:
                    later = _starting(candidate, span.end)
                    if later is None:
                        return None
                    candidate, moved = later, True
    return candidate


def _starting(window: TimeWindow, start: datetime) -> TimeWindow | None:
    """The window moved to ``start``; None when its end would leave the calendar."""
    try:
        return TimeWindow(start, None if window.length is None else start + window.length)
    except OverflowError:
        return None
