"""What people hold: changes that are paused, and every push where somebody stopped them; as alarms, and on their pages."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from inventory.models import Router
from provisioning.models import RouterPush
from provisioning.pipeline.change import PushState
from provisioning.pipeline.units import how_many
from provisioning.selectors.pushing import stop, why_no_push
from provisioning.selectors.steering import paused, stranded, why_held
from provisioning.selectors.turns import UNSURE
from provisioning.web.reading.alarm import Alarm

SHOWN = 20


def half_way() -> list[RouterPush]:
    """The pushes that have lines in and are not through, oldest first."""
    return list(_half_way()[:SHOWN])


def half_way_on(router: Router) -> RouterPush | None:
    """The push that has lines in on a router and is not through."""
    return _half_way().filter(router=router).first()


def _half_way() -> QuerySet[RouterPush]:
    rows = RouterPush.objects.filter(state__in=UNSURE, started_at__isnull=False)
    return rows.select_related("router", "change").order_by("pk")


def held_by_people() -> list[Alarm]:
    """One alarm while every push is held, and one for each change that somebody paused."""
    found = []
    if settings.PUSH_ENABLED and (held := stop()) is not None:
        url, action = (reverse("web:pushes-go-on"), "See what is half way, or let them go on")
        found.append(
            Alarm("bad" if held.held_by else "warn", why_no_push(), (), url if held.held_by else "", action)
        )
    now = timezone.now()
    to_begin = Count("pushes__router", filter=Q(pushes__state=PushState.APPROVED), distinct=True)
    found += [
        Alarm(
            "warn",
            why_held(change, now),
            (f"{how_many(change.to_begin, 'router')} still to begin",) if change.to_begin else (),
            reverse("web:change-progress", args=[change.pk]),
            "See how far it is",
        )
        for rows in (paused(), stranded(now))
        for change in rows.annotate(to_begin=to_begin)[:SHOWN]
    ]
    return found
