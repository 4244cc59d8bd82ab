"""What people hold: changes that are paused, and every push where somebody stopped them; as alarms, and on their pages."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone

from provisioning.pipeline.states import PushState
from provisioning.pipeline.units import how_many
from provisioning.selectors.ends import half_way
from provisioning.selectors.pushing import stop, why_no_push
from provisioning.selectors.steering import paused, stranded, why_held
from provisioning.web.reading.alarm import Alarm

SHOWN = 20


def half_way_routers() -> list[str]:
    """The names of the routers with lines of a push in that is not through: what they hold is being seen to."""
    return list(half_way().values_list("router__name", flat=True).distinct().order_by("router__name"))


def held_by_people() -> list[Alarm]:
    """One alarm while every push is held, and one for each change that somebody paused."""
    found = []
    if settings.PUSH_ENABLED and (held := stop()) is not None:
        url, action = (reverse("web:pushes-go-on"), "See what is half way, or let them go on")
        found.append(
            Alarm(
                "bad" if held.held_by else "warn",
                why_no_push(),
                tuple(
                    f"{push.change.reference} is half way on {push.router.name}: line {push.line} of {push.lines}"
                    for push in half_way()[:SHOWN]
                ),
                url if held.held_by else "",
                action,
            )
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
