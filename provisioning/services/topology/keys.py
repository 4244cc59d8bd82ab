"""Thousands of keys as one value of a query: spelled out one by one they take longer than what is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable

from django.db import connection
from django.db.models.expressions import RawSQL


def among(keys: Iterable[int]) -> RawSQL:
    """For `pk__in=`: rows of these keys."""
    every = list(keys)
    if connection.vendor == "postgresql":
        return RawSQL("SELECT unnest(%s::bigint[])", (every,))
    return RawSQL("SELECT value FROM json_each(%s)", (json.dumps(every),))
