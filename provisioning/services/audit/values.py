"""Values as the trail keeps them: JSON that every database gives back unchanged, and its digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from django.db import models

_LARGEST_VALUE = 20_000


def sha256_of(said: Any) -> str:
    """SHA-256 (hex) of a JSON value, the same on every database."""
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def transcript_digest(lines: object) -> str:
    """SHA-256 (hex) of what was said in a session, as it is stored."""
    return hashlib.sha256(json.dumps(lines).encode()).hexdigest()


def instant(at: datetime) -> str:
    """An instant as digests spell it: ISO 8601 in UTC to the microsecond."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def plain(value: Any) -> Any:
    """``value`` as JSON that every database gives back unchanged.

    Rows become their primary key, instants ISO 8601, fractions text (databases spell floats differently), and
    what is larger than 20 kB its size and SHA-256.
    """
    made = _plain(value)
    if isinstance(made, dict):
        return {key: _bounded(part) for key, part in made.items()}
    return _bounded(made)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, models.Model):
        return value.pk
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).isoformat()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {clean(str(key)): _plain(part) for key, part in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((_plain(part) for part in value), key=str)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return clean(str(value))


def _bounded(value: Any) -> Any:
    text = json.dumps(value, sort_keys=True)
    if len(text) <= _LARGEST_VALUE:
        return value
    return {"bytes": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def clean(text: str) -> str:
    """Text that every database stores: PostgreSQL takes neither NUL nor half a surrogate pair."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")
