"""What is free, beside the form in which an NREN asks: worked out while it is typed, by the rules of an answer to a request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from inventory.models import Prefix
from provisioning.errors import ExpediteError
from provisioning.models import Actor, Verb
from provisioning.services import clock, rates
from provisioning.services import requests as service
from provisioning.services.requests import Room, SubmitRequest
from provisioning.web.access import actor_of, page
from provisioning.web.forms.asking import AskForm
from provisioning.web.spelling import sentence

A_MINUTE: Final = 60
"""So often one person is answered in a minute: each time the book is judged twice."""
_WANTED: Final = (
    "source_link",
    "destination_link",
    "rate",
    "direction",
    "start",
    "end",
    "max_packet_bytes",
    "min_packet_bytes",
    "service_class",
)
"""What the answer rests on: these have to be readable, the rest of the form may be anything yet."""


@page(Verb.ASK)
def headroom(request: HttpRequest) -> HttpResponse:
    """The note beside the form, for htmx: the most that fits, and what becomes of the rate with its headers."""
    actor = actor_of(request)
    context: dict[str, Any] = {"actor": actor}
    form = AskForm(request.GET, actor=actor)
    form.is_valid()
    wrong = [name for name in _WANTED if name in form.errors]
    if wait := asked_too_often(request):
        context["wrong"] = wait
    elif wrong:
        context["lacks"] = [str(form.fields[name].label or name.capitalize()) for name in wrong]
    else:
        try:
            context |= shown_room(service.room(actor=actor, data=_bare(actor, form)))
        except ExpediteError as error:
            context["wrong"] = sentence(error.reason)
    return render(request, "web/parts/headroom.html", context)


def asked_too_often(request: HttpRequest) -> str:
    """Count one more look at what is free, and return why it is refused; "" where it is not. Each judges the whole book twice."""
    wait = rates.seconds_to_wait("headroom", str(request.user.pk), most=A_MINUTE, now=clock.now())
    return f"asked {A_MINUTE} times within a minute; go on in {wait} s" if wait else ""


def _bare(actor: Actor, form: AskForm) -> SubmitRequest:
    """What is asked so far, with something harmless in the place of what the answer does not rest on."""
    data = form.so_far()
    own, far = _prefixes(data.source_link), _prefixes(data.destination_link)
    return replace(
        data,
        contact=str(actor.user_id or "-"),
        reason="",
        flow_label=None,
        source_prefixes=own,
        destination_prefixes=far,
        bucket_bytes=max(data.bucket_bytes, 2 * data.max_packet_bytes),
    )


def _prefixes(link: str | None) -> tuple[str, ...]:
    found = Prefix.objects.filter(nren__access_links__name=link or "").order_by("pk")[:1]
    return tuple(str(each.network) for each in found)


def shown_room(room: Room) -> dict[str, Any]:
    """Return what pages show of it: whether it fits, the most that would, the link with the least left that the reader may see in
    numbers, and those of others on which it does not fit.
    """
    seen = room.tried.seen
    own = [each for each in seen.links if each.left_bps is not None]
    return {
        "room": room,
        "room_fits": seen.fits,
        "tightest": min(own, key=lambda each: each.left_bps or 0) if own else None,
        "too_full": [each for each in seen.links if not each.fits],
        "links": len(seen.links),
        "later": next((each for each in seen.counter_offers if each.kind == "later-start"), None),
    }
