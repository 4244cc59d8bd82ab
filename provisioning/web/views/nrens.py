"""NRENs and what each has in use."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from provisioning.web import reading
from provisioning.web.access import STAFF, actor_of, page
from provisioning.web.listing import listed
from provisioning.web.reading.network import nren_of, nrens
from provisioning.web.tables.network import NrenTable
from provisioning.web.tables.requests import RequestTable


@page(STAFF)
def listing(request: HttpRequest) -> HttpResponse:
    """All NRENs."""
    return render(request, "web/nrens.html", {"table": listed(request, NrenTable(nrens()))})


@page(STAFF)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """One NREN: prefixes, access links, people, requests it sends."""
    nren = nren_of(pk)
    table = RequestTable(reading.requests(actor_of(request)).filter(nren=nren))
    table.empty_next = f"{nren.name} has not asked for anything yet."
    return render(
        request,
        "web/nren.html",
        {
            "nren": nren,
            "links": nren.access_links.select_related("interface__router"),
            "people": nren.memberships.select_related("user"),
            "table": listed(request, table),
            "crumbs": [("NRENs", reverse("web:nrens")), (nren.name, None)],
        },
    )
