"""One box that finds a request, a change, a router, a link or an NREN by what is known of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from inventory.models import Router
from provisioning.models import Verb
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.filters import ChangeFilter, RequestFilter, RouterFilter
from provisioning.web.reading.links import links_named
from provisioning.web.reading.network import nrens, routers

MOST = 10
REFERENCES = {"PIP": "web:request", "CHG": "web:change", "SER": "web:series"}


@dataclass(frozen=True)
class Found:
    """One thing found: where it is, what it is called, what it says of itself, and its state ("" for none)."""

    url: str
    name: str
    says: str
    state: str = ""


@dataclass(frozen=True)
class Group:
    """What was found of one kind: the first ten, how many there are, and where the whole list is."""

    title: str
    found: tuple[Found, ...]
    count: int
    url: str


@page(Verb.SEE_BACKBONE)
def search(request: HttpRequest) -> HttpResponse:
    """A reference or a router's name goes straight there; any other text lists what holds it, by kind."""
    text = request.GET.get("q", "").strip()[:100]
    exact = re.fullmatch(r"(PIP|CHG|SER)-?(\d{1,17})", text, re.ASCII | re.IGNORECASE)
    if exact:
        return redirect(REFERENCES[exact[1].upper()], pk=int(exact[2]))
    if Router.objects.filter(name=text).exists():
        return redirect("web:router", name=text)
    groups = [group for group in _groups(request, text) if group.count] if text else []
    context = {"text": text, "groups": groups, "crumbs": [("Search", None)]}
    return render(request, "web/search.html", context)


def _groups(request: HttpRequest, text: str) -> list[Group]:
    asked = RequestFilter({"q": text}, queryset=reading.requests(actor_of(request))).qs
    planned = ChangeFilter({"q": text}, queryset=reading.changes()).qs
    known = RouterFilter({"q": text}, queryset=routers()).qs
    members = (
        nrens(timezone.now())
        .filter(Q(name__icontains=text) | Q(prefixes__network__icontains=text))
        .distinct()
    )
    links, links_count = links_named(text, most=MOST)

    def all_of(name: str) -> str:
        return f"{reverse(f'web:{name}')}?{urlencode({'q': text})}"

    return [
        Group(
            "Requests",
            tuple(
                Found(
                    reverse("web:request", args=[one.pk]),
                    one.reference,
                    f"{one.nren} to {one.receiving_nren or 'anywhere'}",
                    one.state,
                )
                for one in asked.order_by("-pk")[:MOST]
            ),
            asked.count(),
            all_of("requests"),
        ),
        Group(
            "Changes",
            tuple(
                Found(
                    reverse("web:change", args=[one.pk]),
                    one.reference,
                    one.title,
                    reading.change_states([one])[one.pk],
                )
                for one in planned.order_by("-pk")[:MOST]
            ),
            planned.count(),
            all_of("changes"),
        ),
        Group(
            "Routers",
            tuple(
                Found(
                    reverse("web:router", args=[one.name]),
                    one.name,
                    f"{one.platform}, {one.pop}",
                    one.sync.state if hasattr(one, "sync") else "unknown",
                )
                for one in known.order_by("name")[:MOST]
            ),
            known.count(),
            all_of("routers"),
        ),
        Group(
            "Links",
            tuple(Found(row.url, row.name, f"{row.kind} {row.owner}".strip()) for row in links),
            links_count,
            all_of("links"),
        ),
        Group(
            "NRENs",
            tuple(
                Found(
                    reverse("web:nren", args=[one.pk]),
                    one.name,
                    ", ".join(str(prefix.network) for prefix in one.prefixes.all()),
                )
                for one in members.order_by("name")[:MOST]
            ),
            members.count(),
            reverse("web:nrens"),
        ),
    ]
