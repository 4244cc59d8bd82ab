"""The bar beside the evidence of one link direction: what others hold, what is asked, and the share."""

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
