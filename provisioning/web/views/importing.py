"""What comes into the network by a file or a form: every row that would be written first, then it is written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from inventory.models import Nren
from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network_text
from inventory.readers.tables import read_table
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import Verb
from provisioning.pipeline.units import how_many
from provisioning.selectors.network import the_domain
from provisioning.services import inventory
from provisioning.services.inventory import ImportReport
from provisioning.web.access import actor_of, page
from provisioning.web.forms.importing import ImportForm, NewLinkForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.spelling import sentence

SHOWN = 200
"""Rows of a report on a page, and faults of a file."""


class BadFile(InvalidInput):
    """A file that cannot be meant: all its faults."""

    def __init__(self, reason: str, faults: Sequence[NetworkFileError]) -> None:
        super().__init__(reason, field="text")
        self.faults = faults


@page(Verb.NETWORK, ("GET", "POST"))
def import_file(request: HttpRequest) -> HttpResponse:
    """Import a network file."""
    form = ImportForm(*(request.POST, request.FILES) if request.method == "POST" or request.POST else ())

    def read() -> NetworkFile:
        sent = form.cleaned_data.get("file")
        try:
            name = sent.name[:80] if sent else "pasted"
            raw, kind = form.cleaned_data["text"].encode(), form.cleaned_data["kind"]
            if kind:
                return inventory.network_with_rows(the_domain(), read_table(raw, section=kind, source=name))
            return read_network_text(raw, source=name)
        except NetworkFileError as error:
            number = len(error.faults)
            said = error.spoken() if number == 1 else f"{number} things are wrong: they are listed below."
            raise BadFile(said, error.faults) from error

    return _foreseen(
        request,
        form,
        read,
        title="Import a network file",
        says="Rows are made and brought to what the file says; nothing is deleted, and nothing is sent to a router.",
        after=lambda: reverse("web:network"),
        crumbs=[("Network", reverse("web:network")), ("Import", None)],
    )


@page(Verb.NETWORK, ("GET", "POST"))
def new_nren(request: HttpRequest) -> HttpResponse:
    """An NREN with its access link."""
    there = Nren.objects.filter(name=request.GET.get("nren", "")[:64]).first()
    initial = {"nren": there.name, "country": there.country} if there is not None else {}
    form = NewLinkForm(request.POST or None, initial=initial)

    def after() -> str:
        nren = Nren.objects.get(name=form.cleaned_data["nren"].strip())
        return reverse("web:nren-onboard", args=[nren.pk])

    return _foreseen(
        request,
        form,
        lambda: inventory.network_with(the_domain(), form.new_link()),
        title="Onboard an NREN",
        says="The NREN and its access link come into the network. People, quota and the router's policy follow, step by step.",
        after=after,
        crumbs=[("NRENs", reverse("web:nrens")), ("Onboard", None)],
    )


def _foreseen(
    request: HttpRequest,
    form: forms.Form,
    read: Callable[[], NetworkFile],
    *,
    title: str,
    says: str,
    after: Callable[[], str],
    crumbs: list[tuple[str, str | None]],
) -> HttpResponse:
    """The first POST shows the rows of a dry run, the second, with just these on the page, imports."""
    report, shown = None, ""
    faults: Sequence[NetworkFileError] = ()
    if request.method == "POST" and form.is_valid():
        doing = "do" in request.POST
        try:
            network = read()
            report = inventory.import_network(actor=actor_of(request), network=network, dry_run=True)
            shown = _digest(report)
            if doing and shown != request.POST.get("shown"):
                doing = False
                form.add_error(None, "What would be written is not what this page showed: read it again.")
            if doing:
                done = inventory.import_network(actor=actor_of(request), network=network)
                counts = done.counts()
                messages.success(
                    request,
                    f"{how_many(counts['created'], 'row')} made, {counts['updated']} brought to what was said.",
                )
                return redirect(after())
        except InvalidInput as error:
            report = None
            put_errors(form, error)
            if isinstance(error, BadFile) and len(error.faults) > 1:
                faults = error.faults
        except Conflict as error:
            report = None
            form.add_error(None, sentence(error.reason))
    told = (
        []
        if report is None
        else [row for row in report.rows if row.outcome in ("created", "updated") or row.remarks]
    )
    context = {
        "form": form,
        "report": report,
        "counts": {} if report is None else report.counts(),
        "rows": told[:SHOWN],
        "more": max(0, len(told) - SHOWN),
        "shown": shown,
        "faults": faults[:SHOWN],
        "more_faults": max(0, len(faults) - SHOWN),
        "title": title,
        "says": says,
        "back": crumbs[0][1],
        "crumbs": crumbs,
    }
    return render(request, "web/import.html", context)


def _digest(report: ImportReport) -> str:
    rows = [{**row.as_dict(), "remarks": ()} for row in report.rows if row.outcome in ("created", "updated")]
    return hashlib.sha256(json.dumps(rows, sort_keys=True, default=str).encode()).hexdigest()
