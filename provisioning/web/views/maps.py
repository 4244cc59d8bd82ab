"""The network as a map, and the path of one request on it."""

from __future__ import annotations

from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import Verb
from provisioning.web.access import page
from provisioning.web.forms.mapping import MapForm
from provisioning.web.reading.loads import LEGEND, QUESTIONS
from provisioning.web.reading.maps import MOST, map_page, path_map
from provisioning.web.spelling import sentence
from provisioning.web.views.requests import frame


@page(Verb.SEE_BACKBONE)
def network(request: HttpRequest) -> HttpResponse:
    """Routers and core links with how full each half is, as the address asks; and the same as rows."""
    form = MapForm(request.GET)
    domain = Domain.objects.order_by("pk").first()
    wrong = form.unknown()
    wrong += [
        f"{form[name].label}: {error}"
        for name, errors in form.errors.items()
        if name in form.fields
        for error in errors
    ]
    found = None
    if domain is not None and not wrong:
        asked = form.cleaned_data
        try:
            found = map_page(
                domain,
                timezone.now(),
                question=asked["show"],
                pool=asked["pool"],
                router=asked["router"],
                fails=asked["fails"],
            )
        except InvalidInput as error:
            wrong = [sentence(error.reason)]
    context = {
        "form": form,
        "found": found,
        "refused": wrong,
        "most": MOST,
        "legend": LEGEND,
        "counts": settings.USAGE_SECONDS > 0,
        "title": "" if found is None else QUESTIONS[found.question],
        "crumbs": [("Map", None)],
    }
    status = HTTPStatus.BAD_REQUEST if wrong else HTTPStatus.OK
    return render(request, "web/map.html", context, status=status)


@page(Verb.SEE_BACKBONE)
def path(request: HttpRequest, pk: int) -> HttpResponse:
    """The path of a request on the map, hop by hop."""
    context = frame(request, pk, "request-path")
    return render(request, "web/request_path.html", {**context, "map": path_map(context["asked"])})
