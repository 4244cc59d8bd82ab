"""The network as it changes: what moves, what is planned, and what a change would do, shown before it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.errors import ExpediteError, InvalidInput, NotVisible, StaleState
from provisioning.models import CapacityChange, Verb
from provisioning.pipeline.units import how_many
from provisioning.selectors.capacity import as_value
from provisioning.selectors.network import the_domain
from provisioning.services import clock, topology
from provisioning.web.access import actor_of, page
from provisioning.web.forms.network import CapacityForm, DatabaseForm, LinkForm, MovedForm, WorkForm
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.reading.effects import (
    Effect,
    effect_of_capacity,
    effect_of_link,
    effect_of_work,
    tell_done,
)
from provisioning.web.reading.topology import links_left_by, network_changes

Crumbs = Sequence[tuple[str, str | None]]


def _crumbs(*more: str) -> Crumbs:
    first = ("Network", reverse("web:network") if more else None)
    return [first, *((text, None) for text in more)]


@page(Verb.SEE_BACKBONE)
def overview(request: HttpRequest) -> HttpResponse:
    """What moves, which capacities change with time, and the last versions of the topology."""
    context = {
        "found": network_changes(),
        "noc": actor_of(request).may(Verb.NETWORK),
        "crumbs": _crumbs(),
    }
    return render(request, "web/network.html", context)


def _foreseen(
    request: HttpRequest,
    form: Form,
    act: Callable[[bool], Effect],
    *,
    title: str,
    says: str,
    button: str,
) -> HttpResponse:
    """A form whose first POST shows what would come of it, and whose second, with that on the page, does it: where its fields or
    what would come of it are others by now, that is shown and asked again.
    """
    effect, shown = None, ""
    if request.method == "POST" and form.is_valid():
        doing = "do" in request.POST
        deed = {name: value for name, value in form.cleaned_data.items() if name != "reason"}
        try:
            effect = act(True)
            shown = effect.digest(deed, clock.now())
            if doing and shown != request.POST.get("shown"):
                doing = False
                form.add_error(None, "What would come of it is not what this page showed: read it again.")
            if doing:
                effect = act(False)
        except InvalidInput as error:
            put_errors(
                form,
                error,
                {"core_link": "link", "usable_bps": "usable", "end": "until", "window_end": "until"},
            )
        else:
            if doing:
                tell_done(request, effect)
                return redirect("web:network")
    context = {
        "form": form,
        "effect": effect,
        "shown": shown,
        "title": title,
        "says": says,
        "button": button,
        "crumbs": _crumbs(title),
    }
    return render(request, "web/network_change.html", context)


@page(Verb.NETWORK, ("GET", "POST"))
def link(request: HttpRequest) -> HttpResponse:
    """A core link is declared down or up, or taken away."""
    form = LinkForm(request.POST or None, initial={"link": request.GET.get("link", "")[:200]})

    def act(dry_run: bool) -> Effect:
        given = form.cleaned_data
        return effect_of_link(
            topology.declare(
                actor=actor_of(request),
                name=given["link"].strip(),
                deed=given["deed"],
                reason=given["reason"],
                dry_run=dry_run,
            ),
            given["link"].strip(),
        )

    return _foreseen(
        request,
        form,
        act,
        title="A core link goes out of use, or comes back",
        says=(
            "Every path is derived again, and what moves is charged on its old and its new path until the move is over. Nothing "
            "is taken from anybody, and nothing is sent to a router. First you see what would come of it."
        ),
        button="Declare it",
    )


@page(Verb.NETWORK, ("GET", "POST"))
def capacity(request: HttpRequest) -> HttpResponse:
    """What a link carries, or a pool takes, from a date on or between two."""
    form = CapacityForm(request.POST or None, initial={"link": request.GET.get("link", "")[:200]})

    def act(dry_run: bool) -> Effect:
        said = topology.change_capacity(
            actor=actor_of(request),
            domain=the_domain(),
            planned=form.planned(),
            reason=form.cleaned_data["reason"],
            dry_run=dry_run,
        )
        return effect_of_capacity(said)

    return _foreseen(
        request,
        form,
        act,
        title="Capacity that changes with time",
        says=(
            "Decisions, offers and the watch over promises reckon with it from now on. Between two dates it only ever "
            "takes away; from a date on it holds until another one begins. Nothing is sent to a router. First you see who "
            "would not fit any more."
        ),
        button="Say it",
    )


@page(Verb.NETWORK, ("GET", "POST"))
def take_back(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a change of capacity back."""
    row = CapacityChange.objects.filter(pk=pk, taken_back_at=None).first()
    if row is None:
        raise NotVisible("There is no such change of capacity, or it was taken back.")
    form = ReasonForm(request.POST or None)

    def act(dry_run: bool) -> Effect:
        said = topology.take_back(
            actor=actor_of(request), key=pk, reason=form.cleaned_data["reason"], dry_run=dry_run
        )
        return effect_of_capacity(said, back=True)

    return _foreseen(
        request,
        form,
        act,
        title="Take a change of capacity back",
        says=f"{as_value(row)}: it will be as if that had not been said.",
        button="Take it back",
    )


@page(Verb.SEE_BACKBONE)
def work(request: HttpRequest) -> HttpResponse:
    """What planned work on core links would do. A question: nothing is written."""
    asked = "link" in request.GET
    form = WorkForm(
        request.GET if "start" in request.GET else None, initial={"link": request.GET.get("link", "")}
    )
    effect = None
    if asked and form.is_bound and form.is_valid():
        try:
            effect = effect_of_work(topology.affected(the_domain(), form.links(), form.window()))
        except InvalidInput as error:
            put_errors(form, error, {"core_link": "link", "window_end": "until"})
    context = {"form": form, "effect": effect, "crumbs": _crumbs("Planned work")}
    return render(request, "web/network_work.html", context)


@page(Verb.NETWORK, ("GET", "POST"))
def drift(request: HttpRequest) -> HttpResponse:
    """Paths as routers see them, beside those that are charged."""
    form = DatabaseForm(*(request.POST, request.FILES) if request.method == "POST" or request.POST else ())
    compared = None
    if request.method == "POST" and form.is_valid():
        try:
            compared = topology.compare_paths(
                actor=actor_of(request),
                domain=the_domain(),
                text=form.cleaned_data["text"],
                router=form.cleaned_data["router"],
                taken_at=form.cleaned_data["taken_at"],
                end_moves=form.cleaned_data["end_moves"],
                source=form.cleaned_data["file"].name[:100] if form.cleaned_data["file"] else "pasted",
            )
        except InvalidInput as error:
            sent = "file" if form.cleaned_data["file"] else "text"
            put_errors(form, error, {"file": sent, "compare": sent})
    context = {
        "form": form,
        "compared": compared,
        "most": 200,
        "crumbs": _crumbs("Paths as routers see them"),
    }
    return render(request, "web/network_drift.html", context)


@page(Verb.NETWORK, ("GET", "POST"))
def moved(request: HttpRequest) -> HttpResponse:
    """Say that moves are over: of one request, or of all that move."""
    key = request.GET.get("request", "")
    moving = [each for each in topology.moving() if not key or str(each.pk) == key]
    form = MovedForm(request.POST or None, initial={"shown_at": clock.now().isoformat()})
    if request.method == "POST" and form.is_valid():
        done, failed = 0, ""
        for each in moving:
            try:
                topology.path_moved(
                    actor=actor_of(request),
                    request=each,
                    reason=form.cleaned_data["reason"],
                    known_at=form.cleaned_data["shown_at"],
                )
                done += 1
            except StaleState:
                continue  # somebody else said so meanwhile, or it moved again after the page was shown
            except ExpediteError as error:
                failed = f"{each.reference}: {error.reason}"
                break
        messages.success(request, f"{how_many(done, 'move')} ended: the old path is free.")
        if failed:
            messages.error(request, failed)
        return redirect("web:network")
    title = f"The move of {moving[0].reference} is over" if key and moving else "Moves are over"
    context: dict[str, Any] = {
        "form": form,
        "moving": moving,
        "title": title,
        "leaves": links_left_by(moving[0]) if key and moving else [],
        "crumbs": _crumbs(title),
    }
    return render(request, "web/network_moved.html", context)
