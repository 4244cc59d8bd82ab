"""What would have fitted: the largest rate for the whole window, and the earliest window of the same
length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from provisioning.pipeline.admission.values import CounterOffer
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Segment, Timeline
from provisioning.pipeline.topology import LinkDirection
from provisioning.pipeline.units import TimeWindow, instant_text, rate_text


@dataclass(frozen=True)
class Demand:
    """One load of one Sls: the share in bit/s and what *others* hold on it over time."""

    load: LinkDirection
    pool: str
    share_bps: int
    committed: Timeline


def counter_offers(slss: Sequence[Sls], demands: Sequence[Demand]) -> tuple[CounterOffer, ...]:
    """Offers that fit all of ``slss`` at once; none when they differ in rate or window, or when nothing fits.

    The rate offer is exact: one bit/s more does not fit. The window offer starts at the earliest instant from
    the asked start on, never before it.
    """
    rate, window = slss[0].rate.bps, slss[0].window
    if any(sls.rate.bps != rate or sls.window != window for sls in slss):
        return ()
    times = Counter((demand.load, demand.pool) for demand in demands)
    offers: list[CounterOffer] = []
    largest = min(
        (demand.share_bps - demand.committed.peak(window).rate_bps) // times[demand.load, demand.pool]
        for demand in demands
    )
    if 0 < largest < rate:
        text = f"{rate_text(largest)} fits the whole window"
        offers.append(CounterOffer(largest, window.start, window.end, text))
    moved = _earliest(rate, window, demands, times)
    if moved is not None:
        text = f"{rate_text(rate)} fits from {instant_text(moved.start)} on, for the same length"
        offers.append(CounterOffer(rate, moved.start, moved.end, text))
    return tuple(offers)


def _earliest(
    rate: int, window: TimeWindow, demands: Sequence[Demand], times: Counter[tuple[LinkDirection, str]]
) -> TimeWindow | None:
    """The earliest window of the same length in which ``rate`` fits everywhere.

    Whatever blocks a window blocks every start up to its own end, so the search jumps from end to end.
    """
    blocked: list[tuple[Segment, ...]] = []
    for demand in demands:
        limit = demand.share_bps - rate * times[demand.load, demand.pool]
        if limit < 0:
            return None
        blocked.append(demand.committed.above(limit, TimeWindow(window.start)))
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
