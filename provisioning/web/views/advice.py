"""Burst advice as a page, and as the note beside the form in which an NREN asks."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from provisioning.errors import InvalidInput
from provisioning.models import Verb
from provisioning.pipeline.advice import Traffic
from provisioning.selectors.advice import Advised, advice_for, burst_advice
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.forms.bursts import BurstForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.views.requests import crumbs_of


@page(Verb.LOOK)
def bursts(request: HttpRequest) -> HttpResponse:
    """Bursts for the numbers in the address, or an empty form."""
    form = BurstForm(request.GET if "rate" in request.GET else None)
    found: Advised | None = None
    if form.is_bound and form.is_valid():
        try:
            found = burst_advice(**form.cleaned_data)
        except InvalidInput as error:
            put_errors(form, error, {})
    return render(
        request, "web/advice.html", {"form": form, "advised": found, "crumbs": [("Burst advice", None)]}
    )


@page(Verb.SEE_REQUESTS)
def of_request(request: HttpRequest, pk: int) -> HttpResponse:
    """Bursts for a request, on the router where it enters; both kinds of traffic, one of them chosen."""
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    kind = request.GET.get("traffic", Traffic.REAL_TIME.value)
    context = {
        "asked": asked,
        "advised": advice_for(asked, kind),
        "kinds": [(one.value, one.value == kind) for one in Traffic],
        "crumbs": crumbs_of(actor, asked, "Bursts"),
    }
    return render(request, "web/request_advice.html", context)


@page(Verb.LOOK)
def beside(request: HttpRequest) -> HttpResponse:
    """The note beside the request form: both kinds of traffic at the rate written there."""
    rate, size = request.GET.get("rate", "").strip(), request.GET.get("max_packet_bytes", "").strip()
    context: dict[str, Any] = {"rate": rate}
    if rate:
        try:
            packet = int(size) if size.isdecimal() and len(size) < 10 else 0
            context["advised"] = [
                burst_advice(rate=rate, traffic=kind, max_packet_bytes=packet) for kind in Traffic
            ]
        except InvalidInput as error:
            context["wrong"] = error.reason
    return render(request, "web/parts/advice_beside.html", context)
