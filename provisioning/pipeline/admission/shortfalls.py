"""When what is asked is more than is left beside what others hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from provisioning.pipeline.admission.values import LinkEvidence, Reason
from provisioning.pipeline.allowance import Allowance
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Segment, Timeline
from provisioning.pipeline.units import TimeWindow, instant_text, rate_text


def beyond(
    committed: Timeline, limit_bps: int, asked_bps: int, window: TimeWindow, held: Timeline
) -> Sequence[Segment]:
    """The stretches of the window in which `asked_bps` passes the limit beside `committed`, each with the most that is committed
    there. Who asks for no more than it was granted before (`held`) asks for nothing.
    """
    found = committed.above(limit_bps - asked_bps, window)
    return _asked_anew(found, asked_bps, committed, held) if held.steps else found


def _asked_anew(
    found: Iterable[Segment], asked_bps: int, committed: Timeline, held: Timeline
) -> list[Segment]:
    """Those parts of the stretches in which more is asked than was held before."""
    parts: list[Segment] = []
    for over in found:
        for part in held.segments(TimeWindow(over.start, over.end)):
            if part.rate_bps < asked_bps:
                window = TimeWindow(part.start, part.end)
                parts.append(Segment(part.start, part.end, committed.peak(window).rate_bps))
    return parts


def share_reasons(
    sls: Sls, seen: LinkEvidence, committed: Timeline, allowed: Allowance, held: Timeline
) -> Iterator[Reason]:
    """A reason for each stretch in which it does not fit, cut where the share changes."""
    for part in allowed.segments(sls.window):
        share_bps = part.rate_bps
        planned = "" if share_bps == allowed.standing else ", planned otherwise for that time"
        window = TimeWindow(part.start, part.end)
        for over in beyond(committed, share_bps, seen.asked_bps, window, held):
            shortfall = over.rate_bps + seen.asked_bps - share_bps
            until = "open end" if over.end is None else instant_text(over.end)
            yield Reason(
                code="share-exceeded",
                link=seen.link,
                direction=seen.direction,
                interval_start=over.start,
                interval_end=over.end,
                asked_bps=seen.asked_bps,
                share_bps=share_bps,
                committed_bps=over.rate_bps,
                shortfall_bps=shortfall,
                text=(
                    f"{seen.link} {seen.direction}, {instant_text(over.start)} to {until}: "
                    f"{rate_text(seen.asked_bps)} asked, {rate_text(over.rate_bps)} committed, "
                    f"the share is {rate_text(share_bps)} "
                    f"({seen.share_of_base}{planned}): {rate_text(shortfall)} too much"
                ),
            )
