"""How long a charge lasts, as one of a few lengths: what lets a window be asked for without reading the book.

A charge that overlaps [s, e) starts before e and ends after s. An index on one of the two has to read everything on one side. A
charge of which it is known that it lasts no longer than L also starts after s - L: a range of one index, and nearly
all that lies in it overlaps (ADR 24).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func, SmallIntegerField

LENGTHS: Final = tuple(timedelta(hours=4**power) for power in range(8))
"""The longest that each length but the last may be: 1 hour, 4 hours, 16 hours, up to 682 days."""

OPEN: Final = len(LENGTHS)
"""The last length: longer than all others, or without an end."""


class LengthOf(Func):
    """The length of the window between two columns: the first of `LENGTHS` that it does not exceed, else `OPEN`.

    SQLite reckons with days as floating point: there what is within a second of the next length counts as that.
    """

    output_field = SmallIntegerField()
    arity = 2

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper, **_more: Any) -> Any:
        """The expression as both databases read it."""
        start, end = (compiler.compile(each) for each in self.get_source_expressions())
        hours = [int(each.total_seconds()) // 3600 for each in LENGTHS]
        if connection.vendor == "postgresql":
            lasts = f"{end[0]} - {start[0]}"
            cases = [f"WHEN {lasts} <= interval '{each} hours' THEN {n}" for n, each in enumerate(hours)]
        else:
            lasts = f"(julianday({end[0]}) - julianday({start[0]})) * 86400.0"
            cases = [f"WHEN {lasts} <= {each * 3600 - 1}.0 THEN {n}" for n, each in enumerate(hours)]
        times = len(cases)
        sql = f"CASE WHEN {end[0]} IS NULL THEN {OPEN} {' '.join(cases)} ELSE {OPEN} END"
        return sql, [*end[1], *([*end[1], *start[1]] * times)]
