"""A verdict in lines: what each link has, and where it does not fit what would."""

from __future__ import annotations

from collections.abc import Iterator

from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.units import rate_text


def evidence_lines(verdict: Admitted | Refused) -> Iterator[str]:
    """Return a line for each link direction, then the warnings."""
    for found in verdict.evidence:
        yield (
            f"{found.link} {found.direction}: {rate_text(found.asked_bps)} asked, "
            f"{rate_text(found.committed_peak_bps)} committed, share {rate_text(found.share_bps)} "
            f"({found.share_of_base}{', our choice' if found.share_is_choice else ''}"
            f"{', planned otherwise for that time' if found.is_planned else ''}); {found.served}"
        )
    for text in verdict.warnings:
        yield f"WARNING: {text}"


def refusal_lines(verdict: Refused) -> list[str]:
    """Return every reason, and every offer."""
    offers = [
        f"would fit: {offer.text}" + (f" ({offer.kind})" if offer.kind else "")
        for offer in verdict.counter_offers
    ]
    return [*(cause.text for cause in verdict.reasons), *offers]
