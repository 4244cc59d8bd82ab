"""A verdict on a page: the evidence with its bars and the reasons, as far as the reader may see what others hold."""

from __future__ import annotations

from typing import Any

from provisioning.pipeline.admission import Seen
from provisioning.services.requests import Tried
from provisioning.web import spelling
from provisioning.web.bars import bar_of


def shown(seen: Seen) -> dict[str, Any]:
    """Return what pages show of a verdict: the links with their bars, the reasons, the offers and the doubts."""
    return {
        "fits": seen.fits,
        "evidence": [(one, bar_of(one)) for one in seen.links],
        "reasons": [spelling.reason(one) for one in seen.reasons],
        "offers": seen.counter_offers,
        "doubts": seen.warnings,
    }


def shown_verdict(tried: Tried | None) -> dict[str, Any]:
    """Return what `parts/verdict.html` shows of what would happen; nothing where nothing was tried."""
    if tried is None:
        return {}
    return {"tried": tried, **shown(tried.seen), "may_use": True}
