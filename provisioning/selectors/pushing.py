"""Whether anything may be written to a router: the setting says so, nothing holds it, and no push is half way there."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from provisioning.models import Installation, RouterPush
from provisioning.pipeline.states import UNSURE
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


BEGUN = Q(state__in=UNSURE, started_at__isnull=False)
"""Pushes that have begun and whose end nobody has seen."""


_OF_THE_PAGE = ("change__open_edges", "change__rates", "change__asked")


def with_names(rows: QuerySet[RouterPush]) -> QuerySet[RouterPush]:
    """Pushes with their change and their router, but for what only the page of a change shows: that grows with its routers, and
    every push of them reads its row many times.
    """
    return rows.select_related("change", "router").defer(*_OF_THE_PAGE)


def half_way() -> QuerySet[RouterPush]:
    """Pushes of which nobody knows yet what is left on their router: they have begun and their end was not seen, or the router
    may take them back by itself.
    """
    return with_names(RouterPush.objects.filter(BEGUN | Q(revert_until__gt=Now())))


def why_half_way(push: RouterPush) -> str:
    """As a sentence, of one of them."""
    what = f"{push.change.reference} is {push.state.lower().replace('_', ' ')} on {push.router.name}"
    if push.state in UNSURE:
        return f"{what}: what it left there is not verified; it is finished or taken back first"
    until = instant_text(push.revert_until) if push.revert_until else ""
    return f"{what}, and until {until} the router may take it back by itself: wait for that"
