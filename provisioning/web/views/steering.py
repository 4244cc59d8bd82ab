"""Holding a change and letting it go on; stopping every push and letting them go on. Each asks for a reason."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.errors import InvalidInput, NotAsRead
from provisioning.models import Verb
from provisioning.selectors.ends import half_way
from provisioning.selectors.pushing import stop
from provisioning.services import halting, steering, undoing
from provisioning.web.access import actor_of, page
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.forms.rollout import RolloutForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.views.changes import frame

MOST_HALF_WAY = 20


@page(Verb.PAUSE, ("GET", "POST"))
def pause(request: HttpRequest, pk: int) -> HttpResponse:
    """Begin no further router of the change until somebody lets it go on."""
    context = frame(request, pk, "change")
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            steering.pause(actor=context["actor"], change=context["change"], **form.cleaned_data)
        except InvalidInput as error:
            put_errors(form, error)
        else:
            messages.success(request, f"{context['change'].reference} is paused: no further router is begun.")
            return redirect("web:change-progress", pk=pk)
    return _asked(request, context, form, "Pause")


@page(Verb.PAUSE, ("GET", "POST"))
def go_on(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a paused change go on; its routers are all read again first."""
    context = frame(request, pk, "change")
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            read = request.POST.get("read", "")
            steering.resume(actor=context["actor"], change=context["change"], read=read, **form.cleaned_data)
        except (InvalidInput, NotAsRead) as error:
            put_errors(form, error)
        else:
            messages.success(
                request,
                f"{context['change'].reference} goes on. Its routers are all read again before the next one is begun.",
            )
            return redirect("web:change-progress", pk=pk)
    paused = context["change"].paused_at
    context["read"] = paused.isoformat() if paused else ""
    return _asked(request, context, form, "Go on")


@page(Verb.COURSE, ("GET", "POST"))
def rollout(request: HttpRequest, pk: int) -> HttpResponse:
    """When its routers may be begun, how many first and at once, and under which ticket."""
    context = frame(request, pk, "change")
    change = context["change"]
    form = RolloutForm(request.POST or None, change=change)
    if request.method == "POST" and form.is_valid():
        try:
            steering.set_course(actor=context["actor"], change=change, **form.said())
        except InvalidInput as error:
            put_errors(form, error)
        else:
            messages.success(request, f"The course of {change.reference} is set.")
            return redirect("web:change", pk=pk)
    return _asked(request, context, form, "Roll-out", button="Set the roll-out")


@page(Verb.UNDO, ("GET", "POST"))
def undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Set back what is wanted, for the whole change; the plans follow by themselves and are approved like any other."""
    context = frame(request, pk, "change")
    change = context["change"]
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            done = undoing.undo(actor=context["actor"], change=change, **form.cleaned_data)
        except InvalidInput as error:
            put_errors(form, error)
        else:
            names = ", ".join(one.reference for one in done.withdrawn)
            rest = f" Still to do: {' '.join(step.text for step in done.left)}" if done.left else ""
            messages.success(
                request, f"Withdrawn: {names}. Taking it off is planned next, router by router.{rest}"
            )
            return redirect("web:change", pk=pk)
    takes, left = undoing.foreseen(change)
    context |= {
        "form": form,
        "takes": takes if change.finished_at else (),
        "left": left,
        "crumbs": [
            ("Changes", reverse("web:changes")),
            (change.reference, reverse("web:change", args=[change.pk])),
            ("Undo", None),
        ],
    }
    return render(request, "web/change_undo.html", context)


def _asked(
    request: HttpRequest, context: dict[str, Any], form: ReasonForm, deed: str, *, button: str = ""
) -> HttpResponse:
    change = context["change"]
    context |= {
        "form": form,
        "deed": deed,
        "button": button or deed,
        "crumbs": [
            ("Changes", reverse("web:changes")),
            (change.reference, reverse("web:change", args=[change.pk])),
            (deed, None),
        ],
    }
    return render(request, "web/change_steer.html", context)


@page(Verb.STOP, ("GET", "POST"))
def stop_all(request: HttpRequest) -> HttpResponse:
    """Stop every push, of whatever change."""
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            halting.stop_all(actor=actor_of(request), **form.cleaned_data)
        except InvalidInput as error:
            put_errors(form, error)
        else:
            messages.success(request, "Every push is stopped. Nothing goes on until somebody lets it.")
            return redirect("web:pushes-go-on")
    return _about_all(request, form, "Stop every push")


@page(Verb.GO_ON, ("GET", "POST"))
def let_all_go_on(request: HttpRequest) -> HttpResponse:
    """Lift what stops every push."""
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            halting.go_on(actor=actor_of(request), read=request.POST.get("read", ""), **form.cleaned_data)
        except (InvalidInput, NotAsRead) as error:
            put_errors(form, error)
        else:
            messages.success(
                request,
                "Pushes go on. A router that was half way is read first, and all of a change before another is begun.",
            )
            return redirect("web:queue")
    return _about_all(request, form, "Let pushes go on")


def _about_all(request: HttpRequest, form: ReasonForm, deed: str) -> HttpResponse:
    context = {
        "form": form,
        "deed": deed,
        "stop": (held := stop()),
        "read": held.held_at.isoformat() if held and held.held_at and deed == "Let pushes go on" else "",
        "half_way": half_way()[:MOST_HALF_WAY],
        "crumbs": [("Changes", reverse("web:changes")), (deed, None)],
    }
    return render(request, "web/pushes_stop.html", context)
