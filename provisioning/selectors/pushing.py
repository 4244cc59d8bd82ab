"""Whether anything may be written to a router: the setting says so, and nothing holds it."""

from __future__ import annotations

from django.conf import settings

from provisioning.models import Installation


def push_held() -> str:
    """Why pushing is held in this database; empty: nothing holds it."""
    return Installation.objects.values_list("push_held", flat=True).first() or ""


def why_no_push() -> str:
    """Why nothing is sent to any router, as a sentence that says what to do; empty: it may be."""
    if not settings.PUSH_ENABLED:
        return "PUSH_ENABLED is off: nothing is sent to any router. Set PUSH_ENABLED=true to allow it."
    if held := push_held():
        return f"Pushing is held: {held}"
    return ""
