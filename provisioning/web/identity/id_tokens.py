"""Identity tokens of a provider, believed only when its own key signed them for us (OpenID Connect Core 1.0, 3.1.3.7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import jwt
from allauth.socialaccount.providers.oauth2.client import OAuth2Error

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key that only the provider has: `none` and those with a shared secret are not among them."""
LEEWAY_SECONDS: Final = 60
_REQUIRED = ("iss", "sub", "aud", "exp", "iat")


def decode(token: str, *, keys: Mapping[str, Any], issuer: str, client: str) -> dict[str, Any]:
    """Return the claims of a token that one of these keys (a JWK set, RFC 7517) signed for this client.

    Raises OAuth2Error for any other.
    """
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key=_key(token, keys),
            algorithms=list(ALGORITHMS),
            audience=client,
            issuer=issuer,
            leeway=LEEWAY_SECONDS,
            options={"require": list(_REQUIRED)},
        )
    except (jwt.PyJWTError, TypeError, ValueError, KeyError) as error:
        raise OAuth2Error(f"an identity token that is not one: {type(error).__name__}") from error
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", client if not several else None) != client:
        raise OAuth2Error("an identity token for somebody else")
    return storable(claims)


def storable(claims: Any) -> dict[str, Any]:
    """Return claims that a database can keep; raises OAuth2Error for others, and for what is no object of claims."""
    if not isinstance(claims, dict):
        raise OAuth2Error("claims that are no object")
    try:
        json.dumps(claims, ensure_ascii=False).encode()
    except (ValueError, TypeError) as error:
        raise OAuth2Error("claims that are no text") from error
    if _holds_nul(claims):
        raise OAuth2Error("claims with a NUL")
    return claims


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value


def _key(token: str, keys: Mapping[str, Any]) -> jwt.PyJWK:
    name = jwt.get_unverified_header(token).get("kid")
    signing = [key for key in jwt.PyJWKSet.from_dict(dict(keys)).keys if key.public_key_use in (None, "sig")]
    if name is None and len(signing) == 1:
        return signing[0]  # a provider with one key need not name it
    for key in signing:
        if key.key_id == name:
            return key
    raise KeyError("kid")
