"""The audit log and the check of its chain."""

from __future__ import annotations

import json

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.models import Verb
from provisioning.services import audit as trail
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.filters import AuditFilter
from provisioning.web.listing import list_page
from provisioning.web.objects import page_about
from provisioning.web.tables.audit import AuditTable
from provisioning.web.tables.sheets import EVENTS


@page(Verb.SEE_BACKBONE)
def listing(request: HttpRequest) -> HttpResponse:
    """Everything that was asked, decided, approved, pushed or seen."""
    chosen = AuditFilter(request.GET, queryset=reading.visible_events(actor_of(request)))
    table = AuditTable(chosen.qs)
    return list_page(request, "web/audit.html", table, chosen.form, sheet=EVENTS, more=chosen.MORE)


@page(Verb.SEE_BACKBONE)
def page_of(request: HttpRequest, sequence: int) -> HttpResponse:
    """One event: who, when, what, why, before and after, and its place in the chain."""
    event = reading.events_of(sequence, actor_of(request))
    return render(
        request,
        "web/audit_event.html",
        {
            "event": event,
            "about": page_about(event),
            "before": _spelled(event.before),
            "after": _spelled(event.after),
            "crumbs": [("Audit log", reverse("web:audit")), (f"#{event.sequence}", None)],
        },
    )


def _spelled(value: object) -> str:
    return "" if value is None else json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)


@page(Verb.CHECK_TRAIL, ("POST",))
def check(request: HttpRequest) -> HttpResponse:
    """Recompute every hash of the chain and say whether it holds, else where it breaks."""
    trail.seal_waiting()
    result = trail.verify_chain()
    if result.intact:
        messages.success(
            request,
            f"The chain holds: {result.length} events, each bound to the one before about the same thing. "
            f"Its last hash is {result.digest[:16]}…; note it elsewhere to prove it later.",
        )
    for fault in result.faults[:5]:
        messages.error(request, f"The chain is broken at #{fault.sequence}: {fault.reason}.")
    return redirect("web:audit")
