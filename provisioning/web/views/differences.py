"""Drift: what routers were seen to hold that is not intended, and what can be done about each."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.errors import ExpediteError, InvalidInput
from provisioning.models import RouterDifference, RouterSync, SyncState, Verb
from provisioning.selectors.differences import all_ignored, differences, explaining
from provisioning.services import clock
from provisioning.services import differences as deciding
from provisioning.web.access import actor_of, page
from provisioning.web.filters import DifferenceFilter
from provisioning.web.forms.reasons import IgnoreForm, ReasonForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.listing import OURS, list_page
from provisioning.web.reading.differences import last_change, summary
from provisioning.web.several import offered
from provisioning.web.sides import compared
from provisioning.web.spelling import sentence
from provisioning.web.tables.differences import DifferenceTable, as_row
from provisioning.web.tables.sheets import DIFFERENCES
from provisioning.web.views.several import OF_DIFFERENCES


@page(Verb.SEE_BACKBONE)
def listing(request: HttpRequest) -> HttpResponse:
    """All that stands, or what the filter asks for; above it how many routers are in sync, differ, or are not known."""
    asked = request.GET.copy()
    if OURS.issuperset(asked) and "row" not in asked:  # nothing is filtered, and no row is chosen
        asked["state"] = "standing"
    chosen = DifferenceFilter(asked, queryset=differences())
    table = DifferenceTable(chosen.qs)
    if actor_of(request).may(Verb.MEND):
        table.deeds = offered("differences-several", OF_DIFFERENCES)
    return list_page(
        request,
        "web/differences.html",
        table,
        chosen.form,
        sheet=DIFFERENCES,
        summary=summary(clock.now()),
    )


@page(Verb.SEE_BACKBONE)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """One difference: both sides, since when, who configured last, and the three things to do about it."""
    return _shown(request, _row(pk), IgnoreForm())


@page(Verb.MEND, ("POST",))
def ignore(request: HttpRequest, pk: int) -> HttpResponse:
    """Leave it as it is until a day, with a reason."""
    row, form = _row(pk), IgnoreForm(request.POST)
    if form.is_valid():
        try:
            deciding.ignore(actor=actor_of(request), difference=row.pk, **form.cleaned_data)
        except InvalidInput as error:
            put_errors(form, error)
        except ExpediteError as error:
            form.add_error(None, sentence(error.reason))
        else:
            messages.success(
                request, f"{row}: ignored. The router differs all the same; nobody is told of it until then."
            )
            return redirect("web:difference", pk)
    return _shown(request, _row(pk), form)


@page(Verb.MEND, ("POST",))
def heed(request: HttpRequest, pk: int) -> HttpResponse:
    """Ignore it no longer."""
    row, form = _row(pk), ReasonForm(request.POST)
    if form.is_valid():
        try:
            deciding.heed(actor=actor_of(request), difference=row.pk, reason=form.cleaned_data["reason"])
        except InvalidInput as error:
            put_errors(form, error)
        except ExpediteError as error:
            form.add_error(None, sentence(error.reason))
        else:
            messages.success(
                request, f"{row}: no longer ignored. The next reading that shows it tells of it."
            )
            return redirect("web:difference", pk)
    return _shown(request, _row(pk), IgnoreForm(), heeding=form)


def _row(pk: int) -> RouterDifference:
    row = differences().filter(pk=pk).first()
    if row is None:
        raise Http404("there is no such difference")
    return row


def _shown(
    request: HttpRequest, row: RouterDifference, form: IgnoreForm, heeding: ReasonForm | None = None
) -> HttpResponse:
    router, now = row.router, clock.now()
    sync: RouterSync | None = getattr(router, "sync", None)
    push = explaining(router.pk).select_related("change").order_by("pk").first()
    shown: dict[str, Any] = {
        "row": row,
        "router": router,
        "sync": sync,
        "compared": [compared(row.object, row.expected.splitlines(), row.found.splitlines())],
        "stands": row.gone_at is None,
        "ignored": row.gone_at is None and row.is_ignored(now),
        "whole": router.pk in all_ignored(now),
        "explained_by": push,
        "last_change": last_change(router),
        "open": sync.open_edges if sync and sync.state != SyncState.UNKNOWN else [],
        "may": actor_of(request).may(Verb.MEND),
        "form": form,
        "heeding": heeding or ReasonForm(),
        "crumbs": [
            ("Drift", reverse("web:differences")),
            (router.name, reverse("web:router", args=[router.name])),
            (row.object, None),
        ],
        **as_row(row),
    }
    return render(request, "web/difference.html", shown)
