"""Accounts, as django-allauth asks about them: nobody signs themselves up, no mail is sent, guesses are counted."""

from __future__ import annotations

import time
from datetime import timedelta
from ipaddress import ip_address
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.app_settings import EmailVerificationMethod
from allauth.account.internal.flows.login import get_authentication_records, perform_password_login
from allauth.account.models import Login
from allauth.account.utils import get_login_redirect_url
from allauth.core import context
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from provisioning.selectors.identity import linked_with
from provisioning.services import attempts, callers, identity
from provisioning.web import keeping
from provisioning.web.identity.required import (
    DRAWN_BY_ANOTHER,
    keep_what_the_provider_said,
    keep_who_drew_the_password,
)

_UNKNOWN = "::"
_SAID = {
    "mfa/messages/totp_activated.txt": "The authenticator app is set up: it is asked at your next sign-in.",
    "mfa/messages/totp_deactivated.txt": "The authenticator app is not asked any more.",
    "mfa/messages/webauthn_added.txt": "The security key is set up: it is asked at your next sign-in.",
    "mfa/messages/webauthn_removed.txt": "The security key is not asked any more.",
    "account/messages/password_changed.txt": "Your password is replaced, and your other sessions have ended.",
}


def address_of(request: HttpRequest) -> str:
    """Return the address that a request comes from; `::` where there is none, as behind a socket without `NUM_PROXIES`."""
    try:
        return str(ip_address(callers.client_address(request.META)))
    except ValueError:
        return _UNKNOWN


def enter_by_password(request: HttpRequest, user: User, wanted: str) -> HttpResponse:
    """Sign a person in whose password was right, or ask for the second factor that they have; then to the page they wanted."""
    login = Login(user=user, email_verification=EmailVerificationMethod.NONE, redirect_url=wanted)
    return perform_password_login(request, {"username": user.get_username()}, login)


def methods_of(request: HttpRequest, user: User) -> list[str]:
    """By what the person of this session has shown who they are, in order."""
    names = []
    for record in get_authentication_records(request, user):
        method = str(record.get("type") or record["method"])
        names.append(settings.OIDC_NAME if method == "socialaccount" else method)
    return names


class AccountAdapter(DefaultAccountAdapter):
    """What django-allauth leaves to the project about accounts."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return address_of(request)

    def get_login_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002
        return resolve_url("web:home")

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002
        return resolve_url("web:me")

    def is_safe_url(self, url: str) -> bool:
        """Whether to send somebody there afterwards: only within this site."""
        asked = context.request
        return url_has_allowed_host_and_scheme(url, {asked.get_host()}, require_https=asked.is_secure())

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        """Begin the session and note the sign-in. Not as the library does it: that asks two questions for each session the
        person has. The library has ended the session there was by now, and what was kept in it is gone.
        """
        keep_what_the_provider_said(request, user)
        records = get_authentication_records(request, user)
        keep_who_drew_the_password(
            request, user, by_password=any(each["method"] == "password" for each in records)
        )
        # A moment: of a number of seconds Django counts anew whenever something is written into the session.
        request.session.set_expiry(timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE))
        if not request.session.session_key:
            request.session.save()
        identity.signed_in(
            user,
            methods=methods_of(request, user),
            address=address_of(request),
            browser=request.headers.get("User-Agent", ""),
            session=request.session.session_key,
        )
        answer = redirect(get_login_redirect_url(request, more.get("redirect_url")))
        keeping.remember(answer, user)
        return answer

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:  # noqa: ARG002
        messages.error(request, "That account is closed. Ask the network operations centre.")
        return redirect("web:sign-in")

    def clean_password(self, password: str, user: User | None = None) -> str:
        """Check a new password. One that is replaced by itself is not replaced: whoever knew it knows it still."""
        cleaned: str = super().clean_password(password, user)
        if user is not None and user.check_password(cleaned):
            raise ValidationError("This is the password that you have: choose another.")
        return cleaned

    def set_password(self, user: User, password: str) -> None:
        identity.replace_password(user, password, session=self.request.session.session_key or "")
        self.request.session.pop(DRAWN_BY_ANOTHER, None)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Check a password again: counted with the failures at the sign-in page, so that a session is no way round."""
        if not settings.PASSWORD_SIGN_IN:
            raise ValidationError("Here nobody shows by a password who they are.")
        tried = attempts.of_name(address_of(request), str(credentials.get("username", "")))
        if attempts.is_blocked(*tried):
            raise ValidationError("Too many attempts from your address. Wait five minutes, then try again.")
        user = authenticate(request, **credentials)
        (attempts.succeeded if user else attempts.failed)(*tried)
        return user

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:  # noqa: ARG002
        """Ask again who it is, unless they have just signed in: whoever comes by single sign-on has nothing else to show."""
        records = get_authentication_records(self.request, self.request.user)
        return not records or time.time() - records[-1]["at"] >= settings.ACCOUNT_REAUTHENTICATION_TIMEOUT

    def get_reauthentication_methods(self, user: User) -> list[dict[str, str]]:
        """What somebody shows once more who they are by; who is linked with the provider may go there again."""
        methods = list(super().get_reauthentication_methods(user))
        if not settings.PASSWORD_SIGN_IN:
            methods = [method for method in methods if method["id"] != "reauthenticate"]
        if settings.OIDC_ISSUER and user.is_authenticated and linked_with(user.pk):
            said = f"Sign in with {settings.OIDC_NAME} again"
            methods.append({"id": "provider", "description": said, "url": resolve_url("web:sign-in-oidc")})
        return methods

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *_args: Any,
        **_more: Any,
    ) -> None:
        """Say in our own words what was done; about what has none here, nothing."""
        if said := _SAID.get(message_template or ""):
            messages.add_message(request, level, said)

    def send_mail(self, *_args: Any, **_more: Any) -> None:
        """Nothing: who changes an account is told on the page, and the audit trail keeps it."""

    def send_notification_mail(self, *_args: Any, **_more: Any) -> None:
        """Nothing, as above."""
