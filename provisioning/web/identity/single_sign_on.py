"""Sign-in by an OpenID Connect provider: django-allauth speaks the protocol, the services say whose account it is.

Checked beyond what the library does: the signature of the identity token although it came over TLS, its nonce, that the user
information is of the same subject (OpenID Connect Core 1.0, sections 3.1.3.7 and 5.3.2). An account is linked per issuer: another
provider under the same settings knows nobody.
"""

from __future__ import annotations

import secrets
import time
from typing import Any

import structlog
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthError
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from requests import RequestException

from provisioning.errors import NotPermitted
from provisioning.selectors.identity import provider_key
from provisioning.services import identity
from provisioning.web.identity import id_tokens

log = structlog.get_logger(__name__)


@require_GET
@never_cache
def begin(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider. A GET: with our Content-Security-Policy a form would not be let go to another site."""
    provider = _provider(request)
    if limited := ratelimit.consume_or_429(request, app="allauth.account", action="login", limit_get=True):
        return limited
    wanted = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure()):
        wanted = ""
    nonce = secrets.token_urlsafe(24)
    asked = {"nonce": nonce} | ({"acr_values": " ".join(settings.OIDC_ACR)} if settings.OIDC_ACR else {})
    if request.user.is_authenticated:
        # They come to show once more who they are: that the provider still knows the browser shows nothing.
        asked |= {"prompt": "login", "max_age": "0"}
    try:
        return provider.redirect(
            request, "login", next_url=wanted or None, data={"nonce": nonce}, auth_params=asked
        )
    except (RequestException, OAuth2Error, KeyError, ValueError):
        return _refused(
            request, f"{settings.OIDC_NAME} does not answer. Try again, or sign in with a password.", 502
        )


@require_GET
@never_cache
def callback(request: HttpRequest) -> HttpResponse:
    """Take what the provider says of the person it signed in."""
    _provider(request)
    try:
        return OAuth2CallbackView.adapter_view(Protocol(request, provider_key(settings.OIDC_ISSUER)))(request)
    except (KeyError, ValueError, TypeError, ImproperlyConfigured) as error:
        # An answer of another shape than the protocol's.
        log.warning(
            "the provider of sign-ins answered something else than the protocol says", error=repr(error)
        )
        return _refused(request, f"{settings.OIDC_NAME} answered something else than the protocol says.", 502)


class Protocol(OpenIDConnectOAuth2Adapter):
    """The protocol, with our address to come back to."""

    def get_provider(self) -> OpenIDConnectProvider:
        return _provider(self.request)

    @property
    def openid_config(self) -> dict[str, Any]:
        """What the provider says of itself, as the issuer that was asked and no other (OpenID Connect Discovery 1.0, 4.3)."""
        config: dict[str, Any] = super().openid_config
        if str(config.get("issuer")).rstrip("/") != settings.OIDC_ISSUER:
            raise OAuth2Error("a provider that calls itself otherwise than OIDC_ISSUER")
        return config

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:  # noqa: ARG002
        return request.build_absolute_uri(redirect("web:sign-in-oidc-callback").url)

    def complete_login(self, request: HttpRequest, *args: Any, **more: Any) -> SocialLogin:
        """Return who signed in; what the provider said of them is looked at now and not kept."""
        login = super().complete_login(request, *args, **more)
        request.said_by_provider = login.account.extra_data  # type: ignore[attr-defined]
        login.account.extra_data = {}
        return login

    def _fetch_user_info(self, access_token: str) -> dict[str, Any]:
        return id_tokens.storable(super()._fetch_user_info(access_token))

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        with get_adapter().get_requests_session() as session:
            answer = session.get(self.openid_config["jwks_uri"])
            answer.raise_for_status()
        config, client = self.openid_config, str(app.client_id)
        return id_tokens.decode(id_token, keys=answer.json(), issuer=config["issuer"], client=client)


class Provider(OpenIDConnectProvider):
    """The one provider of the settings."""

    oauth2_adapter_class = Protocol
    pkce_enabled_default = True


class SocialAdapter(DefaultSocialAccountAdapter):
    """What django-allauth leaves to the project about providers."""

    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Provider:  # noqa: ARG002
        return _provider(request)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:  # noqa: ARG002
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Put the account in that is meant: linked, joined or made; or answer why there is none."""
        try:
            sociallogin.user = _person(request, sociallogin)
        except NotPermitted as error:
            raise ImmediateHttpResponse(_refused(request, error.reason, 403)) from error

    def on_authentication_error(self, request: HttpRequest, provider: Any, **more: Any) -> None:  # noqa: ARG002
        """Answer in our own page what went wrong between the provider and us."""
        log.warning(
            "a sign-in by the provider failed", code=str(more.get("error")), error=repr(more.get("exception"))
        )
        if more.get("error") == AuthError.CANCELLED:
            messages.info(request, f"You did not sign in with {settings.OIDC_NAME}.")
            raise ImmediateHttpResponse(redirect("web:sign-in"))
        raise ImmediateHttpResponse(
            _refused(
                request, f"{settings.OIDC_NAME} did not sign you in. Nothing was changed; try again.", 401
            )
        )


def _person(request: HttpRequest, login: SocialLogin) -> User:
    data = request.said_by_provider  # type: ignore[attr-defined]
    token, information = data.get("id_token"), data.get("userinfo") or {}
    if not token or information.get("sub", token["sub"]) != token["sub"]:
        raise NotPermitted(f"{settings.OIDC_NAME} speaks of two different people.")
    if token.get("nonce") != (login.state.get("data") or {}).get("nonce"):
        raise NotPermitted(f"{settings.OIDC_NAME} answered a question that was not asked here.")
    if request.user.is_authenticated and not _asked_just_now(token):
        raise NotPermitted(f"{settings.OIDC_NAME} did not ask you again who you are, or does not say so.")
    claims = identity.Claims(settings.OIDC_ISSUER, str(token["sub"]), {**token, **information})
    try:
        return identity.person_of(claims)
    except IntegrityError:  # the same person in two windows, for the first time: now it is linked
        return identity.person_of(claims)


def _asked_just_now(token: dict[str, Any]) -> bool:
    """Whether the provider asked the person within the last minutes (`auth_time`, OpenID Connect Core 1.0, section 2)."""
    asked = token.get("auth_time")
    if type(asked) not in (int, float):
        return False
    return -id_tokens.LEEWAY_SECONDS <= time.time() - asked < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT


def _provider(request: HttpRequest) -> Provider:
    if not settings.OIDC_ISSUER:
        raise Http404("there is no provider")
    app = SocialApp(
        provider="openid_connect",
        provider_id=provider_key(settings.OIDC_ISSUER),
        name=settings.OIDC_NAME,
        client_id=settings.OIDC_CLIENT_ID,
        secret=settings.OIDC_CLIENT_SECRET,
        settings={"server_url": settings.OIDC_ISSUER, "scope": settings.OIDC_SCOPES},
    )
    return Provider(request, app=app)


def _refused(request: HttpRequest, reason: str, status: int) -> HttpResponse:
    return render(
        request, "web/sign_in_refused.html", {"reason": reason, "provider": settings.OIDC_NAME}, status=status
    )
