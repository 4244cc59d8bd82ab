"""Bars: what others hold of a link direction, what is asked, and the share; what a link carries now and at its peak to come."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.pipeline.admission import LinkEvidence, SeenLink
from provisioning.web.spelling import rate


@dataclass(frozen=True)
class Bar:
    """Widths in thousandths of the bar. ``limit`` is where the share ends; what lies beyond it is ``over``."""

    held: float
    asked_from: float
    asked: float
    over_from: float
    over: float
    limit: float
    text: str


def bar_of(evidence: LinkEvidence | SeenLink) -> Bar | None:
    """Return the bar of one link direction, None where what is held is not the reader's to see; the whole length is the share, or
    more when the share is exceeded.
    """
    if evidence.committed_peak_bps is None:
        return None
    total = evidence.committed_peak_bps + evidence.asked_bps
    whole = max(evidence.share_bps, total, 1)

    def part(value: float) -> float:
        return round(1000 * max(0.0, value) / whole, 1)

    fits = max(0, min(evidence.asked_bps, evidence.share_bps - evidence.committed_peak_bps))
    over = total - max(evidence.share_bps, evidence.committed_peak_bps)
    return Bar(
        held=part(evidence.committed_peak_bps),
        asked_from=part(evidence.committed_peak_bps),
        asked=part(fits),
        over_from=part(max(evidence.share_bps, evidence.committed_peak_bps)),
        over=part(over),
        limit=part(evidence.share_bps),
        text=(
            f"{rate(evidence.committed_peak_bps)} held by others, {rate(evidence.asked_bps)} asked, "
            f"share {rate(evidence.share_bps)}"
        ),
    )


def bar_of_use(now_bps: int, peak_bps: int, share_bps: int) -> Bar:
    """Return the bar of what is committed now (``held``) and of what is more at the peak to come (``asked``), against the share;
    longer than the share where more than that is committed. ``text`` says all three, and both in per cent of the share.
    """
    whole = max(share_bps, peak_bps, 1)

    def part(value: int) -> float:
        return round(1000 * max(0, value) / whole, 1)

    within = min(now_bps, share_bps)
    return Bar(
        held=part(within),
        asked_from=part(within),
        asked=part(min(peak_bps, share_bps) - within),
        over_from=part(share_bps),
        over=part(peak_bps - share_bps),
        limit=part(share_bps),
        text=(
            f"{rate(now_bps)} now ({percent(now_bps, share_bps)}), {rate(peak_bps)} at the peak to come "
            f"({percent(peak_bps, share_bps)}), share {rate(share_bps)}"
        ),
    )


def percent(bps: int, share_bps: int) -> str:
    """Return a rate in per cent of a share, rounded up: what is nearly all of it is not shown as less."""
    return "-" if share_bps <= 0 else f"{-(-100 * bps // share_bps)} %"
