"""A series: its occurrences, and each deed that concerns all of them on a page of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from provisioning.errors import InvalidInput, TermsChanged
from provisioning.models import Actor, Consent, PremiumRequest, Series, Verb
from provisioning.pipeline.states import RequestState
from provisioning.selectors.authority import permit_with, to_deciding
from provisioning.selectors.broken_glass import may_acknowledge, standing
from provisioning.selectors.terms import terms_of_series
from provisioning.selectors.viewers import viewer_of
from provisioning.services import series as service
from provisioning.web import reading, spelling
from provisioning.web.access import actor_of, page
from provisioning.web.decision import OPEN, TAKEABLE, may_with
from provisioning.web.forms.changing import EndEarlyForm
from provisioning.web.forms.reasons import ConsentForm, HoldForm, ReasonForm
from provisioning.web.forms.translating import put_errors


@dataclass(frozen=True)
class Line:
    """One occurrence on the page: its requests, whether it fits (None: decided, or over), and why it does not."""

    requests: tuple[PremiumRequest, ...]
    fits: bool | None
    reasons: tuple[str, ...] = ()


@page(Verb.SEE_REQUESTS)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """What comes again, how each occurrence stands, and what this person can do about all of them."""
    actor = actor_of(request)
    series = reading.series_of(actor, pk)
    asks = actor.sees_everything or series.nren_id in actor.nren_ids
    viewer = viewer_of(actor, series.nren.domain)
    verdict = service.evidence(series=series, viewer=viewer) if asks else None
    lines = _lines(actor, series, verdict)
    rows = [row for line in lines for row in line.requests]
    context = {
        "series": series,
        "asked": rows[0],
        "service": reading.service_titles().get(rows[0].service_class, rows[0].service_class),
        "lines": lines,
        "verdict": verdict,
        "misfits": sum(line.fits is False for line in lines),
        "standing": reading.standing_of([series.pk])[series.pk].items(),
        "broken_glass": [(row, may_acknowledge(actor, row)) for row in standing().filter(series=series)],
        "options": _options(actor, series, rows, verdict),
        "events": reading.events_about(actor, (Series, series.pk))[-6:],
        "crumbs": _crumbs(actor, series),
    }
    return render(request, "web/series.html", context)


def _lines(actor: Actor, series: Series, verdict: service.Verdict | None) -> list[Line]:
    judged = {each.requests[0].pk: each for each in verdict.occurrences} if verdict else {}
    rows = list(reading.requests(actor).filter(series=series).order_by("start", "pk"))
    back = {row.twin_id: row for row in rows if row.twin_id is not None and row.pk > row.twin_id}
    found = []
    for row in rows:
        if row.twin_id is not None and row.pk > row.twin_id:
            continue
        both = (row, back[row.pk]) if row.pk in back else (row,)
        occurrence = judged.get(row.pk)
        reasons: tuple[str, ...] = ()
        if verdict is not None and occurrence is not None:
            reasons = tuple(spelling.reason(one) for one in verdict.reasons_of(occurrence))
        found.append(Line(both, None if occurrence is None else occurrence.fits, reasons))
    return found


def _options(
    actor: Actor, series: Series, rows: list[PremiumRequest], verdict: service.Verdict | None
) -> dict[str, Any]:
    """Return which deeds are offered; the service decides."""
    states = {row.state for row in rows}
    asks, ends = may_with(actor, Verb.ASK, series), may_with(actor, Verb.END, series)
    undecided = [row for row in rows if row.state in OPEN]
    against = to_deciding(actor, [series]) if undecided and actor.is_noc else ()
    decides = actor.may(Verb.DECIDE) and bool(undecided) and not against
    answers = {row.consent for row in undecided}
    some = verdict is not None and bool(verdict.takes(series.only_whole))
    why_not = [each.text for each in against]
    if actor.is_noc and undecided:
        if answers & {Consent.PENDING, Consent.DECLINED}:
            told = (
                "has not agreed to receive it yet" if Consent.PENDING in answers else "declined to receive it"
            )
            why_not.append(f"{series.receiving_nren} {told}.")
        if not some:
            why_not.append(
                "Not every occurrence fits, and it was asked for whole."
                if series.only_whole
                else "No occurrence fits."
            )
    return {
        "admit": decides and not why_not,
        "refuse": decides,
        "hold": decides and RequestState.SUBMITTED in states and some,
        "unhold": decides and RequestState.HELD in states,
        "withdraw": ends and bool(states & TAKEABLE),
        "end_early": ends and bool(states & (TAKEABLE - OPEN)),
        "take_offer": asks and verdict is not None and verdict.rate_that_fits,
        "consent": may_with(actor, Verb.ANSWER, series) and bool(answers & {Consent.PENDING, Consent.GIVEN}),
        "why_not": why_not,
    }


def _crumbs(actor: Actor, series: Series, last: str = "") -> list[tuple[str, str | None]]:
    up = (
        ("Requests", reverse("web:requests"))
        if actor.sees_everything
        else ("My requests", reverse("web:my-requests"))
    )
    here = reverse("web:series", args=[series.pk])
    return [up, (series.reference, here), (last, None)] if last else [up, (series.reference, None)]


Deed = Callable[[Actor, Series, Mapping[str, Any]], str]
"""What is done with what was filled in; what to say of it, empty where nothing came of it."""


def _deed_page(
    request: HttpRequest, pk: int, deed: Deed, form: forms.Form, *, name: str, crumb: str, button: str
) -> HttpResponse:
    """The page that asks before a deed about all of a series; with what it asks for the deed is done, and the series shown."""
    actor, terms = actor_of(request), terms_of_series(pk)
    series = reading.series_of(actor, pk)
    if request.method == "POST" and form.is_valid():
        try:
            said = deed(actor, series, {**form.cleaned_data, "terms": request.POST.get("terms", "")})
        except (InvalidInput, TermsChanged) as error:
            put_errors(form, error)
        else:
            if said:
                messages.success(request, said)
            else:
                messages.error(
                    request, "Nothing was granted: the occurrences that do not fit are named below."
                )
            return redirect("web:series", pk=pk)
    rows = list(reading.requests(actor).filter(series=series).order_by("start", "pk"))
    context = {
        "series": series,
        "asked": rows[0],
        "left": sum(row.state in TAKEABLE for row in rows),
        "form": form,
        "terms": terms,
        "deed": name,
        "crumb": crumb,
        "button": button,
        "danger": name in ("refuse", "withdraw"),
        "crumbs": _crumbs(actor, series, crumb),
    }
    return render(request, "web/series_deed.html", context)


@page(Verb.DECIDE, ("GET", "POST"))
def admit(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and admit every occurrence, or those that fit where that was asked for."""

    def deed(actor: Actor, series: Series, given: Mapping[str, Any]) -> str:
        verdict = service.admit(actor=actor, series=series, reason=given["reason"], terms=given["terms"])
        granted = len(verdict.takes(series.only_whole)) if verdict.granted else 0
        if not granted:
            return ""
        rest = len(verdict.occurrences) - granted
        left = f"; {rest} did not fit by now and {'is' if rest == 1 else 'are'} refused" if rest else ""
        return f"{series.reference}: {granted} occurrences are admitted and charged{left}."

    form = ReasonForm(request.POST or None)
    return _deed_page(request, pk, deed, form, name="admit", crumb="Admit", button="Admit and charge")


@page(Verb.DECIDE, ("GET", "POST"))
def refuse(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and refuse every occurrence; the reason goes to the NREN."""

    def deed(actor: Actor, series: Series, given: Mapping[str, Any]) -> str:
        service.refuse(actor=actor, series=series, reason=given["reason"], terms=given["terms"])
        return f"{series.reference} is refused. {series.nren} sees your reason."

    form = ReasonForm(request.POST or None)
    return _deed_page(request, pk, deed, form, name="refuse", crumb="Refuse", button="Refuse the series")


@page(Verb.DECIDE, ("GET", "POST"))
def hold(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep the capacity of every occurrence aside until an instant."""

    def deed(actor: Actor, series: Series, given: Mapping[str, Any]) -> str:
        verdict = service.hold(
            actor=actor, series=series, until=given["until"], reason=given["reason"], terms=given["terms"]
        )
        return (
            f"{series.reference} is held: its capacity is kept aside until the hold ends."
            if verdict.granted
            else ""
        )

    form = HoldForm(request.POST or None, initial={"until": timezone.now() + timedelta(days=1)})
    return _deed_page(request, pk, deed, form, name="hold", crumb="Hold", button="Hold the capacity")


@page(Verb.DECIDE, ("GET", "POST"))
def unhold(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and end the hold of every occurrence."""

    def deed(actor: Actor, series: Series, given: Mapping[str, Any]) -> str:
        service.unhold(actor=actor, series=series, reason=given["reason"])
        return f"The hold of {series.reference} is ended; its capacity is free again."

    form = ReasonForm(request.POST or None)
    return _deed_page(request, pk, deed, form, name="unhold", crumb="End the hold", button="End the hold")


@page(Verb.END, ("GET", "POST"))
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and take back what is left of a series."""

    def deed(actor: Actor, series: Series, given: Mapping[str, Any]) -> str:
        service.withdraw(actor=actor, series=series, reason=given["reason"])
        return f"What was left of {series.reference} is withdrawn."

    form = ReasonForm(request.POST or None)
    return _deed_page(
        request, pk, deed, form, name="withdraw", crumb="Withdraw", button="Withdraw what is left"
    )


@page(Verb.END, ("GET", "POST"))
def end_early(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and have a series end then, or now."""

    def deed(actor: Actor, series: Series, given: Mapping[str, Any]) -> str:
        service.end_early(actor=actor, series=series, end=given["end"], reason=given["reason"])
        return f"{series.reference} ends {spelling.absolute(given['end'] or timezone.now())}."

    form = EndEarlyForm(request.POST or None)
    return _deed_page(request, pk, deed, form, name="end_early", crumb="End early", button="End it then")


@page(Verb.ASK, ("POST",))
def take_offer(request: HttpRequest, pk: int) -> HttpResponse:
    """Have every open occurrence ask for the rate that fits each, as it stood on the page."""
    actor = actor_of(request)
    series = reading.series_of(actor, pk)
    permit_with(actor, Verb.ASK, series)
    written = request.POST.get("rate_bps", "")
    if not (written.isdecimal() and written.isascii() and len(written) < 16):
        raise InvalidInput("This is no offer of a series; take it from its page.")
    service.take_offer(actor=actor, series=series, rate_bps=int(written))
    messages.success(
        request, f"{series.reference} asks for {spelling.rate(int(written))} each time from now on."
    )
    return redirect("web:series", pk=pk)


@page(Verb.ANSWER, ("GET", "POST"))
def consent(request: HttpRequest, pk: int) -> HttpResponse:
    """The receiving NREN agrees to every occurrence, or declines."""

    def deed(actor: Actor, series: Series, given: Mapping[str, Any]) -> str:
        agree = given["answer"] == "agree"
        service.consent(actor=actor, series=series, agree=agree, reason=given["reason"], terms=given["terms"])
        said = "You agreed to receive" if agree else "You declined"
        return f"{said} {series.reference}. {series.nren} and the NOC see your answer."

    form = ConsentForm(request.POST or None)
    return _deed_page(request, pk, deed, form, name="consent", crumb="Consent", button="Send the answer")
