"""The portal of an NREN: what it asked, asking, and what others want to send to it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from inventory.models import AccessLink
from provisioning.errors import InvalidInput
from provisioning.models import Actor, Consent
from provisioning.pipeline.admission import Refused
from provisioning.pipeline.units import rate_text
from provisioning.services import decisions
from provisioning.services import requests as service
from provisioning.web import reading
from provisioning.web.access import NOC, NREN, actor_of, page
from provisioning.web.decision import OPEN
from provisioning.web.forms.asking import AskForm, destinations, said_of_receiver, said_of_sender, sources
from provisioning.web.forms.linking import OFFERED, links_holding
from provisioning.web.forms.translating import put_errors
from provisioning.web.listing import listed
from provisioning.web.tables.requests import RequestTable


@page(NREN)
def listing(request: HttpRequest) -> HttpResponse:
    """The requests this person's NREN sends."""
    actor = actor_of(request)
    table = RequestTable(reading.requests(actor).filter(nren_id__in=actor.nren_ids))
    table.empty_next = (
        f"Ask for {reading.service_offered()} with the button above: you see the answer, and why, on the "
        "request's page."
    )
    return render(
        request,
        "web/my_requests.html",
        {"table": listed(request, table), "names": reading.nren_names(actor.nren_ids)},
    )


@page(NREN)
def inbox(request: HttpRequest) -> HttpResponse:
    """What others want to send to this person's NREN: first what waits for an answer."""
    actor = actor_of(request)
    received = reading.requests(actor).filter(receiving_nren_id__in=actor.nren_ids)
    waiting = received.filter(consent=Consent.PENDING, state__in=OPEN).order_by("start", "pk")
    table = RequestTable(received.exclude(pk__in=waiting.values("pk")), prefix="past-")
    table.empty_title = "Nothing answered yet."
    return render(request, "web/my_inbox.html", {"waiting": waiting, "table": listed(request, table)})


@page(NREN | NOC, ("GET", "POST"))
def ask(request: HttpRequest) -> HttpResponse:
    """Ask, with the same service as the API; errors appear at their fields."""
    actor = actor_of(request)
    form = AskForm(
        request.POST or None,
        actor=actor,
        initial=None if request.method == "POST" else _initial(request, actor),
    )
    if request.method == "POST" and form.is_valid():
        try:
            made = service.submit(actor=actor, data=form.to_request())
        except InvalidInput as error:
            put_errors(
                form,
                error,
                {"window_start": "start", "window_end": "end", "window": "end", "rate_bps": "rate"},
            )
        else:
            names = " and ".join(one.reference for one in made)
            waits = made[0].consent == Consent.PENDING
            next_step = (
                f"{made[0].receiving_nren} is asked to agree; then the NOC decides."
                if waits
                else "The NOC decides next."
            )
            messages.success(request, f"{names} submitted. {next_step}")
            return redirect("web:request", pk=made[0].pk)
    up = (
        ("Requests", reverse("web:requests"))
        if actor.sees_everything
        else ("My requests", reverse("web:my-requests"))
    )
    here = f"Ask for {reading.service_offered()}"
    return render(request, "web/my_ask.html", {"form": form, "crumbs": [up, (here, None)]})


@page(NREN | NOC)
def links(request: HttpRequest) -> HttpResponse:
    """The links that hold what is being typed into one of the form's two boxes, for htmx."""
    actor = actor_of(request)
    if "source_link" in request.GET:
        text, among, say = request.GET["source_link"], sources(actor), said_of_sender
    else:
        text, among, say = request.GET.get("destination_link", ""), destinations(), said_of_receiver
    found = links_holding(among, text.strip()[:100]).select_related("nren").order_by("nren__name", "name")
    return render(
        request,
        "web/parts/links_offered.html",
        {"links": [(link.name, say(link)) for link in found[:OFFERED]]},
    )


def _initial(request: HttpRequest, actor: Actor) -> dict[str, Any]:
    """Return what the form starts with: the reader's own link and prefixes, or a request (and offer) to ask again."""
    again = request.GET.get("again", "")
    if again.isdecimal() and len(again) < 18:
        return _again(actor, int(again), request.GET.get("offer", ""))
    link = (
        AccessLink.objects.filter(nren_id__in=actor.nren_ids).select_related("nren").order_by("name").first()
    )
    if link is None:
        return {"bucket_bytes": 6000}
    prefixes = "\n".join(str(prefix.network) for prefix in link.nren.prefixes.all())
    return {"source_link": link.name, "source_prefixes": prefixes, "bucket_bytes": 6000}


def _again(actor: Actor, pk: int, offer: str) -> dict[str, Any]:
    asked = reading.request_of(actor, pk)
    found: dict[str, Any] = {
        "source_link": asked.source_link.name,
        "destination_link": asked.destination_link.name if asked.destination_link else "",
        "direction": "both" if asked.twin_id else "one-way",
        "rate": rate_text(asked.rate_bps),
        "bucket_bytes": asked.bucket_bytes,
        "max_packet_bytes": asked.max_packet_bytes,
        "start": asked.start,
        "end": asked.end,
        "source_prefixes": "\n".join(asked.source_prefixes),
        "destination_prefixes": "\n".join(asked.destination_prefixes),
        "flow_label": asked.flow_label,
        "contact": asked.contact,
        "reason": asked.reason,
    }
    verdict = decisions.evidence(request=asked)
    if (
        offer.isdecimal()
        and len(offer) < 4
        and isinstance(verdict, Refused)
        and int(offer) < len(verdict.counter_offers)
    ):
        chosen = verdict.counter_offers[int(offer)]
        found |= {"rate": rate_text(chosen.rate_bps), "start": chosen.start, "end": chosen.end}
    return found
