"""Failed attempts to get in, counted for a while: guessing is slow, and nobody else is shut out by it.

Counted per address and per what was tried (a user name, the public part of a token): by all processes together where there is
Redis, else by each (`provisioning.shared_cache`).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

import structlog
from django.core.cache import cache

log = structlog.get_logger(__name__)

ATTEMPTS = 10
REST_SECONDS = 300
_TOKEN = re.compile(r"exp_([0-9a-f]{12})")


def of_name(address: str, name: str) -> tuple[str, str, str]:
    """What the other functions here take for a try to sign in under a name, however it is spelt."""
    # As it is looked up: else each blank around a name, and each wide letter in it, would be ten more guesses.
    return "sign-in", address, unicodedata.normalize("NFKC", name[:254]).strip().lower()


def is_blocked(kind: str, address: str, name: str, *, most: int = ATTEMPTS) -> bool:
    """Whether there were so many failures that the next attempt is not even looked at; that is logged, as a failure is."""
    blocked = int(cache.get(_key(kind, address, name), 0)) >= most
    if blocked:
        log.warning(
            "an attempt to get in was not looked at: too many failed",
            kind=kind,
            address=address,
            **_public(kind, name),
        )
    return blocked


def failed(kind: str, address: str, name: str) -> None:
    """Count one failure; five minutes after the first of a series all of them are forgotten.

    It is logged without the name: people type passwords into the wrong field. The public part of a token is no secret, and tells
    which of them it was.
    """
    log.warning("a failed attempt to get in", kind=kind, address=address, **_public(kind, name))
    count(kind, address, name)


def count(kind: str, address: str, name: str) -> None:
    """Count one failure that was logged already, under another name."""
    key = _key(kind, address, name)
    if not cache.add(key, 1, REST_SECONDS):
        try:
            cache.incr(key)
        except ValueError:  # forgotten between the two lines
            cache.add(key, 1, REST_SECONDS)


def succeeded(kind: str, address: str, name: str) -> None:
    """Forget the failures of a series that ended well."""
    cache.delete(_key(kind, address, name))


def _public(kind: str, name: str) -> dict[str, str]:
    """The public part of the token that was tried, where it has the form of one; nothing else of what was typed."""
    found = _TOKEN.fullmatch(name) if kind == "token" else None
    return {"token": found[1]} if found else {}


def _key(kind: str, address: str, name: str) -> str:
    return f"{kind}-" + hashlib.sha256(f"{address} {name}".encode("utf-8", "replace")).hexdigest()
