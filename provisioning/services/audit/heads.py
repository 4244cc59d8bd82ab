"""A head of the trail in a file of its own, signed: to be kept where nobody who can write the database can."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from provisioning.errors import Conflict, InvalidInput
from provisioning.services import clock
from provisioning.services.audit.sealing import head
from provisioning.services.audit.signing import is_ours, is_signed, signed
from provisioning.services.audit.values import instant

_FORMAT = "expedite-audit-head-1"


def signed_head() -> dict[str, Any]:
    """The head of now with its signature (Ed25519, RFC 8032) as a JSON object: `format`, `events`, `head`, `at`,
    `public_key` and `signature` in base64.

    Raises Conflict when AUDIT_SIGNING_KEY is not set.
    """
    events, digest = head()
    said: dict[str, Any] = {"format": _FORMAT, "events": events, "head": digest, "at": instant(clock.now())}
    made = signed(_bytes(said))
    if made is None:
        raise Conflict("AUDIT_SIGNING_KEY is not set: 32 random bytes in base64 (docs/reference/settings.md)")
    return said | {"public_key": made.public_key, "signature": made.signature}


def head_of(text: str) -> tuple[str, datetime]:
    """The digest that a signed head names, and when it was signed, once the signature is found to be ours.

    Raises InvalidInput for anything that is not a head signed with AUDIT_SIGNING_KEY, or a key of AUDIT_FORMER_KEYS.
    """
    try:
        given = json.loads(text)
        said = {name: given[name] for name in ("format", "events", "head", "at")}
        signature, public_key = str(given["signature"]), str(given.get("public_key"))
        digest, at = str(said["head"]), datetime.fromisoformat(said["at"])
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput("this is no signed head of an audit trail", field="file") from error
    if said["format"] != _FORMAT or not is_ours(public_key):
        raise InvalidInput("this head was signed with another key than AUDIT_SIGNING_KEY", field="file")
    if not is_signed(_bytes(said), public_key=public_key, signature=signature):
        raise InvalidInput("the signature is not of this head: the file was edited", field="file")
    return digest, at


def _bytes(said: dict[str, Any]) -> bytes:
    return json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
