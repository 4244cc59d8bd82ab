"""One box that finds whatever is known by a text, a key, an address or a prefix; and what covers it at a time."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from inventory.models import Router
from provisioning.errors import InvalidInput
from provisioning.models import Verb
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.requests import within
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.filters import ChangeFilter, RequestFilter, RouterFilter
from provisioning.web.forms import addresses, when
from provisioning.web.reading import finding_texts as texts
from provisioning.web.reading.finding_addresses import at_a_time, by_address
from provisioning.web.reading.found import Group
from provisioning.web.reading.network import routers

REFERENCES = {"PIP": "web:request", "CHG": "web:change", "SER": "web:series"}


@page(Verb.SEE_BACKBONE)
def search(request: HttpRequest) -> HttpResponse:
    """A reference or a router's name goes straight there; an address or a prefix lists what holds it and what lies in it; any
    other text what holds it, by kind; a time with or without them the requests whose window overlaps it.
    """
    text = " ".join(request.GET.get("q", "").split())[:100]
    said = request.GET.get("when", "").strip()[:60]
    exact = re.fullmatch(r"(PIP|CHG|SER)-?(\d{1,17})", text, re.ASCII | re.IGNORECASE)
    if exact:
        return redirect(REFERENCES[exact[1].upper()], pk=int(exact[2]))
    if not said and text and Router.objects.filter(name=text).exists():
        return redirect("web:router", name=text)
    context = {"text": text, "when": said, "hint": when.HINT, "crumbs": [("Search", None)]}
    try:
        window = when.window_of(said, timezone.now()) if said else None
        found = [group for group in _groups(request, text, window, said) if group.count]
    except InvalidInput as error:
        return render(
            request, "web/search.html", {**context, "refused": f"{error.reason}."}, status=error.status
        )
    shown = when.window_text(window) if window else ""
    return render(request, "web/search.html", {**context, "groups": found, "window": shown})


def _groups(request: HttpRequest, text: str, window: TimeWindow | None, said: str) -> list[Group]:
    actor = actor_of(request)
    network = addresses.network_of(text)
    if network is None and addresses.meant(text):
        raise InvalidInput(f"“{text}” {addresses.NO_ADDRESS}", field="q")
    if network is not None:
        return by_address(actor, network, window, said)
    if not text:
        return at_a_time(actor, window, said) if window else []
    asked = RequestFilter({"q": text}, queryset=reading.requests(actor)).qs
    if window is not None:
        return [texts.requests_holding(text, within(asked, window), said)]
    return [
        texts.requests_holding(text, asked, ""),
        texts.changes_holding(text, ChangeFilter({"q": text}, queryset=reading.changes()).qs),
        texts.routers_holding(text, RouterFilter({"q": text}, queryset=routers()).qs),
        texts.interfaces_holding(text),
        texts.links_holding(text),
        texts.nrens_holding(text),
        texts.people_holding(text),
    ]
