"""API tokens: one's own, for an administrator everybody's. A secret is in the one answer that made it and nowhere else."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import Actor, ApiToken, Verb
from provisioning.selectors import tokens as selecting
from provisioning.services import clock, tokens
from provisioning.web.access import actor_of, page
from provisioning.web.filters import TokenFilter
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.forms.tokens import RotateForm, TokenForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.listing import list_page
from provisioning.web.spelling import sentence
from provisioning.web.tables.tokens import TokenTable

_NAMES = {"user": "person", "scopes": "scope", "expires_at": "expires", "allowed_networks": "networks"}


@page(Verb.TOKENS)
def listing(request: HttpRequest) -> HttpResponse:
    """The tokens one sees, the newest first."""
    actor = actor_of(request)
    chosen = TokenFilter(request.GET, queryset=selecting.for_actor(actor))
    table, everybody = TokenTable(chosen.qs, now=clock.now()), selecting.of_everybody(actor)
    return list_page(request, "web/tokens.html", table, chosen.form, everybody=everybody)


@page(Verb.TOKENS, ("GET", "POST"))
def new(request: HttpRequest) -> HttpResponse:
    """Issue a token; its text is shown this once."""
    actor = actor_of(request)
    form = TokenForm(request.POST or None, actor=actor)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            token, text = tokens.issue(
                actor=actor,
                user=_user(actor, said.get("person", "")),
                nren=said["nren"],
                name=said["name"],
                scopes=form.scopes,
                expires_at=form.expires_at(clock.now()),
                allowed_networks=said["networks"].split(),
            )
        except InvalidInput as error:
            put_errors(form, error, _NAMES)
        else:
            return _shown_once(request, token, text)
    title = "New token"
    context = {"form": form, "title": title, "back": reverse("web:tokens"), "crumbs": _crumbs(title)}
    return render(request, "web/token_new.html", context)


@page(Verb.TOKENS, ("GET", "POST"))
def rotate(request: HttpRequest, pk: int) -> HttpResponse:
    """Put another secret in the place of a token's; it is shown this once."""
    actor = actor_of(request)
    token = selecting.visible(actor, pk)
    form = RotateForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        overlap = timedelta(hours=form.cleaned_data["overlap"])
        try:
            made, text = tokens.rotate(
                actor=actor, token=token, reason=form.cleaned_data["reason"], overlap=overlap
            )
        except InvalidInput as error:
            put_errors(form, error)
        except (Conflict, NotPermitted) as error:
            form.add_error(None, sentence(error.reason))
        else:
            return _shown_once(request, made, text)
    return _asked(request, token, form, "Rotate")


@page(Verb.TOKENS, ("GET", "POST"))
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """End a token now."""
    actor = actor_of(request)
    token = selecting.visible(actor, pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            tokens.revoke(actor=actor, token=token, reason=form.cleaned_data["reason"])
        except InvalidInput as error:
            put_errors(form, error)
        except Conflict as error:
            form.add_error(None, sentence(error.reason))
        else:
            messages.success(request, f"{token.name} is revoked.")
            return redirect("web:tokens")
    return _asked(request, token, form, "Revoke")


def _asked(request: HttpRequest, token: ApiToken, form: ReasonForm, deed: str) -> HttpResponse:
    title = f"{deed} {token.name}"
    context = {
        "token": token,
        "form": form,
        "deed": deed,
        "live": token.is_live(clock.now()),
        "title": title,
        "back": reverse("web:tokens"),
        "crumbs": _crumbs(title),
    }
    return render(request, "web/token_deed.html", context)


def _shown_once(request: HttpRequest, token: ApiToken, text: str) -> HttpResponse:
    # In this answer only: a message would travel through a cookie, and a page of its own would have to keep it.
    context = {"token": token, "text": text, "crumbs": _crumbs("Secret")}
    return render(request, "web/token_secret.html", context)


def _user(actor: Actor, username: str) -> User:
    rows = User.objects.filter(username=username) if username else User.objects.filter(pk=actor.user_id)
    found = rows.first()
    if found is None:
        raise InvalidInput("there is no such user", field="user")
    return found


def _crumbs(title: str) -> list[tuple[str, str | None]]:
    return [("Tokens", reverse("web:tokens")), (title, None)]
