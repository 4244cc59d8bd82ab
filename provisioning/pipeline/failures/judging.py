"""What the effects of failures mean for single requests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from provisioning.pipeline.failures.values import Effect, Exposure
from provisioning.pipeline.units import TimeWindow


def exposures(
    effects: Iterable[Effect], ids: Collection[str], window: TimeWindow | None = None
) -> tuple[Exposure, ...]:
    """Why any of ``ids`` is unprotected, by failure, link and time (within ``window``); nothing where all are protected."""
    found: set[Exposure] = set()
    for effect in effects:
        found |= {Exposure(cut.failure, cut.start, cut.end) for cut in effect.cuts if cut.id in ids}
        found |= {
            Exposure(each.failure, each.start, each.end, each.load, each.share_bps, each.load_bps)
            for each in effect.overloads
            if any(name in ids for name in each.ids)
        }
    if window is not None:
        found = {_within(each, window) for each in found}
    return tuple(
        sorted(found, key=lambda each: (each.failure, not each.cut_off, str(each.load or ""), each.start))
    )


def _within(each: Exposure, window: TimeWindow) -> Exposure:
    ends = [end for end in (each.end, window.end) if end is not None]
    return replace(each, start=max(each.start, window.start), end=min(ends, default=None))
