"""The start page and the NOC's queue."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from provisioning.models import Verb
from provisioning.selectors.approvals import People, missing_of
from provisioning.selectors.broken_glass import may_acknowledge, standing
from provisioning.selectors.invariant import invariant_of
from provisioning.selectors.pushing import stop
from provisioning.selectors.queues import held_out, needs_person
from provisioning.selectors.queues import waiting as waiting_queues
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.listing import listed
from provisioning.web.tables.requests import QueueTable

SHOWN = 10
"""Of each list of what waits, so many stand on the page of the queue; the rest are counted."""


@page(Verb.LOOK)
def home(request: HttpRequest) -> HttpResponse:
    """Send each reader to where their work is."""
    return redirect("web:queue" if actor_of(request).sees_everything else "web:my-requests")


@page(Verb.SEE_BACKBONE)
def queue(request: HttpRequest) -> HttpResponse:
    """Alarms on top, then the requests of one group; the first group that holds something unless one is asked for."""
    actor, now = actor_of(request), timezone.now()
    counts = reading.group_counts(actor, now)
    chosen = request.GET.get("group", "")
    if chosen not in reading.GROUPS:
        urgent = [key for key in ("overdue", "decision", "consent", "admitted", "active") if counts[key]]
        chosen = urgent[0] if urgent else "decision"
    title, means, when_empty = reading.GROUPS[chosen]
    tiles = [
        {
            "key": key,
            "title": entry[0],
            "count": counts[key],
            "hot": key == "overdue" and counts[key],
            "now": key == chosen,
        }
        for key, entry in reading.GROUPS.items()
    ]
    table = QueueTable(reading.group(actor, chosen, now))
    table.empty_title, table.empty_next = "Empty.", when_empty
    changes = list(reading.changes_waiting()[:SHOWN])
    people = People.of(changes)
    states = reading.change_states(changes)
    return render(
        request,
        "web/queue.html",
        {
            "invariant": invariant_of(now),
            "alarms": reading.alarms(),
            "may_stop": actor.may(Verb.STOP),
            "stopped": (held := stop()) is not None and bool(held.held_by),
            "may_retry": actor.may(Verb.PLAN),
            "broken_glass": [(row, may_acknowledge(actor, row)) for row in standing()],
            "changes": [(change, states[change.pk], missing_of(change, people=people)) for change in changes],
            "more_changes": max(0, reading.changes_waiting().count() - SHOWN),
            "held_out": [(held, held.request) for held in held_out()[:SHOWN]],
            "more_held_out": max(0, held_out().count() - SHOWN),
            "queues": [(row, needs_person(row)) for row in waiting_queues()[:SHOWN]],
            "more_queues": max(0, waiting_queues().count() - SHOWN),
            "tiles": tiles,
            "title": title,
            "means": means,
            "table": listed(request, table, counted=counts[chosen]),
        },
    )
