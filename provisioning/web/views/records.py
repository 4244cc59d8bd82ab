"""A decision derived again from what was kept of it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from provisioning.models import Verb
from provisioning.services import records
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.views.requests import crumbs_of


@page(Verb.SEE_BACKBONE)
def recheck(request: HttpRequest, pk: int) -> HttpResponse:
    """Whether the last decision about a request follows, and what changed since."""
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    found = records.recheck(asked)
    context = {
        "asked": asked,
        "found": found,
        "deed": found.deed.replace("-", " "),
        "parts": [
            ("What does not hold", found.of("fault")),
            ("What is missing", found.of("missing")),
            ("What changed since (no fault)", found.of("changed")),
        ],
        "crumbs": crumbs_of(actor, asked, "Derived again"),
    }
    return render(request, "web/request_recheck.html", context)
