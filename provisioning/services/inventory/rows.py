"""One row at a time: create it, update what differs, or leave it; and remember which rows the file spoke
of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from django.db import models

from provisioning.services.inventory.report import FieldChange, Outcome, RowReport

Row = TypeVar("Row", bound=models.Model)
_AT_ONCE = 500
"""Rows of one statement."""


class RowBook:
    """The rows put so far, and what is to be said about each. ``before_writing`` is called once, before the first is written."""

    def __init__(self, before_writing: Callable[[], None] = lambda: None) -> None:
        self._before_writing: Callable[[], None] | None = before_writing
        self._reports: dict[tuple[str, str], RowReport] = {}
        self._put: defaultdict[type[models.Model], set[Any]] = defaultdict(set)
        self._there: dict[type[models.Model], dict[tuple[Any, ...], Any]] = {}
        self._changed: defaultdict[tuple[type[models.Model], tuple[str, ...]], list[Any]] = defaultdict(list)

    @property
    def reports(self) -> tuple[RowReport, ...]:
        """Return the reports in the order of writing."""
        return tuple(self._reports.values())

    def put(
        self, model: type[Row], kind: str, name: str, *, key: Mapping[str, Any], fields: Mapping[str, Any]
    ) -> Row:
        """Return the row with `key`, created or brought to `fields`; `kind` and `name` are for the report."""
        there = self._rows(model, key)
        values = tuple(_plain(value) for value in key.values())
        row: Row | None = there.get(values)
        changes: tuple[FieldChange, ...] = ()
        outcome: Outcome = "unchanged"
        if row is None:
            self.write()
            row, outcome = model._default_manager.create(**key, **fields), "created"
            there[values] = row
        else:
            different = [field for field, value in fields.items() if _held(row, field) != _plain(value)]
            changes = tuple(
                FieldChange(field, spell(getattr(row, field)), spell(fields[field])) for field in different
            )
            if different:
                outcome = "updated"
                for field in different:
                    setattr(row, field, fields[field])
                self._changed[model, tuple(different)].append(row)
        self._put[model].add(row.pk)
        self._reports[kind, name] = RowReport(kind, name, outcome, changes)
        return row

    def write(self) -> None:
        """Call ``before_writing``, unless that was done, and write the rows that were changed and are not written yet: before
        another is created, which may take what one of them gave up, and at the end.
        """
        if self._before_writing is not None:
            self._before_writing()
            self._before_writing = None
        for (model, fields), rows in self._changed.items():
            model._default_manager.bulk_update(rows, fields, batch_size=_AT_ONCE)
        self._changed.clear()

    def _rows(self, model: type[Row], key: Mapping[str, Any]) -> dict[tuple[Any, ...], Row]:
        """All rows of a model by their key, read once: thousands of rows are not asked for one by one."""
        if model not in self._there:
            self._there[model] = {
                tuple(_held(row, field) for field in key): row for row in model._default_manager.order_by()
            }
        return self._there[model]

    def note(self, kind: str, name: str, outcome: Outcome) -> None:
        """Report a row that another service wrote."""
        self._reports[kind, name] = RowReport(kind, name, outcome)

    def changed_fields(self, kind: str, name: str) -> frozenset[str]:
        """Return the names of the fields in which a row that existed was changed."""
        report = self._reports.get((kind, name))
        return frozenset(change.field for change in report.changes) if report else frozenset()

    def remark(self, kind: str, name: str, text: str) -> None:
        """Add to a reported row what a person should know about it."""
        report = self._reports[kind, name]
        self._reports[kind, name] = replace(report, remarks=(*report.remarks, text))

    def absent(self, kind: str, rows: models.QuerySet[Row]) -> None:
        """Report those of `rows` that were never put; where all that were read are, none is read again."""
        known: Collection[Any] = self._put[rows.model]
        if rows.model in self._there:
            others = {row.pk for row in self._there[rows.model].values()}.difference(known)
            if not others:
                return
            rows = rows.filter(pk__in=others)
        for row in rows:
            if row.pk not in known:
                self._reports[kind, str(row)] = RowReport(kind, str(row), "absent")


def _held(row: models.Model, field: str) -> Any:
    """What a row holds in a field; of a foreign key the key, so that the other row is not read."""
    column: str = getattr(row._meta.get_field(field), "attname", field)
    return getattr(row, column)


def _plain(value: object) -> object:
    return value.pk if isinstance(value, models.Model) else value


def spell(value: object) -> str:
    """Return a field's value as the report shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return str(value)
