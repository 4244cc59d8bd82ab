"""Rows of the network, edited and retired: what would come of it first, then a reason and the deed; and what happened to each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from inventory.models import AccessLink, CoreLink, Peering, Router
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import Verb
from provisioning.services import clock, inventory
from provisioning.services.inventory import Kind, Rewritten, RowChanged, StillNeeded
from provisioning.web.access import actor_of, page
from provisioning.web.forms.finding import FindForm
from provisioning.web.forms.inventory import EditForm, RetireForm, RetireLinkForm, RetireRouterForm
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.listing import list_page
from provisioning.web.reading.effects import effect_of_rewriting, tell_done
from provisioning.web.reading.inventory import (
    kind_named,
    log_of,
    page_of_row,
    retired,
    router_way,
    row_of,
    shown_obstacles,
)
from provisioning.web.spelling import sentence
from provisioning.web.tables.inventory import RetiredTable

PLANNED = 20
"""Routers to be planned that a page names."""


@page(Verb.NETWORK, ("GET", "POST"))
def edit(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Edit a row: the first POST shows what would come of it, the second does it."""
    of = kind_named(kind)
    row = row_of(of, pk)
    form = EditForm(request.POST or None, kind=of, standing=inventory.values_of(row))

    def act(dry_run: bool) -> Rewritten:
        return inventory.edit(
            actor=actor_of(request),
            row=row,
            values=form.values(),
            reason=form.cleaned_data["reason"],
            seen=form.cleaned_data["seen"],
            dry_run=dry_run,
        )

    return _foreseen(
        request,
        of,
        row,
        form,
        act,
        title=f"Edit {row}",
        done=f"{row} is edited.",
        button="Write it",
        danger=False,
    )


@page(Verb.NETWORK, ("GET", "POST"))
def retire(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Take a row out of use: what depends on it is named, then what would come of it, then it is done."""
    of = kind_named(kind)
    row = row_of(of, pk)
    forms: dict[type, type[RetireForm]] = {
        AccessLink: RetireLinkForm,
        CoreLink: RetireLinkForm,
        Peering: RetireLinkForm,
        Router: RetireRouterForm,
    }
    form = forms.get(type(row), RetireForm)(request.POST or None)

    def act(dry_run: bool) -> Rewritten:
        more: dict[str, Any] = {}
        if isinstance(form, RetireLinkForm):
            more["leaves"] = form.leaves()
        if isinstance(form, RetireRouterForm):
            more["gone"] = form.cleaned_data["gone"]
        return inventory.retire(
            actor=actor_of(request), row=row, reason=form.cleaned_data["reason"], dry_run=dry_run, **more
        )

    return _foreseen(
        request,
        of,
        row,
        form,
        act,
        title=f"Retire {row}",
        done=f"{row} is retired.",
        button="Retire it",
        danger=True,
        obstacles=shown_obstacles(inventory.obstacles_to_retiring(row)),
    )


def _foreseen(
    request: HttpRequest,
    kind: Kind,
    row: Any,
    form: ReasonForm,
    act: Callable[[bool], Rewritten],
    *,
    title: str,
    done: str,
    button: str,
    danger: bool,
    obstacles: list[Any] | None = None,
) -> HttpResponse:
    """A form whose first POST shows what would come of it, and whose second, with that on the page, does it: where its fields or
    what would come of it are others by now, that is shown and asked again.
    """
    found, effect, shown, changed, status = None, None, "", "", 200
    back = page_of_row(row)
    if request.method == "POST" and form.is_valid():
        doing = "do" in request.POST
        said = {name: value for name, value in form.cleaned_data.items() if name not in ("reason", "seen")}
        try:
            found = act(True)
            effect = effect_of_rewriting(found, done)
            shown = effect.digest([said, [str(each) for each in found.changes], found.routers], clock.now())
            if doing and shown != request.POST.get("shown"):
                doing = False
                form.add_error(None, "What would come of it is not what this page showed: read it again.")
            if doing:
                found = act(False)
                effect = effect_of_rewriting(found, done)
        except RowChanged as error:
            assert isinstance(form, EditForm), "only an edit carries what was read"
            form.read_again(error.details["standing"])
            found, effect, changed, status = None, None, error.reason, 409
        except StillNeeded as error:
            found, effect, status = None, None, 409
            obstacles = shown_obstacles(error.obstacles)
        except InvalidInput as error:
            found, effect = None, None
            put_errors(form, error)
        except Conflict as error:
            found, effect, status = None, None, 409
            form.add_error(None, sentence(error.reason))
        else:
            if doing:
                tell_done(request, effect)
                return redirect(back if not danger else _after(row))
    context = {
        "row": row,
        "kind": kind,
        "form": form,
        "found": found,
        "effect": effect,
        "shown": shown,
        "planned": [] if found is None else [router_way(name) for name in found.routers[:PLANNED]],
        "planned_more": 0 if found is None else max(0, len(found.routers) - PLANNED),
        "changed": changed,
        "obstacles": obstacles or [],
        "title": title,
        "button": button,
        "danger": danger,
        "back": back,
        "retires": reverse("web:inventory-retire", args=[kind.slug, row.pk]),
        "crumbs": _crumbs(row, "Retire" if danger else "Edit"),
    }
    return render(request, "web/inventory_deed.html", context, status=status)


def _after(row: Any) -> str:
    """Where somebody goes once it is retired: what happened to it; its router where it has no page of its own."""
    if isinstance(row, AccessLink | CoreLink | Peering):
        return page_of_row(row)
    return reverse("web:retired")


def _crumbs(row: Any, last: str) -> list[tuple[str, str | None]]:
    return [("Network", reverse("web:network")), (str(row), page_of_row(row)), (last, None)]


@page(Verb.SEE_BACKBONE)
def log(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """What happened to a row: who changed what, when and why."""
    of = kind_named(kind)
    row = row_of(of, pk, retired=True)
    context = {
        "row": row,
        "kind": of,
        "events": log_of(row, request.GET.get("page", "")),
        "noc": actor_of(request).may(Verb.NETWORK) and not getattr(row, "retired_at", None),
        "crumbs": _crumbs(row, "Change log"),
    }
    return render(request, "web/inventory_log.html", context)


@page(Verb.SEE_BACKBONE)
def retired_rows(request: HttpRequest) -> HttpResponse:
    """What was of the network and is no more."""
    form = FindForm(request.GET, hint="a name")
    text = form.chosen("q")
    crumbs = [("Network", reverse("web:network")), ("Retired", None)]
    return list_page(
        request, "web/retired.html", RetiredTable(retired(text)), form, filtered=bool(text), crumbs=crumbs
    )
