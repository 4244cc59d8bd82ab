"""A verdict in lines: what each link has, and where it does not fit what would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from provisioning.pipeline.units import rate_text

if TYPE_CHECKING:
    from provisioning.pipeline.admission import Seen


def evidence_lines(seen: Seen) -> Iterator[str]:
    """Return a line for each link direction, then the warnings."""
    for found in seen.links:
        held = found.committed_peak_bps
        fits = "fits" if found.fits else "does not fit"
        yield (
            f"{found.link} {found.direction}: {rate_text(found.asked_bps)} asked, "
            f"{fits if held is None else f'{rate_text(held)} committed'}, share {rate_text(found.share_bps)} "
            f"({found.share_of_base}{', our choice' if found.share_is_choice else ''}"
            f"{', planned otherwise for that time' if found.is_planned else ''}); {found.served}"
        )
    for text in seen.warnings:
        yield f"WARNING: {text}"


def refusal_lines(seen: Seen) -> list[str]:
    """Return every reason, and every offer."""
    offers = [
        f"would fit: {offer.text}" + (f" ({offer.kind})" if offer.kind else "")
        for offer in seen.counter_offers
    ]
    return [*(cause.text for cause in seen.reasons), *offers]
