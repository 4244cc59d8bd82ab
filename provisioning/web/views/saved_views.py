"""Saved views of lists: kept, edited, deleted, and chosen to open a list with."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, resolve, reverse

from provisioning.errors import Conflict, InvalidInput, NotVisible
from provisioning.models import Actor, Verb
from provisioning.selectors.authority import permit_named
from provisioning.selectors.saved_views import may_edit, visible
from provisioning.services import saved_views
from provisioning.services.saved_views import ViewChanged
from provisioning.web.access import actor_of, page
from provisioning.web.forms.saved_views import EditViewForm, ViewForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.showing import EVERYTHING, address_of, kept
from provisioning.web.spelling import sentence

PAGES = frozenset(
    {
        "requests",
        "my-requests",
        "changes",
        "routers",
        "links",
        "failures",
        "nrens",
        "differences",
        "people",
        "tokens",
        "audit",
        "retired",
    }
)
"""The lists of which views are kept, by the names of their addresses."""


@page(None, ("GET", "POST"))
def keep(request: HttpRequest) -> HttpResponse:
    """Keep what a list shows under a name; GET asks for the name where the list's own form was not sent right."""
    actor = actor_of(request)
    said = request.POST if request.method == "POST" else None
    initial = {name: request.GET.get(name, "") for name in ("page", "query")}
    form = ViewForm(said, initial=initial, may_share=actor.may(Verb.NOTIFY))
    asked = initial if said is None else said
    of = _list_named(actor, asked.get("page", ""))
    if form.is_valid():
        try:
            row = saved_views.keep(
                actor=actor,
                page=of,
                name=form.cleaned_data["name"],
                query=_clean(form.cleaned_data["query"]),
                shared=form.cleaned_data.get("shared", False),
            )
        except InvalidInput as error:
            put_errors(form, error)
        except Conflict as error:
            form.add_error("name", sentence(error.reason))
        else:
            messages.success(request, f"“{row.name}” is kept.")
            return redirect(address_of(row))
    context = {
        "form": form,
        "title": "Keep a view",
        "button": "Keep it",
        "says": _said(asked.get("query", "")),
        "back": f"{reverse(f'web:{of}')}?{_clean(asked.get('query', ''))}",
        "crumbs": [("The list", reverse(f"web:{of}")), ("Keep a view", None)],
    }
    return render(request, "web/saved_view.html", context)


@page(None, ("GET", "POST"))
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Rename a view, share it, set it to what the list shows now (``query``), or delete it; over what was read only."""
    actor = actor_of(request)
    row = visible(actor).filter(pk=pk).select_related("edited_by").first()
    if row is None or not may_edit(actor, row):
        raise NotVisible("There is no such view, or it is not yours to edit.")
    _list_named(actor, row.page)
    new = _clean(request.GET["query"]) if "query" in request.GET else row.query
    initial = {"page": row.page, "query": new, "name": row.name, "shared": row.shared, "edition": row.edition}
    form = EditViewForm(request.POST or None, initial=initial, may_share=actor.may(Verb.NOTIFY))
    changed, status = "", 200
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        new = _clean(said["query"])
        try:
            if "delete" in request.POST:
                saved_views.remove(actor=actor, view=pk, edition=said["edition"])
                messages.success(request, f"“{row.name}” is deleted.")
                return redirect(f"{reverse(f'web:{row.page}')}?view={EVERYTHING}")
            row = saved_views.edit(
                actor=actor,
                view=pk,
                edition=said["edition"],
                name=said["name"],
                shared=said.get("shared", False),
                query=new,
            )
        except ViewChanged as error:
            changed, status = error.reason, 409
            row.refresh_from_db()
            form.data = form.data.copy()
            form.data["edition"] = str(row.edition)
        except InvalidInput as error:
            put_errors(form, error)
        except Conflict as error:
            form.add_error("name", sentence(error.reason))
        else:
            messages.success(request, f"“{row.name}” is kept as it is now.")
            return redirect(address_of(row))
    context: dict[str, Any] = {
        "form": form,
        "view": row,
        "title": f"Edit the view “{row.name}”",
        "button": "Keep it so",
        "says": _said(new),
        "said_before": _said(row.query) if new != row.query else None,
        "changed": changed,
        "back": address_of(row),
        "crumbs": [("The list", address_of(row)), (row.name, None)],
    }
    return render(request, "web/saved_view.html", context, status=status)


@page(None, ("POST",))
def choose(request: HttpRequest) -> HttpResponse:
    """Let a list open with a view; with everything where none is named."""
    actor = actor_of(request)
    of = _list_named(actor, request.POST.get("page", ""))
    named = request.POST.get("view", "")
    if named and not (named.isascii() and named.isdecimal() and len(named) < 18):
        raise InvalidInput("no view", field="view")
    saved_views.choose(actor=actor, page=of, view=int(named) if named else None)
    messages.success(
        request, "The list opens with it from now on." if named else "The list opens with all of it."
    )
    return redirect(f"{reverse(f'web:{of}')}?view={named or EVERYTHING}")


def _list_named(actor: Actor, name: str) -> str:
    """The name of a list that this person may open; raises NotVisible for what is none, NotPermitted for one they may not."""
    try:
        address = reverse(f"web:{name}") if name in PAGES else ""
    except NoReverseMatch:
        address = ""
    if not address:
        raise InvalidInput(f"there is no list “{name:.40}” of which views are kept", field="page")
    permit_named(actor, resolve(address).func.verb)  # type: ignore[attr-defined]
    return name


def _clean(query: str) -> str:
    return kept(QueryDict(query))


def _said(query: str) -> list[tuple[str, str]]:
    """What a view asks for, word by word; the columns as one."""
    pairs = parse_qsl(query)
    columns = [text for name, text in pairs if name == "columns"]
    found = [(name, text) for name, text in pairs if name != "columns"]
    return [*found, *([("columns", ", ".join(columns))] if columns else [])]
