"""The lines of a request before they are due: read, and approved once."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from provisioning.errors import InvalidInput
from provisioning.models import Verb
from provisioning.services import ahead
from provisioning.web import lines, reading
from provisioning.web.access import actor_of, page
from provisioning.web.forms.lines import LinesForm
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.views.requests import crumbs_of


@page(Verb.SEE_BACKBONE, ("GET", "POST"), post=Verb.APPROVE_LINES)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """The lines that put it on and take it off, with what each changes; a member of the NOC approves them here."""
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    shown = lines.view_of(actor, ahead.foresee(asked))
    form = LinesForm(
        request.POST or None,
        gaps=len(shown.gaps),
        doubts=len(shown.doubts),
        initial={"seen": shown.found.fingerprint},
    )
    if request.method == "POST" and form.is_valid():
        try:
            ahead.approve_ahead(
                actor=actor,
                request=asked,
                seen=form.cleaned_data["seen"],
                confirm_gaps=form.cleaned_data.get("confirm_gaps", False),
                override=form.cleaned_data.get("override", ""),
                reason=form.cleaned_data["reason"],
            )
        except InvalidInput as error:
            put_errors(form, error)
        else:
            messages.success(
                request,
                f"The lines of {asked.reference} are approved. They go out when they are due, if they are still the same.",
            )
            return redirect("web:request-lines", pk=pk)
    context = {"asked": asked, "shown": shown, "form": form, "crumbs": crumbs_of(actor, asked, "Lines")}
    context["taken_back"] = actor.may(Verb.TAKE_LINES_BACK) and any(view.given for view in shown.sides)
    return render(request, "web/request_lines.html", context)


@page(Verb.TAKE_LINES_BACK, ("GET", "POST"))
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm and take back what was approved ahead."""
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            ahead.revoke(actor=actor, request=asked, reason=form.cleaned_data["reason"])
        except InvalidInput as error:
            put_errors(form, error)
        else:
            messages.success(request, f"No lines of {asked.reference} are approved ahead any more.")
            return redirect("web:request-lines", pk=pk)
    context = {"asked": asked, "form": form, "crumbs": crumbs_of(actor, asked, "Take the approval back")}
    return render(request, "web/request_lines_revoke.html", context)
