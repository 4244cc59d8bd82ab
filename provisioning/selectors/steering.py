"""What people said about the course of a change, as sentences: why nothing more of it is begun now."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from provisioning.models import Change
from provisioning.pipeline.units import instant_text

MAY_BEGIN = Q(paused_at__isnull=True)
"""Of changes: those of which a router may be begun; `why_held` says the same of one."""


def why_held(change: Change) -> str:
    """Why no further router of a change is begun, as a sentence; empty: nothing that a person said holds it."""
    if change.paused_at is not None:
        by = change.paused_by.get_username() if change.paused_by else "Expedite"
        return f"{change.reference} is paused by {by} since {instant_text(change.paused_at)}: {change.pause_reason}"
    return ""


def paused() -> QuerySet[Change]:
    """The changes that somebody paused, longest first."""
    rows = Change.objects.filter(paused_at__isnull=False, finished_at__isnull=True)
    return rows.select_related("paused_by").order_by("paused_at", "pk")
