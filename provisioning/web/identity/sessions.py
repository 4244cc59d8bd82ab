"""The sessions that are in use are written down as seen."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from provisioning.services import identity
from provisioning.web.identity.accounts import address_of

Answering = Callable[[HttpRequest], HttpResponse]


def note_seen(answering: Answering) -> Answering:
    """Middleware: note, every few minutes, that the session of a request is in use and from where."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated and request.session.session_key:
            identity.seen(
                request.user.pk,
                request.session.session_key,
                address=address_of(request),
                browser=request.headers.get("User-Agent", ""),
            )
        return answering(request)

    return answer
