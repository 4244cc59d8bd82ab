"""Whether anything may be written to a router: the setting says so, and nothing holds it."""

from __future__ import annotations

from django.conf import settings

from provisioning.models import Installation
from provisioning.pipeline.units import instant_text


def stop() -> Installation | None:
    """What holds every push of this database, a person or a restore; None: nothing does."""
    return Installation.objects.exclude(push_held="").first()


def copy_held() -> str:
    """Why this restored copy may not act in the place of its original yet; empty: it is none, or it may."""
    held = stop()
    return held.push_held if held is not None and not held.held_by else ""


def is_stopped_by_somebody() -> bool:
    """Whether a person stopped every push, where they could be sent at all."""
    held = stop() if settings.PUSH_ENABLED else None
    return held is not None and bool(held.held_by)


def why_no_push() -> str:
    """Why nothing is sent to any router, as a sentence that says what to do; empty: it may be."""
    if not settings.PUSH_ENABLED:
        return "PUSH_ENABLED is off: nothing is sent to any router. Set PUSH_ENABLED=true to allow it."
    held = stop()
    if held is None:
        return ""
    if not held.held_by:
        return f"Pushing is held: {held.push_held}"
    since = f" since {instant_text(held.held_at)}" if held.held_at else ""
    return f"Every push is stopped by {held.held_by}{since}: {held.push_held}"
