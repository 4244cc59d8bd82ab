"""Instants as integers, worked out by the database: a hundred thousand of them are not worth a hundred thousand objects."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Func


def postgresql_ticks(column: str) -> str:
    """The same as SQL of PostgreSQL, of a column or an expression."""
    return f"(EXTRACT(EPOCH FROM {column}) * 1000000)::bigint"


class Ticks(Func):
    """The microseconds since 1970 of a column of instants; nothing where it has none. Exact on both databases."""

    output_field = BigIntegerField()
    arity = 1

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper, **_more: Any) -> Any:
        """The expression as both databases read it."""
        (source,) = self.get_source_expressions()
        column, params = compiler.compile(source)
        if connection.vendor == "postgresql":
            return postgresql_ticks(column), params
        # Django keeps instants as text there: "2026-11-23 02:00:00" in UTC, with six digits more where there are any; strftime
        # by itself would round these.
        seconds = f"CAST(strftime('%%s', substr({column}, 1, 19)) AS INTEGER)"
        more = f"CAST(substr({column}, 21, 6) AS INTEGER)"
        return f"({seconds} * 1000000 + {more})", [*params, *params]
