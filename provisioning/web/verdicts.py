"""A verdict on a page: the evidence with its bars and the reasons, as far as the reader may see what others hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inventory.models import AccessLink
from provisioning.models import Actor
from provisioning.pipeline.admission import Refused
from provisioning.services.requests import Tried
from provisioning.web import spelling
from provisioning.web.bars import bar_of


def sees(actor: Actor) -> Callable[[str | None], bool]:
    """Return whether a person sees what others hold on a link: the NOC and auditors on all, an NREN on its own."""
    if actor.sees_everything:
        return lambda _link: True
    own = set(AccessLink.objects.filter(nren_id__in=actor.nren_ids).values_list("name", flat=True))
    return lambda link: link in own


def shown_verdict(actor: Actor, tried: Tried | None) -> dict[str, Any]:
    """Return what `parts/verdict.html` shows of what would happen; nothing where nothing was tried."""
    if tried is None:
        return {}
    full, verdict = sees(actor), tried.evidence
    # What begins with a link and a colon sums what others hold there.
    foreign = tuple(f"{one.link}: " for one in verdict.evidence if not full(one.link))
    return {
        "tried": tried,
        "verdict": verdict,
        "fits": not isinstance(verdict, Refused),
        "evidence": [(one, bar_of(one) if full(one.link) else None) for one in verdict.evidence],
        "reasons": [spelling.reason(one, full=full(one.link)) for one in verdict.reasons]
        if isinstance(verdict, Refused)
        else [],
        "doubts": [text for text in verdict.warnings if not text.startswith(foreign)]
        if foreign
        else verdict.warnings,
        "may_use": True,
    }
