"""What a list shows as a file: every row that its filters let through, in its order, as it is read from the database."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django_tables2.utils import Accessor

from inventory.readers.spreadsheets import defused

FORMATS: Final = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
_AT_ONCE: Final = 1000

Value = str | Callable[[Any], Any]


@dataclass(frozen=True)
class Sheet:
    """How the rows of a list are written: the name of the file, and of each column what it holds.

    That is the name of a field, through tables where it has ``__``; or what makes the value of a row. ``shows`` says under which
    names the file has what a column of the list shows, where that is another than the column's own.
    """

    name: str
    columns: Mapping[str, Value]
    shows: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def only(self, chosen: Collection[str] | None) -> Sheet:
        """Return it with what these columns of the list show (None: all there is); the first column names the row and stays."""
        if chosen is None:
            return self
        wanted = {name for column in chosen for name in self.shows.get(column, (column,))}
        first = next(iter(self.columns))
        return replace(
            self, columns={name: of for name, of in self.columns.items() if name in wanted or name == first}
        )


def answer(sheet: Sheet, wanted: str, rows: QuerySet[Any] | Sequence[Any]) -> StreamingHttpResponse:
    """Return these rows as a file of one of `FORMATS`, written while it is sent."""
    values = _values(sheet, rows)
    written = _csv(sheet, values) if wanted == "csv" else _json(sheet, values)
    return StreamingHttpResponse(
        written,
        content_type=FORMATS[wanted],
        headers={"Content-Disposition": f'attachment; filename="{sheet.name}.{wanted}"'},
    )


def _values(sheet: Sheet, rows: QuerySet[Any] | Sequence[Any]) -> Iterator[Sequence[Any]]:
    wanted = list(sheet.columns.values())
    fields = [each for each in wanted if isinstance(each, str)]
    if isinstance(rows, QuerySet) and len(fields) == len(wanted):
        yield from rows.values_list(*fields).iterator(chunk_size=_AT_ONCE)
        return
    made = [partial(_of, each) if isinstance(each, str) else each for each in wanted]
    for row in rows.iterator(chunk_size=_AT_ONCE) if isinstance(rows, QuerySet) else rows:
        yield [make(row) for make in made]


def _of(name: str, row: Any) -> Any:
    return Accessor(name).resolve(row, quiet=True)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return (
        value if value is None or isinstance(value, bool | int | float | str | list | tuple) else str(value)
    )


def _cell(value: Any) -> Any:
    plain = _plain(value)
    if isinstance(plain, bool):
        return str(plain).lower()
    said = " ".join(map(str, plain)) if isinstance(plain, list | tuple) else plain
    return defused(said) if isinstance(said, str) else said


class _Line:
    """What `csv` writes a row to; it is handed on at once."""

    def write(self, text: str) -> str:
        return text


def _csv(sheet: Sheet, rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(sheet.columns)
    for row in rows:
        yield writer.writerow([_cell(value) for value in row])


def _json(sheet: Sheet, rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    before = "[\n"
    for row in rows:
        named = dict(zip(sheet.columns, map(_plain, row), strict=True))
        yield before + json.dumps(named, ensure_ascii=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"
