"""The configuration of the NREN's own side: to read, and as a file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from provisioning.errors import Conflict, InvalidFields, InvalidInput
from provisioning.models import PremiumRequest, Verb
from provisioning.pipeline.packs import Kind, Pack
from provisioning.selectors.packs import pack_for
from provisioning.web import reading
from provisioning.web.access import actor_of, page
from provisioning.web.forms.packs import PackForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.views.requests import crumbs_of

_NAMES = {"for": "kind", "interface": "uplink"}


@page(Verb.SEE_REQUESTS)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """The pack as text, with what its reader has to know and how it is undone."""
    actor = actor_of(request)
    asked = reading.request_of(actor, pk)
    form = PackForm(
        request.GET if "kind" in request.GET else {"kind": Kind.LINUX.value, "traffic": "real-time"}
    )
    made: Pack | None = None
    if form.is_valid():
        try:
            made = _made(asked, form)
        except InvalidInput as error:
            put_errors(form, error, _NAMES)
        except Conflict as error:
            form.add_error(None, error.reason)
    context = {
        "asked": asked,
        "form": form,
        "pack": made,
        "query": request.GET.urlencode() or "kind=linux&traffic=real-time",
        "crumbs": crumbs_of(actor, asked, "Your side"),
    }
    return render(request, "web/request_pack.html", context)


@page(Verb.SEE_REQUESTS)
def download(request: HttpRequest, pk: int) -> HttpResponse:
    """The pack as a file; 400 for a question that cannot be meant."""
    asked = reading.request_of(actor_of(request), pk)
    form = PackForm(request.GET)
    if not form.is_valid():
        raise InvalidFields([InvalidInput(" ".join(said), field=name) for name, said in form.errors.items()])
    made = _made(asked, form)
    answer = HttpResponse(made.text, content_type="text/plain; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{made.filename}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


def _made(asked: PremiumRequest, form: PackForm) -> Pack:
    data = form.cleaned_data
    return pack_for(
        asked,
        data["kind"],
        traffic=data["traffic"],
        platform=data["platform"],
        ios=data["ios"],
        uplink=data["uplink"],
    )
