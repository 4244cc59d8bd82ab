"""Who may open which page: sign-in, role, and the one place where typed errors become pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import resolve_url
from django.urls import reverse

from provisioning.errors import ExpediteError
from provisioning.models import Actor, Verb, Via
from provisioning.selectors.authority import permit_named
from provisioning.services import people, retrying
from provisioning.web import failures, keeping

View = Callable[..., HttpResponse]


def actor_of(request: HttpRequest) -> Actor:
    """Return the actor behind a signed-in request; looked up once per request."""
    actor: Actor | None = getattr(request, "expedite_actor", None)
    if actor is None:
        actor = people.actor_for(request.user, via=Via.WEB)
        request.expedite_actor = actor  # type: ignore[attr-defined]
    return actor


def _holds_nul(request: HttpRequest) -> bool:
    """Whether an address holds a NUL."""
    said = (text for name, texts in request.GET.lists() for text in (name, *texts))
    return "\0" in request.path or any("\0" in text for text in said)


def as_a_whole(name: str) -> HttpResponse:
    """Return what makes htmx load the page of that name as a whole, not inside the fragment it asked for."""
    return HttpResponse(status=204, headers={"HX-Redirect": resolve_url(name)})


def page(
    verb: Verb | None, methods: tuple[str, ...] = ("GET",), *, post: Verb | None = None
) -> Callable[[View], View]:
    """Open a view to signed-in people to whom the table gives this verb, a POST to those who have ``post`` (None: the same);
    without a verb to everybody who is signed in, for what is their own.

    ``view.verb`` and ``view.post`` keep the rule for the matrix, which is made from it.

    An htmx request whose session has ended is told to load the sign-in page as a whole, not inside a fragment.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                if getattr(request, "htmx", False):
                    return as_a_whole("web:sign-in")
                typed = request.method == "POST" and {"GET", "POST"} <= set(methods)
                wanted = request.get_full_path() if typed or request.method == "GET" else reverse("web:home")
                answer: HttpResponse = redirect_to_login(wanted, resolve_url("web:sign-in"))
                return keeping.sign_in_page(request, answer) if typed else answer
            try:
                asked = post if post and request.method == "POST" else verb
                if asked is not None:
                    permit_named(actor_of(request), asked)
                if request.method not in methods and not (request.method == "HEAD" and "GET" in methods):
                    return HttpResponseNotAllowed(methods)
                whole = partial(retrying.whole, partial(view, request, *args, **kwargs))
                # Only a page with a form was left in the middle of one.
                answer = keeping.filled_in(request, whole) if "POST" in methods else whole()
            except ExpediteError as error:
                return failures.of(request, error)
            except DataError:
                # What a form reads it refuses itself; a NUL elsewhere in an address PostgreSQL cannot even be asked for.
                if not _holds_nul(request):
                    raise
                return failures.bad_request(request)
            answer.headers.setdefault("Cache-Control", "private, no-store")
            return answer

        guarded.verb = verb  # type: ignore[attr-defined]
        guarded.post = post or verb  # type: ignore[attr-defined]
        guarded.methods = methods  # type: ignore[attr-defined]
        return guarded

    return decorate
