"""Requests: the list, one request with its evidence and history, consent and withdrawal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from provisioning.errors import InvalidInput, NotAsRead, TermsChanged
from provisioning.models import Actor, Consent, PremiumRequest, Verb
from provisioning.pipeline.admission import Admitted, Refused, Seen, Viewer, as_seen, kept_as_seen
from provisioning.selectors.broken_glass import may_acknowledge, standing
from provisioning.selectors.failures import protection_of
from provisioning.selectors.fitting import Fit, fit_of
from provisioning.selectors.remarks import open_question
from provisioning.selectors.terms import terms_of_request
from provisioning.selectors.viewers import viewer_of
from provisioning.selectors.waiting import wait_of, why_never
from provisioning.services import decisions, flow_labels, queues
from provisioning.services import requests as service
from provisioning.services.intents import ON
from provisioning.web import reading, spelling
from provisioning.web.access import actor_of, page
from provisioning.web.decision import OPEN, may_take, may_with, modifications_for, options_for
from provisioning.web.filters import RequestFilter
from provisioning.web.forms.offers import OfferForm
from provisioning.web.forms.reasons import ConsentForm, ReasonForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.lines import standing_of
from provisioning.web.listing import list_page
from provisioning.web.several import offered
from provisioning.web.tables.requests import GroupedTable, RequestTable
from provisioning.web.tables.sheets import REQUESTS
from provisioning.web.verdicts import shown
from provisioning.web.views.several import OF_REQUESTS


@page(Verb.SEE_BACKBONE)
def listing(request: HttpRequest) -> HttpResponse:
    """All requests, a series as one of them, filtered and sorted as the address says."""
    actor = actor_of(request)
    chosen = RequestFilter(request.GET, queryset=reading.requests(actor))
    table = GroupedTable(chosen.qs, now=timezone.now())
    if actor.may(Verb.DECIDE):
        table.deeds = offered("requests-several", OF_REQUESTS)
    return list_page(
        request,
        "web/requests.html",
        table,
        chosen.form,
        sheet=REQUESTS,
        every=RequestTable(chosen.qs),
        more=chosen.MORE,
        may_ask=actor.may(Verb.ASK),
    )


def crumbs_of(actor: Actor, asked: PremiumRequest, last: str = "") -> list[tuple[str, str | None]]:
    """Return the way to a request for this person."""
    up = (
        ("Requests", reverse("web:requests"))
        if actor.sees_everything
        else ("My requests", reverse("web:my-requests"))
    )
    here = reverse("web:request", args=[asked.pk])
    return [up, (asked.reference, here), (last, None)] if last else [up, (asked.reference, None)]


def deed_with_reason(
    request: HttpRequest,
    pk: int,
    deed: Callable[..., object],
    *,
    name: str,
    crumb: str,
    said: str,
    more: Mapping[str, object] | None = None,
) -> HttpResponse:
    """The page ``web/request_NAME.html`` that asks for a reason; with one, ``deed`` is done, ``said`` of it, and the request
    shown. What the service finds wrong with the reason stands at the field. ``{asked}`` in ``said`` is the request, ``more``
    what the page shows besides.
    """
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            deed(actor=actor, request=asked, reason=form.cleaned_data["reason"])
        except (InvalidInput, NotAsRead) as error:
            put_errors(form, error)
        else:
            messages.success(request, said.format(asked=asked))
            return redirect("web:request", pk=pk)
    undecided, crumbs = asked.state in OPEN, crumbs_of(actor, asked, crumb)
    context = {"asked": asked, "form": form, "undecided": undecided, "crumbs": crumbs, **(more or {})}
    return render(request, f"web/request_{name}.html", context)


def _seen(asked: PremiumRequest, viewer: Viewer | None) -> tuple[Seen | None, Admitted | Refused | None]:
    """Return the verdict as this person sees it, of this moment while undecided, else the one kept with the decision; and in the
    first case the verdict itself.
    """
    if asked.state in OPEN:
        fresh = decisions.evidence(request=asked, viewer=viewer)
        return as_seen(fresh, viewer, asker=asked.nren_id), fresh
    kept = asked.evidence
    return (kept_as_seen(kept, viewer, asker=asked.nren_id) if kept else None), None


def _service(asked: PremiumRequest) -> str:
    """Return what the scheme calls the class asked for; its name where the scheme has it no longer."""
    return reading.service_titles().get(asked.service_class, asked.service_class)


def frame(request: HttpRequest, pk: int, tab: str) -> dict[str, Any]:
    """What all pages of a request have: the request as this person may see it, the way to it, and its tabs."""
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    tabs = [("Request", "request"), ("Usage", "request-usage"), ("Questions", "request-questions")]
    if not may_with(actor, Verb.SEE_USAGE, asked):
        del tabs[1:]
    tabs.append(("History", "request-history"))
    if actor.may(Verb.SEE_BACKBONE):
        tabs.insert(-1, ("Path", "request-path"))
    return {
        "asked": asked,
        "service": _service(asked),
        "actor": actor,
        "asks": actor.sees_everything or asked.nren_id in actor.nren_ids,
        "crumbs": crumbs_of(actor, asked),
        "tabs": [(title, reverse(f"web:{view}", args=[pk]), view == tab) for title, view in tabs],
    }


@page(Verb.SEE_REQUESTS)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """Who asks what, the evidence per link, and what this person can do."""
    context = frame(request, pk, "request")
    asked: PremiumRequest = context["asked"]
    viewer = viewer_of(context["actor"], asked.nren.domain)
    seen, fresh = _seen(asked, viewer) if context["asks"] else (None, None)
    wait = wait_of(asked)
    fit = _fit(asked)
    context |= {
        "fit": fit,
        "question": open_question(context["actor"], asked),
        "protection": protection_of(asked),
        "fit_over": [each for each in fit.over if viewer is None or viewer.sees(each.link)] if fit else [],
        "verdict": seen,
        "fresh": fresh is not None,
        "staff": context["actor"].sees_everything,
        **(shown(seen) if seen else {}),
        "options": options_for(context["actor"], asked, fresh, wait),
        "modifications": modifications_for(context["actor"], asked),
        "broken_glass": [
            (row, may_acknowledge(context["actor"], row)) for row in standing().filter(request=asked)
        ],
        "may_take": may_take(context["actor"], asked),
        "wait": wait,
        "waits_for": wait.said_to(context["actor"]) if wait else "",
        "never": why_never(asked, context["actor"]),
        "ahead": standing_of(asked) if context["actor"].sees_everything and asked.state in ON else None,
        "may_draw": _may_draw(context["actor"], asked),
        "changes": [
            (change, reading.change_states([change])[change.pk])
            for change in reading.changes().filter(requests=asked)
        ]
        if context["actor"].sees_everything
        else [],
        "events": reading.events_about(context["actor"], (PremiumRequest, asked.pk))[-6:],
    }
    return render(request, "web/request.html", context)


def _fit(asked: PremiumRequest) -> Fit | None:
    """How it fits now; None where nobody can know, because the scheme cannot be read."""
    try:
        return fit_of(asked, now=timezone.now())
    except InvalidInput:
        return None


def _may_draw(actor: Actor, asked: PremiumRequest) -> bool:
    """Whether the page offers a flow label; the service decides."""
    theirs = may_with(actor, Verb.ASK, asked)
    return theirs and asked.flow_label is None and asked.state in OPEN


@page(Verb.ASK, ("POST",))
def flow_label(request: HttpRequest, pk: int) -> HttpResponse:
    """Draw a flow label for an undecided request."""
    actor = actor_of(request)
    drawn = flow_labels.draw(actor=actor, request=reading.request_of(actor, pk))
    messages.success(request, f"{drawn.reference} has the flow label {drawn.flow_label}.")
    return redirect("web:request", pk=pk)


@page(Verb.SEE_REQUESTS)
def history(request: HttpRequest, pk: int) -> HttpResponse:
    """Everything that happened to the request, with reasons."""
    context = frame(request, pk, "request-history")
    about = (PremiumRequest, context["asked"].pk)
    context["events"] = reading.page_of_events(context["actor"], request.GET.get("page", ""), about)
    return render(request, "web/request_history.html", context)


@page(Verb.END, ("GET", "POST"))
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and take a request back; a granted one stays charged until it is seen gone."""
    said = "{asked.reference} is withdrawn."
    deed = partial(service.withdraw, read=request.POST.get("read", ""))
    return deed_with_reason(request, pk, deed, name="withdraw", crumb="Withdraw", said=said)


@page(Verb.ASK, ("POST",))
def take_offer(request: HttpRequest, pk: int) -> HttpResponse:
    """Take one of the offers, as it stood on the page: the request asks for that from now on."""
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    service.may_change(actor, asked, Verb.ASK)
    form = OfferForm(request.POST)
    if not form.is_valid():
        raise InvalidInput("This is no offer of a request; take one from its page.")
    taken = service.take_offer(actor=actor, request=asked, kind=form.cleaned_data["kind"], seen=form.seen())
    waits = taken.consent == Consent.PENDING
    next_step = (
        f"{taken.receiving_nren} is asked to agree; then the NOC decides." if waits else "The NOC decides."
    )
    messages.success(
        request,
        f"{taken.reference} asks for {spelling.rate(taken.rate_bps)}, {spelling.window(taken.start, taken.end)}, "
        f"from now on. {next_step}",
    )
    return redirect("web:request", pk=pk)


@page(Verb.PLAN, ("GET", "POST"))
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a request planned again that waits for a person, with what was mended as the reason."""
    said = "{asked.reference} is planned again; what comes of it is shown here."
    asked = reading.request_of(actor_of(request), pk)
    more = {"wait": wait_of(asked)}
    return deed_with_reason(
        request, pk, queues.retry, name="retry", crumb="Plan it again", said=said, more=more
    )


@page(Verb.ANSWER, ("GET", "POST"))
def consent(request: HttpRequest, pk: int) -> HttpResponse:
    """The receiving NREN agrees or declines."""
    actor, terms = actor_of(request), terms_of_request(pk)
    asked = reading.request_of(actor, pk)
    form = ConsentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        agree = form.cleaned_data["answer"] == "agree"
        try:
            service.consent(
                actor=actor,
                request=asked,
                agree=agree,
                reason=form.cleaned_data["reason"],
                terms=request.POST.get("terms", ""),
            )
        except (InvalidInput, TermsChanged) as error:
            put_errors(form, error)
        else:
            said = "You agreed to receive" if agree else "You declined"
            messages.success(request, f"{said} {asked.reference}. {asked.nren} and the NOC see your answer.")
            return redirect("web:request", pk=pk)
    return render(
        request,
        "web/request_consent.html",
        {
            "asked": asked,
            "service": _service(asked),
            "form": form,
            "terms": terms,
            "crumbs": crumbs_of(actor, asked, "Consent"),
        },
    )
