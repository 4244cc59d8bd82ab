"""The NOC's decision on a request: each on a page of its own, with the consequence in words."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from provisioning.errors import InvalidInput, TermsChanged
from provisioning.models import Actor, PremiumRequest, Verb
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.selectors.terms import terms_of_request
from provisioning.services import ahead, decisions
from provisioning.web import lines, reading, spelling
from provisioning.web.access import actor_of, page
from provisioning.web.bars import bar_of
from provisioning.web.decision import options_for
from provisioning.web.forms.lines import AdmitForm
from provisioning.web.forms.reasons import HoldForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.views.requests import crumbs_of, deed_with_reason


@page(Verb.DECIDE, ("GET", "POST"))
def admit(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and admit. The service computes the evidence again under lock; what no longer fits is refused here."""
    return _admit(request, pk, with_lines=False)


@page(Verb.DECIDE, ("GET", "POST"))
def admit_with_lines(request: HttpRequest, pk: int) -> HttpResponse:
    """As `admit`, with the lines that put it on and take it off, worked out to be read and approved with it."""
    return _admit(request, pk, with_lines=True)


def _admit(request: HttpRequest, pk: int, *, with_lines: bool) -> HttpResponse:
    actor, terms = actor_of(request), terms_of_request(pk)
    asked = reading.request_of(actor, pk)
    verdict = decisions.evidence(request=asked)
    options = options_for(actor, asked, verdict)
    shown = (
        lines.view_of(actor, ahead.foresee(asked), decided=False) if with_lines and options.admit else None
    )
    form = AdmitForm(
        request.POST or None,
        gaps=len(shown.gaps) if shown else 0,
        doubts=len(shown.doubts) if shown else 0,
        lines=shown is not None and shown.may_approve,
        alone=bool(options.alone),
        initial={"seen": shown.found.fingerprint if shown else ""},
    )
    if request.method == "POST" and form.is_valid():
        try:
            outcome, why_not = _admitted(actor, asked, form.cleaned_data, read=request.POST.get("terms", ""))
        except (InvalidInput, TermsChanged) as error:
            put_errors(form, error)
        else:
            if isinstance(outcome, Refused):
                for reason in outcome.reasons:
                    messages.error(request, f"Not admitted: {spelling.reason(reason)}")
                messages.warning(request, "The request is still undecided. Nothing was charged.")
            else:
                messages.success(
                    request, f"{asked.reference} is admitted and charged. A plan is made when it falls due."
                )
                if why_not:
                    messages.warning(request, f"Its lines are not approved: {why_not}")
            return redirect("web:request", pk=pk)
    context = {
        "asked": asked,
        "form": form,
        "verdict": verdict,
        "evidence": [(one, bar_of(one)) for one in verdict.evidence],
        "options": options,
        "shown": shown,
        "with_lines": with_lines,
        "terms": terms,
        "crumbs": crumbs_of(actor, asked, "Admit"),
    }
    return render(request, "web/request_admit.html", context)


def _admitted(
    actor: Actor, asked: PremiumRequest, given: dict[str, Any], read: str
) -> tuple[Admitted | Refused, str]:
    """Admit what was read, with its lines where that was asked for; the verdict, and why the lines are not approved, if so."""
    if not given.get("approve_lines"):
        given_alone = given.get("break_glass", "")
        return decisions.admit(
            actor=actor, request=asked, reason=given["reason"], break_glass=given_alone, terms=read
        ), ""
    return ahead.admit_with_lines(
        actor=actor,
        request=asked,
        reason=given["reason"],
        seen=given["seen"],
        terms=read,
        confirm_gaps=given.get("confirm_gaps", False),
        override=given.get("override", ""),
    )


@page(Verb.DECIDE, ("GET", "POST"))
def refuse(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and refuse; the reason goes to the NREN."""
    said = "{asked.reference} is refused. {asked.nren} sees your reason."
    deed, shown = partial(decisions.refuse, terms=request.POST.get("terms", "")), terms_of_request(pk)
    return deed_with_reason(
        request, pk, deed, name="refuse", crumb="Refuse", said=said, more={"terms": shown}
    )


@page(Verb.DECIDE, ("GET", "POST"))
def hold(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep the capacity aside until an instant; the hold ends by itself."""
    actor, terms = actor_of(request), terms_of_request(pk)
    asked = reading.request_of(actor, pk)
    form = HoldForm(request.POST or None, initial={"until": timezone.now() + timedelta(days=1)})
    if request.method == "POST" and form.is_valid():
        try:
            outcome = decisions.hold(
                actor=actor,
                request=asked,
                until=form.cleaned_data["until"],
                reason=form.cleaned_data["reason"],
                terms=request.POST.get("terms", ""),
            )
        except (InvalidInput, TermsChanged) as error:
            put_errors(form, error)
        else:
            if isinstance(outcome, Refused):
                for reason in outcome.reasons:
                    messages.error(request, f"Not held: {spelling.reason(reason)}")
            else:
                messages.success(
                    request, f"{asked.reference} is held: its capacity is kept aside until the hold ends."
                )
            return redirect("web:request", pk=pk)
    return render(
        request,
        "web/request_hold.html",
        {"asked": asked, "form": form, "terms": terms, "crumbs": crumbs_of(actor, asked, "Hold")},
    )


@page(Verb.DECIDE, ("GET", "POST"))
def unhold(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and end a hold before its time."""
    said = "The hold of {asked.reference} is ended; its capacity is free again."
    return deed_with_reason(request, pk, decisions.unhold, name="unhold", crumb="End the hold", said=said)
