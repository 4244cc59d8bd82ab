"""What is missing before the pages are open: a password of one's own, a second factor for roles that need one."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url

from provisioning.selectors import identity
from provisioning.web.access import actor_of, as_a_whole

_HEALTH = ("/livez", "/readyz", "/healthz")
Answering = Callable[[HttpRequest], HttpResponse]

DRAWN_BY_ANOTHER = "password_drawn_by_another"
"""In a session: the key of the person who signed in with a password that an administrator had drawn for them."""
SHOWN_AT_PROVIDER = "second_factor_at_provider"
"""In a session: the key of the person of whom the provider says that it asked for a second factor itself."""


def lacks_second_factor(request: HttpRequest) -> bool:
    """Whether whoever is signed in needs a second factor, has none here, and did not show one at the provider."""
    if request.session.get(SHOWN_AT_PROVIDER) == request.user.pk:
        return False
    return identity.lacks_second_factor(actor_of(request), superuser=bool(request.user.is_superuser))


def keep_what_the_provider_said(request: HttpRequest, user: User) -> None:
    """Keep in the session that begins with this request whether the provider said that it asked for a second factor."""
    said = getattr(request, "said_by_provider", {})
    if said.get("id_token", {}).get("acr") in settings.OIDC_ACR:
        request.session[SHOWN_AT_PROVIDER] = user.pk
    else:
        request.session.pop(SHOWN_AT_PROVIDER, None)


def keep_who_drew_the_password(request: HttpRequest, user: User, *, by_password: bool) -> None:
    """Keep in the session that begins with this request whether somebody else knows the password it began with."""
    if by_password and identity.has_drawn_password(user.pk):
        request.session[DRAWN_BY_ANOTHER] = user.pk
    else:
        request.session.pop(DRAWN_BY_ANOTHER, None)


def ask_for_own_password(answering: Answering) -> Answering:
    """Middleware: whoever signed in with a password that an administrator knows sees the page where it is replaced and nothing
    else. What is done in their name is theirs from then on: an administrator who signs in as them locks them out, and is noticed.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if (
            not request.user.is_authenticated
            or request.session.get(DRAWN_BY_ANOTHER) != request.user.pk
            or request.path.startswith((resolve_url("account_reauthenticate"), "/api/", "/static/"))
            or request.path in (resolve_url("account_change_password"), resolve_url("web:sign-out"), *_HEALTH)
        ):
            return answering(request)
        messages.warning(
            request, "Your password was drawn by an administrator: replace it by your own, then go on."
        )
        if getattr(request, "htmx", False):
            return as_a_whole("account_change_password")
        return redirect("account_change_password")

    return answer


def ask_for_second_factor(answering: Answering) -> Answering:
    """Middleware: whoever has a role of `SECOND_FACTOR` (or is a superuser, where any role is named) and no second factor sees
    the page where it is set up and nothing else. A request with a token is not asked: a token has networks and scopes instead.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if not settings.SECOND_FACTOR or not request.user.is_authenticated or _is_open(request.path):
            return answering(request)
        if not lacks_second_factor(request):
            return answering(request)
        return as_a_whole("web:me") if getattr(request, "htmx", False) else redirect("web:me")

    return answer


def _is_open(path: str) -> bool:
    mine = resolve_url("web:me")
    return path.startswith((mine, "/api/", "/static/")) or path in (
        resolve_url("web:sign-out"),
        # Where whoever has no password shows once more who they are, before they set a second factor up.
        resolve_url("web:sign-in-oidc"),
        resolve_url("web:sign-in-oidc-callback"),
        *_HEALTH,
    )
