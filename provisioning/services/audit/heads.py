"""A head of the trail in a file of its own, signed: to be kept where nobody who can write the database can."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings

from provisioning.errors import Conflict, InvalidInput
from provisioning.services import clock
from provisioning.services.audit.sealing import head
from provisioning.services.audit.values import instant

_FORMAT = "expedite-audit-head-1"


def signed_head() -> dict[str, Any]:
    """The head of now with its signature (Ed25519, RFC 8032) as a JSON object: `format`, `events`, `head`, `at`,
    `public_key` and `signature` in base64.

    Raises Conflict when AUDIT_SIGNING_KEY is not set.
    """
    key = _key()
    events, digest = head()
    said: dict[str, Any] = {"format": _FORMAT, "events": events, "head": digest, "at": instant(clock.now())}
    return said | {"public_key": _public(key), "signature": base64.b64encode(key.sign(_bytes(said))).decode()}


def head_of(text: str) -> tuple[str, datetime]:
    """The digest that a signed head names, and when it was signed, once the signature is found to be ours.

    Raises InvalidInput for anything that is not a head signed with AUDIT_SIGNING_KEY, Conflict when that is not set.
    """
    key = _key()
    try:
        given = json.loads(text)
        said = {name: given[name] for name in ("format", "events", "head", "at")}
        signature = base64.b64decode(given["signature"], validate=True)
        digest, at = str(said["head"]), datetime.fromisoformat(said["at"])
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput("this is no signed head of an audit trail", field="file") from error
    if said["format"] != _FORMAT or given.get("public_key") != _public(key):
        raise InvalidInput("this head was signed with another key than AUDIT_SIGNING_KEY", field="file")
    try:
        key.public_key().verify(signature, _bytes(said))
    except InvalidSignature as error:
        raise InvalidInput("the signature is not of this head: the file was edited", field="file") from error
    return digest, at


def _key() -> Ed25519PrivateKey:
    if not settings.AUDIT_SIGNING_KEY:
        raise Conflict("AUDIT_SIGNING_KEY is not set: 32 random bytes in base64 (docs/reference/settings.md)")
    try:
        return Ed25519PrivateKey.from_private_bytes(
            base64.b64decode(settings.AUDIT_SIGNING_KEY, validate=True)
        )
    except ValueError as error:
        raise Conflict("AUDIT_SIGNING_KEY is not 32 bytes in base64") from error


def _public(key: Ed25519PrivateKey) -> str:
    return base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


def _bytes(said: dict[str, Any]) -> bytes:
    return json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
