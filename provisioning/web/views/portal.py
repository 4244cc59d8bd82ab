"""The portal of an NREN: what it asked, asking, and what others want to send to it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from inventory.models import AccessLink, Nren
from provisioning.errors import InvalidInput
from provisioning.models import Actor, Consent, Verb
from provisioning.pipeline.units import rate_text
from provisioning.selectors.quotas import Used, limits_of, used_of
from provisioning.services import requests as service
from provisioning.services import series as recurring
from provisioning.services.requests import Room
from provisioning.web import reading, spelling
from provisioning.web.access import actor_of, page
from provisioning.web.decision import OPEN
from provisioning.web.filters import SentFilter
from provisioning.web.forms.asking import AskForm, destinations, said_of_receiver, said_of_sender, sources
from provisioning.web.forms.linking import OFFERED, links_holding
from provisioning.web.forms.recurring import NAMES
from provisioning.web.forms.translating import put_errors, put_the_rest
from provisioning.web.listing import list_page, listed
from provisioning.web.spelling import sentence
from provisioning.web.tables.requests import GroupedTable, RequestTable, SentTable
from provisioning.web.tables.sheets import SENT
from provisioning.web.verdicts import shown_verdict
from provisioning.web.views.headroom import asked_too_often, shown_room


@page(Verb.SEE_OWN)
def listing(request: HttpRequest) -> HttpResponse:
    """The requests this person's NREN sends; or those that others send to it, or both."""
    actor = actor_of(request)
    chosen = SentFilter(request.GET, queryset=reading.requests(actor), nrens=actor.nren_ids)
    several = len(actor.nren_ids) > 1 or bool(request.GET.get("side"))
    table = SentTable(chosen.qs, now=timezone.now(), several=several)
    table.empty_next = (
        f"Ask for {reading.service_offered()} with the button above: you see the answer, and why, on the "
        "request's page."
    )
    return list_page(
        request,
        "web/my_requests.html",
        table,
        chosen.form,
        sheet=SENT,
        every=RequestTable(chosen.qs),
        more=chosen.MORE,
        names=reading.nren_names(actor.nren_ids),
        quotas=_bounded(actor),
    )


def _bounded(actor: Actor) -> list[tuple[Nren, Used]]:
    """Return the quotas that bound this person's NRENs, with what is used."""
    rows = Nren.objects.select_related("domain").filter(pk__in=actor.nren_ids).order_by("name")
    bounded = [nren for nren in rows if limits_of(nren).any]
    return [(nren, used_of(nren, now=timezone.now())) for nren in bounded]


@page(Verb.SEE_OWN)
def inbox(request: HttpRequest) -> HttpResponse:
    """What others want to send to this person's NREN: first what waits for an answer."""
    actor = actor_of(request)
    received = reading.requests(actor).filter(receiving_nren_id__in=actor.nren_ids)
    asked = Q(consent=Consent.PENDING, state__in=OPEN)
    waiting = reading.one_line_each(received.filter(asked), asked).order_by("start", "pk")
    table = GroupedTable(received.exclude(asked), now=timezone.now(), prefix="past-")
    table.empty_title = "Nothing answered yet."
    return render(request, "web/my_inbox.html", {"waiting": waiting, "table": listed(request, table)})


_NAMES = {"window_start": "start", "window_end": "end", "window": "end", "rate_bps": "rate", **NAMES}
"""What the service calls a field that the form calls something else."""


@page(Verb.ASK, ("GET", "POST"))
def ask(request: HttpRequest) -> HttpResponse:
    """Ask, or see whether it would fit, with the same services as the API; errors appear at their fields."""
    actor = actor_of(request)
    form = AskForm(
        request.POST or None,
        actor=actor,
        initial=None
        if request.method == "POST"
        else _like(actor, request.GET.get("like")) or _initial(actor),
    )
    found: Room | None = None
    if request.method == "POST" and form.is_valid():
        try:
            looks = "use" in request.POST or "try" in request.POST
            if looks and (wait := asked_too_often(request)):
                form.add_error(None, sentence(wait))
            elif "use" in request.POST:
                form = _filled_in(request, actor, form)
                found = service.room(actor=actor, data=form.to_request())
            elif "try" in request.POST:
                found = service.room(actor=actor, data=form.to_request())
                if form.comes_again:
                    _tell_of_each(request, actor, form)
            elif form.comes_again:
                return _submitted_again(request, actor, form)
            else:
                return _submitted(request, actor, form)
        except InvalidInput as error:
            put_errors(form, error, _NAMES)
    elif form.is_bound:
        put_the_rest(form, service.faults(actor=actor, data=form.so_far()), _NAMES)
    up = (
        ("Requests", reverse("web:requests"))
        if actor.sees_everything
        else ("My requests", reverse("web:my-requests"))
    )
    here = f"Ask for {reading.service_offered()}"
    context = {
        "form": form,
        "actor": actor,
        "crumbs": [up, (here, None)],
        **shown_verdict(found and found.tried),
    }
    if found is not None:
        context |= shown_room(found)
    return render(request, "web/my_ask.html", context)


def _tell_of_each(request: HttpRequest, actor: Actor, form: AskForm) -> None:
    """Say how many of the occurrences would fit; what is shown in full is the first."""
    asked = form.to_series(form.to_request())
    verdict = recurring.try_out(actor=actor, data=asked)
    number, misfits = len(verdict.occurrences), verdict.misfits
    if not misfits:
        messages.success(request, f"All {number} occurrences would fit at this moment; shown is the first.")
        return
    days = ", ".join(recurring.clock_text(each.requests[0].start, asked.time_zone) for each in misfits[:3])
    more = ", and others" if len(misfits) > 3 else ""
    rate = verdict.rate_that_fits
    messages.warning(
        request,
        f"{len(misfits)} of {number} occurrences would not fit: {days}{more}."
        + (f" {spelling.rate(rate)} would fit every one." if rate else "")
        + " Shown is the first alone.",
    )


def _submitted(request: HttpRequest, actor: Actor, form: AskForm) -> HttpResponse:
    made = service.submit(actor=actor, data=form.to_request())
    names = " and ".join(one.reference for one in made)
    waits = made[0].consent == Consent.PENDING
    next_step = (
        f"{made[0].receiving_nren} is asked to agree; then the NOC decides."
        if waits
        else "The NOC decides next."
    )
    messages.success(request, f"{names} submitted. {next_step}")
    return redirect("web:request", pk=made[0].pk)


def _submitted_again(request: HttpRequest, actor: Actor, form: AskForm) -> HttpResponse:
    """Ask for windows that come again; whether each fits is said on the page of the series."""
    made = recurring.submit(actor=actor, data=form.to_series(form.to_request()))
    messages.success(
        request, f"{made.reference} submitted: {made.occurrences} occurrences, answered and decided as one."
    )
    return redirect("web:series", pk=made.pk)


def _filled_in(request: HttpRequest, actor: Actor, form: AskForm) -> AskForm:
    """Return the form with the terms of the offer whose button was pressed, as it is now; as it was where there is none."""
    number = request.POST["use"]
    offers = service.try_out(actor=actor, data=form.to_request()).seen.counter_offers
    if not (number.isdecimal() and len(number) < 4 and int(number) < len(offers)):
        return form
    offer = offers[int(number)]
    data = request.POST.copy()
    data["rate"] = rate_text(offer.rate_bps)
    if offer.start > timezone.now():
        data["start"] = offer.start.strftime("%Y-%m-%dT%H:%M:%S")
    data["end"] = "" if offer.end is None else offer.end.strftime("%Y-%m-%dT%H:%M:%S")
    filled = AskForm(data, actor=actor)
    return filled if filled.is_valid() else form


@page(Verb.ASK)
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


def _like(actor: Actor, key: str | None) -> dict[str, Any]:
    """Return what the form starts with that asks once more for what a request has: all but its flow label, and a window that has
    begun; nothing where there is no such request that this person may ask for again.
    """
    if not (key and key.isascii() and key.isdecimal() and len(key) < 16):
        return {}
    found = reading.requests(actor).filter(pk=int(key)).first()
    if found is None or not actor.may_with(Verb.ASK, found.nren_id):
        return {}
    to_come = found.start > timezone.now()
    return {
        "service_class": found.service_class,
        "source_link": found.source_link.name,
        "destination_link": found.destination_link.name if found.destination_link else "",
        "direction": "both" if found.twin_id else "one-way",
        "rate": rate_text(found.rate_bps),
        "bucket_bytes": found.bucket_bytes,
        "max_packet_bytes": found.max_packet_bytes,
        "min_packet_bytes": found.min_packet_bytes,
        "start": found.start if to_come else None,
        "end": found.end if to_come else None,
        "source_prefixes": "\n".join(map(str, found.source_prefixes)),
        "destination_prefixes": "\n".join(map(str, found.destination_prefixes)),
        "contact": found.contact,
        "reason": found.reason,
    }


def _initial(actor: Actor) -> dict[str, Any]:
    """Return what the form starts with: the reader's own link and prefixes."""
    link = (
        AccessLink.objects.filter(nren_id__in=actor.nren_ids).select_related("nren").order_by("name").first()
    )
    if link is None:
        return {"bucket_bytes": 6000}
    prefixes = "\n".join(str(prefix.network) for prefix in link.nren.prefixes.all())
    return {"source_link": link.name, "source_prefixes": prefixes, "bucket_bytes": 6000}
