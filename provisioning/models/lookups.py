"""A lookup that both databases answer alike."""

from __future__ import annotations

from typing import Any

from django.db.models import JSONField, Lookup


@JSONField.register_lookup
class HoldsAny(Lookup):  # type: ignore[type-arg]
    """``column__holds_any=[...]``: whether a stored list of texts has one of these texts.

    Django's `has_any_keys` finds members of lists on PostgreSQL and keys of objects alone on SQLite.
    """

    lookup_name = "holds_any"
    prepare_rhs = False

    def get_db_prep_lookup(self, value: Any, _connection: Any) -> tuple[str, list[Any]]:
        """Return the texts as they are."""
        return "%s", list(value)

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """Return `?|`, which an index of the column (GIN) answers."""
        column, before = self.process_lhs(compiler, connection)
        return f"{column} ?| %s", [*before, list(self.rhs)]

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """Return a look at each member."""
        column, before = self.process_lhs(compiler, connection)
        wanted = list(self.rhs)
        marks = ", ".join(["%s"] * len(wanted)) or "NULL"
        found = f"EXISTS (SELECT 1 FROM json_each({column}) AS member WHERE member.value IN ({marks}))"  # noqa: S608 - marks
        return found, [*before, *wanted]
