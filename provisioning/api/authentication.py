"""Bearer tokens: ``Authorization: Bearer exp_...``."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from provisioning.errors import NotPermitted
from provisioning.models import Actor, ApiToken
from provisioning.services import attempts, callers, tokens

# One sentence for a token that is unknown, ended or used from elsewhere: which of them is nobody's business who has none.
NOT_VALID = "The token is not valid. Look at `manage.py token --list` or the page Tokens."


class TokenAuthentication(BaseAuthentication):
    """Finds the token's user; ``request.auth`` is the `ApiToken`."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        """Return (user, token), None when no token is offered.

        401 for a token that is not valid; after ten of those with one public part from one address 429 for five minutes.
        """
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise AuthenticationFailed("A bearer token is one word.")
        address = callers.client_address(request.META)
        text = words[1].decode("ascii", "replace")
        tried = ("token", address, "_".join(text.split("_", 2)[:2])[:40])
        if attempts.is_blocked(*tried):
            raise Throttled(attempts.REST_SECONDS, "Too many failures with this token from your address.")
        try:
            token = tokens.authenticate(text=text, address=address)
        except NotPermitted as error:
            attempts.failed(*tried)
            raise AuthenticationFailed(NOT_VALID) from error
        return token.user, token

    def authenticate_header(self, _request: Request) -> str:
        """Return what 401 asks for."""
        return 'Bearer realm="expedite"'


def actor_of(request: Request) -> Actor:
    """Return who acts in an authenticated request: the token's user, narrowed to the token's NREN."""
    cached = getattr(request, "_expedite_actor", None)
    if cached is None:
        assert isinstance(request.auth, ApiToken), "views let only tokens in"
        cached = tokens.actor_of(request.auth)
        request._expedite_actor = cached
    return cached  # type: ignore[no-any-return]


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes the tokens."""

    target_class = "provisioning.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, _auto_schema: Any) -> dict[str, str]:
        """Return the OpenAPI security scheme."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token is shown once when it is issued (the page Tokens, `manage.py token`, `POST tokens/`).",
        }
