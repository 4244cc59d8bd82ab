"""The evidence of a decision as one reader may see it.

The NOC and auditors see all of it. An NREN sees the numbers of its own links; of others (core links, the far
access link) it sees share, what is asked and whether that fits, and for a refusal the interval and the
shortfall: enough to ask for something else, and not what its neighbours have reserved.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from inventory.models import AccessLink
from provisioning.api.v1.base import ApiView
from provisioning.models import Actor
from provisioning.pipeline.units import instant_text, rate_text

_HIDDEN_EVIDENCE = ("committed_peak_bps", "headroom_bps", "peak_at")
_HIDDEN_REASON = ("committed_bps",)


def own_links_of(actor: Actor) -> frozenset[str]:
    """The names of the links whose numbers are the actor's own."""
    return frozenset(AccessLink.objects.filter(nren_id__in=actor.nren_ids).values_list("name", flat=True))


class KnowsOwnLinks(ApiView):
    """A resource whose rows say more of the actor's own links than of others; mixed into it."""

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context with the names of the actor's own links."""
        context = super().get_serializer_context()
        if not getattr(self, "swagger_fake_view", False):
            context["own_links"] = own_links_of(self.actor)
        return context


def shown_to(
    verdict: Mapping[str, Any] | None, *, everything: bool, own_links: Collection[str]
) -> dict[str, Any] | None:
    """Return `verdict` (as ``pipeline.admission.to_json`` writes it) with each row's ``fits`` and what is
    not the reader's to see taken out; None stays None.
    """
    if verdict is None:
        return None
    shown = dict(verdict)
    shown["evidence"] = [
        _evidence(row, everything or row["link"] in own_links) for row in verdict["evidence"]
    ]
    if not everything:
        # What begins with a link and a colon sums what others hold there.
        foreign = tuple(f"{row['link']}: " for row in verdict["evidence"] if row["link"] not in own_links)
        shown["warnings"] = [text for text in verdict.get("warnings", ()) if not text.startswith(foreign)]
    if "failures" in verdict and not everything:
        del shown["failures"]
    if "reasons" in verdict:
        shown["reasons"] = [
            _reason(row, everything or row["link"] in own_links) for row in verdict["reasons"]
        ]
    return shown


def _evidence(row: Mapping[str, Any], full: bool) -> dict[str, Any]:
    shown = {**row, "fits": row["asked_bps"] <= row["headroom_bps"]}
    return shown if full else shown | dict.fromkeys(_HIDDEN_EVIDENCE)


def _reason(row: Mapping[str, Any], full: bool) -> dict[str, Any]:
    if (
        row["code"] == "unprotected" and not full
    ):  # which link fails, and which is too full then, is the NOC's to know
        until = _instant(row["interval_end"]) if row["interval_end"] else "further notice"
        text = f"a single failure in the backbone would take it from {_instant(row['interval_start'])} until {until}"
        return {
            **row,
            **dict.fromkeys(("link", "direction", "share_bps", "committed_bps", "shortfall_bps")),
            "text": text,
        }
    if full or row["committed_bps"] is None:
        return dict(row)
    until = _instant(row["interval_end"]) if row["interval_end"] else "further notice"
    text = (
        f"{row['link']} {row['direction']}: {rate_text(row['shortfall_bps'])} too much "
        f"from {_instant(row['interval_start'])} until {until}"
    )
    return {**row, **dict.fromkeys(_HIDDEN_REASON), "text": text}


def _instant(stored: str) -> str:
    return instant_text(datetime.fromisoformat(stored))
