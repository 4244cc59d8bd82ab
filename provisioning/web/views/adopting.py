"""Taking over what was configured by hand on a router: what it means, the proof, and the word that it stays."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.errors import Conflict, ExpediteError, InvalidInput
from provisioning.models import Verb
from provisioning.services import adopting
from provisioning.services.adopting import Recognised
from provisioning.web.access import actor_of, page
from provisioning.web.forms.reasons import AdoptForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.reading.network import router_of
from provisioning.web.spelling import sentence


@page(Verb.SEE_BACKBONE, ("GET", "POST"), post=Verb.NETWORK)
def adopt(request: HttpRequest, name: str) -> HttpResponse:
    """What the router's policies mean, as it was last read; with a reason it is read again, and its names are taken over where
    it still shows what was seen here and the proof holds.
    """
    router = router_of(name)
    form = AdoptForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            _take_over(request, name, form.cleaned_data)
        except InvalidInput as error:
            put_errors(form, error)
        except ExpediteError as error:
            form.add_error(None, sentence(error.reason))
        else:
            messages.success(
                request,
                f"{name}: taken over as it is. Plan it, to see that nothing would be sent and have it owned.",
            )
            return redirect(f"{reverse('web:change-new')}?router={name}")
    found, why_not = _seen(name)
    context: dict[str, Any] = {
        "router": router,
        "snapshot": router.snapshots.order_by("-pk").first(),
        "found": found,
        "adoption": found.adoption if found else None,
        "why_not": why_not,
        "may": actor_of(request).may(Verb.NETWORK),
        "form": form
        if request.method == "POST"
        else AdoptForm(initial={"seen": found.adoption.digest} if found else None),
        "crumbs": [
            ("Routers", reverse("web:routers")),
            (name, reverse("web:router", args=[name])),
            ("Take over", None),
        ],
    }
    return render(request, "web/router_adopt.html", context)


def _seen(name: str) -> tuple[Recognised | None, str]:
    """What the router showed when it was last read, recognised; or why nothing can be said of it."""
    try:
        look = adopting.look_from_snapshot(name)
        if look is None:
            return None, "It was never read. Read it on its page first."
        found, others = adopting.recognise([look])
    except ExpediteError as error:
        return None, sentence(error.reason)
    return (found[0], "") if found else (None, sentence(others[0]))


def _take_over(request: HttpRequest, name: str, said: dict[str, Any]) -> None:
    """Read the router anew and write what is recognised there; raises where it moved, or nothing is proven."""
    looks, unread = adopting.looks_from_routers([name])
    if unread:
        raise Conflict(f"{name} could not be read: {unread[0].reason}")
    found, others = adopting.recognise(looks)
    if not found:
        raise Conflict(others[0])
    adopting.apply(actor=actor_of(request), recognised=found, reason=said["reason"], seen=[said["seen"]])
