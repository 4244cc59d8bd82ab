"""People, as an administrator keeps them: who they are, what they may do, how they come in, and the end of an account."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from inventory.models import Nren
from provisioning.errors import Conflict, InvalidInput, NotPermitted, NotVisible
from provisioning.models import ApiToken, PremiumRequest, Verb
from provisioning.pipeline.units import how_many
from provisioning.selectors import tokens as selecting
from provisioning.services import accounts, clock, people
from provisioning.services.accounts import PersonChanged
from provisioning.web.access import actor_of, page
from provisioning.web.filters import PersonListFilter
from provisioning.web.forms.people import AccountForm, NewPersonForm, PersonForm
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.listing import list_page
from provisioning.web.reading.inventory import log_of
from provisioning.web.spelling import sentence
from provisioning.web.tables.people import PeopleTable


@page(Verb.PEOPLE)
def listing(request: HttpRequest) -> HttpResponse:
    """Everybody with an account."""
    rows = User.objects.prefetch_related("groups", "memberships__nren")
    chosen = PersonListFilter(request.GET, queryset=rows)
    return list_page(request, "web/people.html", PeopleTable(chosen.qs), chosen.form)


def _user(pk: int) -> User:
    found = User.objects.filter(pk=pk).first()
    if found is None:
        raise NotVisible("There is no such person.")
    return found


def _crumbs(user: User | None, last: str = "") -> list[tuple[str, str | None]]:
    first: list[tuple[str, str | None]] = [("People", reverse("web:people"))]
    if user is not None:
        first.append((user.get_username(), reverse("web:person", args=[user.pk]) if last else None))
    return [*first, (last, None)] if last else first


@page(Verb.PEOPLE)
def page_of(request: HttpRequest, pk: int) -> HttpResponse:
    """One person: roles, NRENs, tokens, and what was changed of them."""
    user = _user(pk)
    mine = selecting.by_life(ApiToken.objects.filter(user=user), clock.now(), live=True)
    context = {
        "person": user,
        "roles": sorted(role.value for role in people.roles_of(user)),
        "nrens": Nren.objects.filter(memberships__user=user).order_by("name"),
        "tokens": mine.order_by("-pk")[:50],
        "asked": PremiumRequest.objects.filter(submitted_by=user).count(),
        "self": user.pk == request.user.pk,
        "events": log_of(user, request.GET.get("page", "")),
        "crumbs": _crumbs(user),
    }
    return render(request, "web/person.html", context)


@page(Verb.PEOPLE, ("GET", "POST"))
def new(request: HttpRequest) -> HttpResponse:
    """An account for somebody who has none."""
    wanted = request.GET.get("nren", "")
    initial = {"nrens": [int(wanted)]} if wanted.isascii() and wanted.isdecimal() and len(wanted) < 18 else {}
    form = NewPersonForm(request.POST or None, standing={}, initial=initial)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            user = people.put_person(
                actor=actor_of(request),
                username=said["username"],
                roles=form.given_roles(),
                nrens=said["nrens"],
                email=said["email"],
                new=True,
            )
            if said["full_name"]:
                accounts.edit_person(
                    actor=actor_of(request),
                    user=user,
                    full_name=said["full_name"],
                    email=said["email"],
                    roles=people.roles_of(user),
                    nrens=said["nrens"],
                    reason="the account is new",
                )
        except InvalidInput as error:
            put_errors(form, error)
        except Conflict as error:
            form.add_error("username", sentence(error.reason))
        else:
            messages.success(
                request, f"{user} has an account. Give them a password, unless they come by single sign-on."
            )
            return redirect("web:person", user.pk)
    context = {
        "form": form,
        "title": "New person",
        "button": "Make the account",
        "says": "They have no password yet: they come by single sign-on, or you give them one on their page.",
        "back": reverse("web:people"),
        "crumbs": _crumbs(None, "New person"),
    }
    return render(request, "web/person_deed.html", context)


@page(Verb.PEOPLE, ("GET", "POST"))
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Name, mail, roles and NRENs of a person."""
    user, changed = _user(pk), ""
    initial = {
        "full_name": user.first_name,
        "email": user.email,
        "roles": [role.value for role in people.roles_of(user)],
        "nrens": list(user.memberships.values_list("nren_id", flat=True)),
    }
    form = PersonForm(request.POST or None, initial=initial, standing=accounts.standing_of(user))
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            accounts.edit_person(
                actor=actor_of(request),
                user=user,
                full_name=said["full_name"],
                email=said["email"],
                roles=form.given_roles(),
                nrens=said["nrens"],
                reason=said["reason"],
                seen=said["seen"],
            )
        except PersonChanged as error:
            form.read_again(error.details["standing"])
            changed = error.reason
        except InvalidInput as error:
            put_errors(form, error)
        except NotPermitted as error:
            form.add_error(None, sentence(error.reason))
        else:
            messages.success(request, f"{user} is edited.")
            return redirect("web:person", pk)
    context = {
        "form": form,
        "changed": changed,
        "title": f"Edit {user}",
        "button": "Write it",
        "says": "It holds from the next page they open.",
        "back": reverse("web:person", args=[pk]),
        "crumbs": _crumbs(user, "Edit"),
    }
    return render(request, "web/person_deed.html", context, status=409 if changed else 200)


@page(Verb.PEOPLE, ("GET", "POST"))
def close(request: HttpRequest, pk: int) -> HttpResponse:
    """Close an account, or open it again."""
    user = _user(pk)
    form = AccountForm(request.POST or None, initial={"deed": "close" if user.is_active else "open"})
    if request.method == "POST" and form.is_valid():
        try:
            # What the page said, not what the account is by now: sent twice, it is closed all the same.
            if form.cleaned_data["deed"] == "close":
                revoked = accounts.close_account(
                    actor=actor_of(request), user=user, reason=form.cleaned_data["reason"]
                )
                messages.success(
                    request, f"The account of {user} is closed, {how_many(revoked, 'token')} revoked."
                )
            else:
                accounts.open_account(actor=actor_of(request), user=user, reason=form.cleaned_data["reason"])
                messages.success(request, f"The account of {user} is open again.")
        except InvalidInput as error:
            put_errors(form, error)
        except NotPermitted as error:
            form.add_error(None, sentence(error.reason))
        else:
            return redirect("web:person", pk)
    live = selecting.by_life(ApiToken.objects.filter(user=user), clock.now(), live=True).count()
    context = {
        "form": form,
        "danger": user.is_active,
        "title": f"{'Close' if user.is_active else 'Open'} the account of {user}",
        "button": "Close it" if user.is_active else "Open it",
        "says": (
            f"They are signed out at once and come in no more; {how_many(live, 'token')} of theirs "
            f"{'is' if live == 1 else 'are'} revoked. What they asked for, decided and approved stays, with their name."
            if user.is_active
            else "They come in again with the roles and NRENs that they have; tokens stay revoked."
        ),
        "back": reverse("web:person", args=[pk]),
        "crumbs": _crumbs(user, "Close" if user.is_active else "Open"),
    }
    return render(request, "web/person_deed.html", context)


@page(Verb.PEOPLE, ("GET", "POST"))
def password(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a person another password; it is in this answer only."""
    user = _user(pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            text = accounts.give_password(
                actor=actor_of(request), user=user, reason=form.cleaned_data["reason"]
            )
        except InvalidInput as error:
            put_errors(form, error)
        except NotPermitted as error:
            form.add_error(None, sentence(error.reason))
        else:
            context = {"person": user, "text": text, "crumbs": _crumbs(user, "Password")}
            return render(request, "web/person_password.html", context)
    context = {
        "form": form,
        "title": f"New password of {user}",
        "button": "Draw one",
        "says": "One is drawn and shown once; their sessions end, and the password that they had is good no more.",
        "back": reverse("web:person", args=[pk]),
        "crumbs": _crumbs(user, "Password"),
    }
    return render(request, "web/person_deed.html", context)
