"""Identity tokens: what a provider's own key signed for us, now; nothing else."""

from __future__ import annotations

import hmac
import json
import time
from base64 import urlsafe_b64encode
from typing import Any

import jwt
import pytest
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from provisioning.web.identity.id_tokens import decode, storable

ISSUER, CLIENT = "https://id.example.net", "expedite"
RSA, OTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
EC = ec.generate_private_key(ec.SECP256R1())


def jwk(key: Any, **more: str) -> dict[str, str]:
    kind = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm
    return {**json.loads(kind.to_jwk(key.public_key())), **more}


def claims(**changed: Any) -> dict[str, Any]:
    now = int(time.time())
    made = {"iss": ISSUER, "sub": "s", "aud": CLIENT, "iat": now, "exp": now + 300, **changed}
    return {name: value for name, value in made.items() if value is not None}


def read(token: str, *keys: dict[str, str]) -> dict[str, Any]:
    return decode(token, keys={"keys": list(keys or [jwk(RSA)])}, issuer=ISSUER, client=CLIENT)


@pytest.mark.parametrize(("key", "algorithm"), [(RSA, "RS256"), (RSA, "PS512"), (EC, "ES256")])
def test_what_its_key_signed_is_read(key: Any, algorithm: str) -> None:
    found = jwk(key, alg=algorithm)
    assert read(jwt.encode(claims(), key, algorithm), found)["sub"] == "s"
    named = jwt.encode(claims(), key, algorithm, headers={"kid": "b"})
    assert read(named, jwk(OTHER, kid="a"), {**found, "kid": "b"})["sub"] == "s"


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://other.example.net"}, {"iss": None}, {"aud": "other"}, {"aud": None}, {"sub": None},
        {"exp": 1}, {"exp": None}, {"iat": None}, {"iat": int(time.time()) + 3600},
        {"aud": [CLIENT, "other"]}, {"aud": [CLIENT, "other"], "azp": "other"}, {"azp": "other"},
        {"nbf": int(time.time()) + 3600},
    ],
)  # fmt: skip
def test_what_is_not_for_us_or_not_now_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(OAuth2Error):
        read(jwt.encode(claims(**changed), RSA, "RS256"))


def test_several_audiences_are_good_when_it_was_made_for_us() -> None:
    assert read(jwt.encode(claims(aud=[CLIENT, "other"], azp=CLIENT), RSA, "RS256"))["azp"] == CLIENT


def test_another_key_no_key_and_the_public_key_as_a_secret() -> None:
    parts = [json.dumps(each).encode() for each in ({"alg": "HS256", "typ": "JWT"}, claims())]
    signed = b".".join(map(urlsafe_b64encode, parts)).replace(b"=", b"")
    mac = urlsafe_b64encode(hmac.digest(json.dumps(jwk(RSA)).encode(), signed, "sha256")).rstrip(b"=")
    for token in (
        jwt.encode(claims(), OTHER, "RS256"),
        jwt.encode(claims(), None, "none"),
        (signed + b"." + mac).decode(),
        jwt.encode(claims(), RSA, "RS256", headers={"kid": "unknown"}),
        "",
        "a.b.c",
        "not a token",
    ):
        with pytest.raises(OAuth2Error):
            read(token)
    unnamed = jwt.encode(claims(), RSA, "RS256")
    with pytest.raises(OAuth2Error):  # which of the two is not said
        read(unnamed, jwk(RSA, kid="a"), jwk(OTHER, kid="b"))
    with pytest.raises(OAuth2Error):  # a key for another purpose
        read(unnamed, jwk(RSA, use="enc"))


@pytest.mark.parametrize("bad", ["a\x00b", "\ud800", {"deep": ["\x00"]}])
def test_what_no_database_keeps_is_refused(bad: Any) -> None:
    for claims in ({"name": bad}, {bad if isinstance(bad, str) else "x": bad}):
        with pytest.raises(OAuth2Error):
            storable(claims)
    for other in (None, [], "x", 1):
        with pytest.raises(OAuth2Error):
            storable(other)
    assert storable({"name": "\\u0000 as text, Zoë"})


def test_keys_of_another_shape_are_refused() -> None:
    for keys in ({}, {"keys": []}, {"keys": [{"kty": "what"}]}, {"keys": "x"}):
        with pytest.raises(OAuth2Error):
            decode(jwt.encode(claims(), RSA, "RS256"), keys=keys, issuer=ISSUER, client=CLIENT)
