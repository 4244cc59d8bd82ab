"""The addresses where views of django-allauth are at home, under the names it looks for; only those that are used here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.views import password_change, reauthenticate
from allauth.mfa.base.views import authenticate
from allauth.mfa.base.views import reauthenticate as reauthenticate_by_code
from allauth.mfa.recovery_codes.views import generate_recovery_codes, view_recovery_codes
from allauth.mfa.totp.views import activate_totp, deactivate_totp
from allauth.mfa.webauthn.views import add_webauthn, edit_webauthn, reauthenticate_webauthn, remove_webauthn
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.generic import RedirectView

from provisioning.services import identity
from provisioning.web.views.session import SignIn, sign_out

Viewing = Callable[..., HttpResponse]
_to_me: Viewing = RedirectView.as_view(pattern_name="web:me")


def _private(view: Viewing) -> Viewing:
    return never_cache(view)


def _changing(view: Viewing) -> Viewing:
    """A page that adds second factors or takes them away: with their events, or not at all."""

    def answer(request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        if request.method != "POST" or not request.user.is_authenticated:
            return view(request, *args, **more)
        with identity.changing_factors(request.user, session=request.session.session_key or ""):
            return view(request, *args, **more)

    return _private(answer)


def _of_passwords(view: Viewing) -> Viewing:
    """A page that is there where people sign in with a password."""

    def answer(request: HttpRequest) -> HttpResponse:
        return view(request) if settings.PASSWORD_SIGN_IN else _to_me(request)

    return _private(answer)


urlpatterns = [
    path("sign-in/", SignIn.as_view(), name="account_login"),
    path("sign-out/", sign_out, name="account_logout"),
    path("sign-in/second-factor/", _private(authenticate), name="mfa_authenticate"),
    path("me/factors/", _to_me, name="mfa_index"),
    path("me/password/", _of_passwords(password_change), name="account_change_password"),
    path("me/password/none/", _to_me, name="account_set_password"),
    path("me/again/", _private(reauthenticate), name="account_reauthenticate"),
    path("me/again/code/", _private(reauthenticate_by_code), name="mfa_reauthenticate"),
    path("me/again/key/", _private(reauthenticate_webauthn), name="mfa_reauthenticate_webauthn"),
    path("me/app/", _changing(activate_totp), name="mfa_activate_totp"),
    path("me/app/remove/", _changing(deactivate_totp), name="mfa_deactivate_totp"),
    path("me/keys/", _to_me, name="mfa_list_webauthn"),
    path("me/keys/new/", _changing(add_webauthn), name="mfa_add_webauthn"),
    path("me/keys/<int:pk>/", _private(edit_webauthn), name="mfa_edit_webauthn"),
    path("me/keys/<int:pk>/remove/", _changing(remove_webauthn), name="mfa_remove_webauthn"),
    path("me/codes/", _private(view_recovery_codes), name="mfa_view_recovery_codes"),
    path("me/codes/new/", _changing(generate_recovery_codes), name="mfa_generate_recovery_codes"),
]
