"""Values of columns as JSON that is the same whichever database they come from, and back into a database.

Columns are copied as they are stored, not as a model reads them: a credential stays the ciphertext it is. Only what
databases spell differently is translated: instants (ISO 8601 in UTC), booleans, JSON, fractions and bytes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.db import connection, models

PLAIN = "plain"
_KINDS: tuple[tuple[type[models.Field[Any, Any]], str], ...] = (
    (models.DateTimeField, "instant"),
    (models.DateField, "date"),
    (models.BooleanField, "boolean"),
    (models.JSONField, "json"),
    (models.DecimalField, "decimal"),
    (models.BinaryField, "bytes"),
)


def kind_of(field: models.Field[Any, Any]) -> str:
    """How the values of a field are translated."""
    return next((kind for kinds, kind in _KINDS if isinstance(field, kinds)), PLAIN)


def _instant(value: Any) -> str:
    at = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


# What a database's cursor gives, as JSON.
OUT: dict[str, Callable[[Any], Any]] = {
    PLAIN: lambda value: value,
    "instant": _instant,
    "date": lambda value: value.isoformat() if isinstance(value, date) else value,
    "boolean": bool,
    "json": lambda value: json.loads(value) if isinstance(value, str | bytes) else value,
    "decimal": str,
    "bytes": lambda value: base64.b64encode(value).decode(),
}

# JSON, as the database in use takes it.
IN: dict[str, Callable[[Any], Any]] = {
    PLAIN: lambda value: value,
    "instant": lambda value: connection.ops.adapt_datetimefield_value(datetime.fromisoformat(value)),
    "date": lambda value: connection.ops.adapt_datefield_value(date.fromisoformat(value)),
    "boolean": bool,
    "json": lambda value: connection.ops.adapt_json_value(value, None),
    "decimal": Decimal,
    "bytes": base64.b64decode,
}


def translated(row: tuple[Any, ...], kinds: list[str], how: dict[str, Callable[[Any], Any]]) -> list[Any]:
    """A row, value by value; nothing stays nothing."""
    return [None if value is None else how[kind](value) for value, kind in zip(row, kinds, strict=True)]
