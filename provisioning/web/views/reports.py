"""The monthly report: what each NREN had, for the NOC of all of them and for an NREN of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from provisioning.errors import InvalidInput
from provisioning.models import Verb
from provisioning.pipeline.units import shown
from provisioning.selectors.monthly import Month, Report, monthly
from provisioning.web.access import actor_of, page
from provisioning.web.sheets import FORMATS, answer
from provisioning.web.tables.sheets import MONTHLY

SHOWN = 100
"""Rows of each table; all of them are in the files."""
MONTHS = 13


@page(Verb.SEE_USAGE)
def monthly_report(request: HttpRequest) -> HttpResponseBase:
    """A month: promised and held, used beside reserved, dropped, changed; with ``format`` one of its tables as a file."""
    now = timezone.now()
    month = Month.parse(request.GET["month"]) if request.GET.get("month") else Month.of(now)
    found = monthly(actor_of(request), month, now=now, nren=request.GET.get("nren", ""))
    wanted, table = request.GET.get("format", ""), request.GET.get("table", "reservations")
    if wanted:
        return _file(found, wanted, table)
    promised = sum(total.reservations for total in found.totals)
    context = {
        "found": found,
        "months": _months(Month.of(now), month),
        "totals": found.totals[:SHOWN],
        "used": found.used[:SHOWN],
        "reservations": found.first,
        "more": {
            "totals": len(found.totals) - SHOWN,
            "used": len(found.used) - SHOWN,
            "reservations": promised - len(found.first),
        },
        "nren": request.GET.get("nren", ""),
        "crumbs": [("Monthly report", None)],
    }
    return render(request, "web/report.html", context)


def _file(found: Report, wanted: str, table: str) -> HttpResponseBase:
    if wanted not in FORMATS:
        raise InvalidInput(f"{shown(wanted)} is none of {', '.join(FORMATS)}", field="format")
    if table not in MONTHLY:
        raise InvalidInput(f"{shown(table)} is none of {', '.join(MONTHLY)}", field="table")
    rows: Any = {"nrens": found.totals, "used": found.used}.get(table)
    return answer(MONTHLY[table], wanted, found.reservations() if rows is None else rows)


def _months(now: Month, chosen: Month) -> Sequence[Month]:
    """The last months, and the one that is shown."""
    found = [now]
    while len(found) < MONTHS:
        found.append(found[-1].before)
    return found if chosen in found else [*found, chosen]
