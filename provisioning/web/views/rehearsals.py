"""A change played on practice routers: asked for, followed while it is played, read line by line."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.models import Change, Verb
from provisioning.selectors.rehearsals import result_of
from provisioning.services import rehearsing
from provisioning.services.approval import fingerprint
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.reading.rehearsals import may_be_rehearsed, rehearsal_of, sections_of
from provisioning.web.views.changes import frame

PER_PAGE = 50


@page(Verb.REHEARSE, ("POST",))
def rehearse(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the change played on practice routers; nothing is sent to a router of the network."""
    change = reading.change_of(pk)
    rehearsing.ask(actor=actor_of(request), change=change)
    messages.success(request, f"{change.reference} is rehearsed on practice routers. Nothing is sent.")
    return redirect(reverse("web:change", args=[pk]) + "#rehearsal")


@page(Verb.SEE_BACKBONE)
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """How far a rehearsal is, for htmx."""
    change = reading.change_of(pk)
    return render(request, "web/parts/rehearsal.html", _about(request, change))


@page(Verb.SEE_BACKBONE)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """Every router of the last rehearsal, and of the chosen one every line with its reply, and the session word for word."""
    context = frame(request, pk, "change-rehearsal")
    change = context["change"]
    context |= _about(request, change)
    found = context["rehearsal"]
    context["rows"] = Paginator(found.played if found else (), PER_PAGE).get_page(request.GET.get("page"))
    chosen = request.GET.get("push", "")
    if found and chosen.isdecimal() and len(chosen) < 19:
        played = result_of(change, int(chosen))
        context |= {"one": played, "sections": sections_of(played)}
    context["crumbs"] = [
        ("Changes", reverse("web:changes")),
        (change.reference, reverse("web:change", args=[pk])),
        ("Rehearsal", None),
    ]
    return render(request, "web/change_rehearsal.html", context)


def _about(request: HttpRequest, change: Change) -> dict[str, Any]:
    actor = actor_of(request)
    found = rehearsal_of(change, fingerprint(change))
    return {
        "change": change,
        "actor": actor,
        "rehearsal": found,
        "may_rehearse": actor.may(Verb.REHEARSE) and may_be_rehearsed(change, found),
    }
