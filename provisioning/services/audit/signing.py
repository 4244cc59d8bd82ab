"""The one way of signing: Ed25519 (RFC 8032) with AUDIT_SIGNING_KEY, which lies where the database does not."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings

from provisioning.errors import Conflict

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# The cipher is loaded where something is signed or checked: every deed is recorded, and few are signed.


@dataclass(frozen=True)
class Signed:
    """A signature and the public key that it is checked with, both in base64."""

    signature: str
    public_key: str


def signed(data: bytes) -> Signed | None:
    """Sign `data`; None when AUDIT_SIGNING_KEY is not set. Raises Conflict when it is no key."""
    key = _key()
    if key is None:
        return None
    return Signed(base64.b64encode(key.sign(data)).decode(), _public(key))


def is_ours(public_key: str) -> bool:
    """Whether a public key (base64) is that of AUDIT_SIGNING_KEY, or one of AUDIT_FORMER_KEYS."""
    key = _key()
    return public_key in settings.AUDIT_FORMER_KEYS or (key is not None and public_key == _public(key))


def is_signed(data: bytes, *, public_key: str, signature: str) -> bool:
    """Whether `signature` was made over `data` with the key that `public_key` belongs to; False also for what is no signature."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
        key.verify(base64.b64decode(signature, validate=True), data)
    except (ValueError, InvalidSignature):
        return False
    return True


def _key() -> Ed25519PrivateKey | None:
    if not settings.AUDIT_SIGNING_KEY:
        return None
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    try:
        return Ed25519PrivateKey.from_private_bytes(
            base64.b64decode(settings.AUDIT_SIGNING_KEY, validate=True)
        )
    except ValueError as error:
        raise Conflict("AUDIT_SIGNING_KEY is not 32 bytes in base64") from error


def _public(key: Ed25519PrivateKey) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()
