"""What the next shift has to know, on one page that can be printed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from provisioning.models import AuditEvent, PremiumRequest, Verb
from provisioning.pipeline.states import RequestState
from provisioning.selectors.invariant import invariant_of
from provisioning.selectors.pushing import why_no_push
from provisioning.selectors.steering import paused
from provisioning.web import reading
from provisioning.web.access import page

SHIFT = timedelta(hours=12)
SHOWN = 30
"""Rows of each list; how many more there are stands below it."""


@page(Verb.SEE_BACKBONE)
def handover(request: HttpRequest) -> HttpResponse:
    """Alarms, what nobody knows, what is held, what begins and ends in the next twelve hours, what happened in the last."""
    now = timezone.now()
    granted = PremiumRequest.objects.select_related("nren", "receiving_nren").filter(
        state__in=[RequestState.ADMITTED.value, RequestState.ACTIVE.value]
    )
    waiting = _few(reading.changes_waiting())
    states = reading.change_states(waiting["rows"])
    context = {
        "invariant": invariant_of(now),
        "alarms": reading.alarms(),
        "why_no_push": why_no_push(),
        "begin": _few(granted.filter(start__gte=now, start__lt=now + SHIFT).order_by("start", "pk")),
        "end": _few(granted.filter(end__gte=now, end__lt=now + SHIFT).order_by("end", "pk")),
        "paused": _few(paused()),
        "waiting": {**waiting, "rows": [(change, states[change.pk]) for change in waiting["rows"]]},
        "events": _few(AuditEvent.objects.filter(at__gte=now - SHIFT).order_by("-sequence")),
        "until": now + SHIFT,
        "since": now - SHIFT,
        "now": now,
        "crumbs": [("Handover", None)],
    }
    return render(request, "web/handover.html", context)


def _few(rows: QuerySet[Any]) -> dict[str, Any]:
    """The first rows, and how many there are beside them."""
    shown = list(rows[:SHOWN])
    return {"rows": shown, "more": rows.count() - len(shown) if len(shown) == SHOWN else 0}
