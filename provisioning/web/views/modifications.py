"""Changing a request: what it could become, what it is to become, and who says so."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from provisioning.errors import InvalidInput, StaleState
from provisioning.models import Actor, Modification, PremiumRequest, Verb
from provisioning.pipeline.admission import Reason, Refused
from provisioning.selectors.modifications import open_of, visible
from provisioning.services import modifications as service
from provisioning.services import requests as requests_service
from provisioning.services.requests import Tried
from provisioning.web import reading, spelling
from provisioning.web.access import actor_of, page
from provisioning.web.forms.changing import EndEarlyForm, ExtendForm, ModifyForm
from provisioning.web.forms.reasons import ConsentForm, ReasonForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.verdicts import shown_verdict
from provisioning.web.views.requests import crumbs_of

_NAMES = {"window_start": "start", "window_end": "end", "window": "end", "rate_bps": "rate"}


@page(Verb.ASK, ("GET", "POST"))
def modify(request: HttpRequest, pk: int) -> HttpResponse:
    """Change rate, window or prefixes, or see whether that would fit; how far each could change is told beside."""
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    requests_service.may_change(actor, asked, Verb.ASK)
    trying = "try" in request.POST
    form = ModifyForm(request.POST or None, asked=asked, trying=trying)
    tried: Tried | None = None
    answer: str = ""
    if request.method == "POST" and form.is_valid():
        try:
            if not trying:
                wanted, why = form.wanted(), form.cleaned_data["reason"]
                made = service.modify(actor=actor, request=asked, wanted=wanted, reason=why)
                return _proposed(request, asked, made)
            tried = service.what_if(actor=actor, request=asked, wanted=form.wanted())
            answer = service.consent_asked(actor=actor, request=asked, wanted=form.wanted())
        except InvalidInput as error:
            put_errors(form, error, _NAMES)
    context = {
        "asked": asked,
        "actor": actor,
        "form": form,
        "range": _range(actor, asked),
        "answer": answer,
        "open": open_of(asked),
        "crumbs": crumbs_of(actor, asked, "Change"),
        **shown_verdict(tried),
        "may_use": False,
        "verb": "proposed",
    }
    return render(request, "web/request_modify.html", context)


def _range(actor: Actor, asked: PremiumRequest) -> object:
    """How far it could change; None where nobody can know."""
    try:
        found = service.range_of(actor=actor, request=asked)
    except (InvalidInput, StaleState):
        return None
    return None if isinstance(found, Reason) else found


def _proposed(request: HttpRequest, asked: PremiumRequest, made: Modification | None) -> HttpResponse:
    if made is None:
        messages.success(request, f"{asked.reference} asks for this from now on.")
    elif made.state == "IN_FORCE":
        messages.success(request, f"{asked.reference} ends {spelling.absolute(made.end)}.")
    else:
        waits = f"{asked.receiving_nren} is asked to agree; then the NOC decides."
        next_step = waits if made.consent == "pending" else "The NOC decides next."
        messages.success(request, f"{made.reference} is proposed. {next_step}")
    return redirect("web:request", pk=asked.pk)


@page(Verb.ASK, ("GET", "POST"))
def extend(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a request last longer."""

    def deed(actor: Actor, asked: PremiumRequest, form: Form) -> HttpResponse:
        return _proposed(request, asked, service.extend(actor=actor, request=asked, **form.cleaned_data))

    return _on_request(
        request, pk, Verb.ASK, ExtendForm(request.POST or None), deed, name="extend", crumb="Extend"
    )


@page(Verb.END, ("GET", "POST"))
def end_early(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a granted request end sooner, or now."""

    def deed(actor: Actor, asked: PremiumRequest, form: Form) -> HttpResponse:
        made = service.end_early(actor=actor, request=asked, **form.cleaned_data)
        messages.success(request, f"{asked.reference} ends {spelling.absolute(made.end)}.")
        return redirect("web:request", pk=asked.pk)

    return _on_request(
        request, pk, Verb.END, EndEarlyForm(request.POST or None), deed, name="end_early", crumb="End early"
    )


def _on_request(
    request: HttpRequest,
    pk: int,
    verb: Verb,
    form: Form,
    deed: Callable[[Actor, PremiumRequest, Form], HttpResponse],
    *,
    name: str,
    crumb: str,
) -> HttpResponse:
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    requests_service.may_change(actor, asked, verb)
    if request.method == "POST" and form.is_valid():
        try:
            return deed(actor, asked, form)
        except InvalidInput as error:
            put_errors(form, error, _NAMES)
    context = {
        "asked": asked,
        "form": form,
        "range": _range(actor, asked) if name == "extend" else None,
        "crumbs": crumbs_of(actor, asked, crumb),
    }
    return render(request, f"web/request_{name}.html", context)


@page(Verb.DECIDE, ("GET", "POST"))
def admit(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and grant a modification; the difference is judged again under lock."""

    def deed(actor: Actor, found: Modification, form: Form) -> None:
        outcome = service.admit(actor=actor, modification=found, reason=form.cleaned_data["reason"])
        if isinstance(outcome, Refused):
            for reason in outcome.reasons:
                messages.error(request, f"Not admitted: {spelling.reason(reason)}")
            messages.warning(request, "It is still undecided. What was granted stays as it is.")
        elif found.state == "IN_FORCE":
            messages.success(request, f"{found.reference} is in force.")
        else:
            messages.success(
                request,
                f"{found.reference} is admitted. The larger of old and new is charged until the routers were seen with it.",
            )

    return _on_modification(
        request, pk, ReasonForm(request.POST or None), deed, "admit", "Admit", evidence=True
    )


@page(Verb.DECIDE, ("GET", "POST"))
def refuse(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and refuse a modification; what was granted stays."""

    def deed(actor: Actor, found: Modification, form: Form) -> None:
        service.refuse(actor=actor, modification=found, reason=form.cleaned_data["reason"])
        messages.success(request, f"{found.reference} is refused. What was granted stays as it is.")

    return _on_modification(request, pk, ReasonForm(request.POST or None), deed, "refuse", "Refuse")


@page(Verb.END, ("GET", "POST"))
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and take a modification back; what was granted stays."""

    def deed(actor: Actor, found: Modification, form: Form) -> None:
        service.withdraw(actor=actor, modification=found, reason=form.cleaned_data["reason"])
        messages.success(request, f"{found.reference} is withdrawn. What was granted stays as it is.")

    return _on_modification(request, pk, ReasonForm(request.POST or None), deed, "withdraw", "Withdraw")


@page(Verb.ANSWER, ("GET", "POST"))
def consent(request: HttpRequest, pk: int) -> HttpResponse:
    """The receiving NREN agrees to a modification, or declines."""

    def deed(actor: Actor, found: Modification, form: Form) -> None:
        agree = form.cleaned_data["answer"] == "agree"
        service.consent(actor=actor, modification=found, agree=agree, reason=form.cleaned_data["reason"])
        said = "You agreed to" if agree else "You declined"
        messages.success(request, f"{said} {found.reference}. The NOC decides.")

    return _on_modification(request, pk, ConsentForm(request.POST or None), deed, "consent", "Answer")


def _evidence(found: Modification) -> Tried | None:
    """How it stands at this moment; None where its window is over."""
    try:
        return service.evidence(found)
    except StaleState:
        return None


def _on_modification(
    request: HttpRequest,
    pk: int,
    form: Form,
    deed: Callable[[Actor, Modification, Form], None],
    name: str,
    crumb: str,
    *,
    evidence: bool = False,
) -> HttpResponse:
    actor = actor_of(request)
    found = visible(actor, pk)
    asked = found.request
    if request.method == "POST" and form.is_valid():
        try:
            deed(actor, found, form)
        except InvalidInput as error:
            put_errors(form, error)
        else:
            return redirect("web:request", pk=asked.pk)
    tried = _evidence(found) if evidence and found.is_open else None
    context = {
        "asked": asked,
        "modification": found,
        "deed": name,
        "button": f"{crumb}{' the change' if name != 'consent' else ''}",
        "form": form,
        "actor": actor,
        "crumbs": crumbs_of(actor, asked, f"{crumb} {found.reference}"),
        **shown_verdict(tried),
        "may_use": False,
    }
    return render(request, "web/modification.html", context)
