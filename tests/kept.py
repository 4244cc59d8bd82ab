"""Rows that many tests begin with, built once in a process and put back as they were: a tenth of the work or less.

Importing 6NET and giving its people accounts is a thousand queries. `kept` runs them for the first test that asks and
notes what they left, column by column as SQL literals; every later test gets the same rows with the same keys.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Field, Model

from provisioning.models import RequestPrefix

Built = TypeVar("Built")
Rows = dict[type[Model], tuple[str, ...]]  # each row as "(literal, literal, ...)"


@dataclass(frozen=True)
class _Kept:
    value: Any
    statements: tuple[str, ...]


_KEPT: dict[Hashable, _Kept] = {}


def kept(key: Hashable, build: Callable[[], Built]) -> Built:
    """Return what `build` returns, with the rows it makes in the database; it is called once in a process.

    `build` begins on a database without rows of its own, depends on nothing but `key`, and only makes or changes rows.
    What it returns is copied for every test. Times in its rows are those of the first test, some minutes ago.
    """
    held = _KEPT.get(key)
    if held is None:
        before = _rows()
        value = build()
        held = _KEPT[key] = _Kept(copy.deepcopy(value), tuple(_statements(before, _rows())))
        return value
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in held.statements:
            cursor.execute(statement)
    return cast("Built", copy.deepcopy(held.value))


def _statements(before: Rows, after: Rows) -> Iterable[str]:
    """SQL that makes `after` of `before`, what is referred to first."""
    changed = [model for model in _referred_first(after) if after[model] != before[model]]
    for model in reversed(changed):
        if before[model]:
            yield f"DELETE FROM {_table(model)}"
    for model in changed:
        names = ", ".join(connection.ops.quote_name(field.column) for field in _columns(model))
        if model is RequestPrefix:
            yield f"DELETE FROM {_table(model)}"  # which a trigger wrote when the requests were put back
        yield f"INSERT INTO {_table(model)} ({names}) VALUES {', '.join(after[model])}"
    if connection.vendor == "postgresql":  # SQLite goes on after the highest key by itself
        for model in changed:
            key = model._meta.pk
            if key.get_internal_type() in ("AutoField", "BigAutoField"):
                sequence = f"pg_get_serial_sequence('{model._meta.db_table}', '{key.column}')"
                yield f"SELECT setval({sequence}, (SELECT max({key.column}) FROM {_table(model)}))"


def _rows() -> Rows:
    """Every row of every table, exactly: as literals of the database's own making."""
    literal = "quote({})" if connection.vendor == "sqlite" else "quote_nullable({}::text)"
    found: Rows = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if not model._meta.managed or model._meta.proxy:
                continue
            columns = [connection.ops.quote_name(field.column) for field in _columns(model)]
            key = connection.ops.quote_name(model._meta.pk.column)
            chosen = ", ".join(literal.format(column) for column in columns)
            cursor.execute(f"SELECT {chosen} FROM {_table(model)} ORDER BY {key}")
            found[model] = tuple(f"({', '.join(row)})" for row in cursor.fetchall())
    return found


def _columns(model: type[Model]) -> list[Field[Any, Any]]:
    return [field for field in model._meta.local_concrete_fields if not field.generated]


def _table(model: type[Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


def _referred_first(models: Iterable[type[Model]]) -> list[type[Model]]:
    """The models with those they refer to before them; a circle is entered anywhere (foreign keys wait for COMMIT)."""
    done: dict[type[Model], None] = {}

    def visit(model: type[Model], path: tuple[type[Model], ...]) -> None:
        if model in done or model in path:
            return
        for field in _columns(model):
            if field.related_model is not None:
                visit(cast("type[Model]", field.related_model), (*path, model))
        done[model] = None

    for model in models:
        visit(model, ())
    return list(done)
